// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Whom an agent pays by name
/// @dev Names are as symbols: bytes32, lower-case ASCII, left-aligned, 2 to 11 characters, zero-padded.
interface IContactBook {
    /// @notice `account` is paid by this name from now on.
    event ContactListed(bytes32 indexed name, address indexed account);

    /// @notice Nobody is paid by this name any more.
    event ContactUnlisted(bytes32 indexed name, address indexed account);

    /// @notice The name stands for an account already; unlist it first.
    error ContactAlreadyListed(bytes32 name, address account);

    /// @notice Nobody goes by this name.
    error ContactNotListed(bytes32 name);

    /// @notice Nobody can be paid at address zero.
    error ContactWithoutAccount(string name);

    /// @notice The list has reached the size of one contract's code.
    error ContactBookIsFull(uint256 entries);

    /// @notice Lists `account` under `name`, in any case of letters.
    function list(string calldata name, address account) external;

    /// @notice Takes the name off the list.
    function unlist(string calldata name) external;

    /// @notice Looks up a name; zero if nobody goes by it.
    function find(bytes32 nameLower) external view returns (address account);

    /// @notice The whole list, in the order of listing.
    function entries() external view returns (bytes32[] memory names, address[] memory accounts);

    /// @notice A contract whose code is 0x00 and then one 32-byte entry per contact: name (11 bytes,
    ///   zero-padded right), a zero byte, account (20 bytes): as `ISymbolBook.pointer` has tokens.
    function pointer() external view returns (address);
}

/// @title An agent that knows payees by names; encoder and decoder ask it for its book
interface IContactBookUser {
    /// @notice The agent's contact book; zero if the agent has none.
    function contactBook() external view returns (IContactBook);
}
