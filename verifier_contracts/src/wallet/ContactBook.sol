// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IContactBook} from "../interfaces/IContactBook.sol";
import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {Symbols} from "./Symbols.sol";

/// @title Names that people may use in place of addresses
/// @notice Laid out as `SymbolBook`, so that an encoder reads both alike; a word that is in both names the
///   token. An owner can list another account under a name at any moment: what protects a signed run
///   from that is its terms (`RunTerms`).
contract ContactBook is IContactBook, Ownable2Step {
    uint256 private constant ENTRY_BYTES = 32;
    uint256 private constant MAX_ENTRIES = 24_575 / ENTRY_BYTES; // code limit less the leading zero
    uint256 private constant NAME_MASK = ~(type(uint256).max >> 88);
    /// @dev Words that mean the agent's owner, beside those that `Symbols` reserves.
    bytes32 private constant MYSELF = "myself";
    bytes32 private constant OWN = "own";

    address private _pointer;

    constructor(address owner_) Ownable(owner_) {
        _pointer = SSTORE2.write("");
    }

    /// @inheritdoc IContactBook
    function list(string calldata name, address account) external onlyOwner {
        bytes32 lower = Symbols.checked(name);
        if (lower == MYSELF || lower == OWN) revert ISymbolBook.ReservedSymbol(name);
        if (account == address(0)) revert ContactWithoutAccount(name);
        bytes32[] memory all = _entries();
        uint256 index = _indexOf(all, lower);
        if (index != all.length) revert ContactAlreadyListed(lower, _account(all[index]));
        if (all.length == MAX_ENTRIES) revert ContactBookIsFull(MAX_ENTRIES);
        _pointer = SSTORE2.write(abi.encodePacked(all, lower | bytes32(uint256(uint160(account)))));
        emit ContactListed(lower, account);
    }

    /// @inheritdoc IContactBook
    function unlist(string calldata name) external onlyOwner {
        bytes32 lower = Symbols.lowerCase(name);
        bytes32[] memory all = _entries();
        uint256 index = _indexOf(all, lower);
        if (index == all.length) revert ContactNotListed(lower);
        address account = _account(all[index]);
        bytes32[] memory kept = new bytes32[](all.length - 1);
        for (uint256 i = 0; i < kept.length; ++i) {
            kept[i] = all[i < index ? i : i + 1];
        }
        _pointer = SSTORE2.write(abi.encodePacked(kept));
        emit ContactUnlisted(lower, account);
    }

    /// @inheritdoc IContactBook
    function find(bytes32 nameLower) external view returns (address account) {
        bytes32[] memory all = _entries();
        uint256 index = _indexOf(all, nameLower);
        return index == all.length ? address(0) : _account(all[index]);
    }

    /// @inheritdoc IContactBook
    function entries() external view returns (bytes32[] memory names, address[] memory accounts) {
        bytes32[] memory all = _entries();
        names = new bytes32[](all.length);
        accounts = new address[](all.length);
        for (uint256 i = 0; i < all.length; ++i) {
            (names[i], accounts[i]) = (all[i] & bytes32(NAME_MASK), _account(all[i]));
        }
    }

    /// @inheritdoc IContactBook
    function pointer() external view returns (address) {
        return _pointer;
    }

    function _entries() private view returns (bytes32[] memory all) {
        bytes memory code = SSTORE2.read(_pointer);
        assembly ("memory-safe") {
            // A byte string of whole words becomes an array of words when its length is counted so.
            mstore(code, shr(5, mload(code)))
            all := code
        }
    }

    /// @dev The number of entries for a name that is not there.
    function _indexOf(bytes32[] memory all, bytes32 name) private pure returns (uint256 index) {
        while (index < all.length && all[index] & bytes32(NAME_MASK) != name) ++index;
    }

    function _account(bytes32 entry) private pure returns (address) {
        return address(uint160(uint256(entry)));
    }
}
