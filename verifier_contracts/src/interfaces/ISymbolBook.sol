// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Token symbols that people may use in place of addresses
/// @dev Symbols are bytes32: lower-case ASCII, left-aligned, 2 to 11 characters, zero-padded.
interface ISymbolBook {
    /// @notice A token was listed; its decimals are pinned from now on.
    event SymbolListed(bytes32 indexed symbol, address indexed token, uint8 decimals);

    /// @notice A token was taken off the list.
    event SymbolUnlisted(bytes32 indexed symbol, address indexed token);

    /// @notice Symbols are 2 to 11 characters, a letter and then letters or digits.
    error MalformedSymbol(string symbol);

    /// @notice The word has a meaning in prompts ("all", "wallet", "send", ...) and cannot name a
    ///   token.
    error ReservedSymbol(string symbol);

    /// @notice Another token goes by this symbol (in any case of letters); unlist it first.
    error SymbolAlreadyListed(bytes32 symbol, address token);

    /// @notice This token already has a symbol; unlist it first.
    error TokenAlreadyListed(address token, bytes32 symbol);

    /// @notice No token goes by this symbol.
    error SymbolNotListed(bytes32 symbol);

    /// @notice The token has more decimals than amounts can have (77); likely not a token.
    error TooManyDecimals(address token, uint8 decimals);

    /// @notice The list has reached the size of one contract's code.
    error BookIsFull(uint256 entries);

    /// @notice Lists `token` under `symbol` and pins its decimals.
    function list(string calldata symbol, address token) external;

    /// @notice Takes the symbol off the list.
    function unlist(string calldata symbol) external;

    /// @notice Looks up a symbol; `token` is zero if it is unknown.
    function find(bytes32 symbolLower) external view returns (address token, uint8 decimals);

    /// @notice Looks up a token; `symbol` is zero if it is not listed.
    function symbolOf(address token) external view returns (bytes32 symbol, uint8 decimals);

    /// @notice The whole list, in the order of listing.
    function entries()
        external
        view
        returns (bytes32[] memory symbols, address[] memory tokens, uint8[] memory decimals);

    /// @notice A contract whose code is 0x00 and then one 32-byte entry per token: symbol (11
    ///   bytes, zero-padded right), decimals (1 byte), token (20 bytes).
    function pointer() external view returns (address);
}

/// @title An agent that knows tokens by symbols; encoder and decoder ask it for its book
interface ISymbolBookUser {
    /// @notice The agent's symbol book.
    function symbolBook() external view returns (ISymbolBook);
}
