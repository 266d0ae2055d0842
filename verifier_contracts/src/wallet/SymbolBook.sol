// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {ISymbolBook} from "../interfaces/ISymbolBook.sol";
import {Symbols} from "./Symbols.sol";

/// @title Token symbols that people may use in place of addresses
/// @notice Every change writes the whole list anew as one contract's code, so that an encoder reads it
///   at one go. Whoever takes the ownership over has to accept it. An owner can list another token under
///   a symbol at any moment: what protects a signed run from that is its terms (`RunTerms`).
contract SymbolBook is ISymbolBook, Ownable2Step {
    uint256 private constant ENTRY_BYTES = 32;
    uint256 private constant MAX_ENTRIES = 24_575 / ENTRY_BYTES; // code limit less the leading zero
    uint8 private constant MAX_DECIMALS = 77; // 10^77 is the largest power of ten in uint256
    uint256 private constant SYMBOL_MASK = ~(type(uint256).max >> 88);

    address private _pointer;

    constructor(address owner_) Ownable(owner_) {
        _pointer = SSTORE2.write("");
    }

    /// @inheritdoc ISymbolBook
    function list(string calldata symbol, address token) external onlyOwner {
        bytes32 lower = Symbols.checked(symbol);
        uint8 decimals = IERC20Metadata(token).decimals();
        if (decimals > MAX_DECIMALS) revert TooManyDecimals(token, decimals);
        bytes32[] memory all = _entries();
        for (uint256 i = 0; i < all.length; ++i) {
            if (_symbol(all[i]) == lower) revert SymbolAlreadyListed(lower, _token(all[i]));
            if (_token(all[i]) == token) revert TokenAlreadyListed(token, _symbol(all[i]));
        }
        if (all.length == MAX_ENTRIES) revert BookIsFull(MAX_ENTRIES);
        bytes32 entry = lower | bytes32(uint256(decimals) << 160 | uint160(token));
        _pointer = SSTORE2.write(abi.encodePacked(all, entry));
        emit SymbolListed(lower, token, decimals);
    }

    /// @inheritdoc ISymbolBook
    function unlist(string calldata symbol) external onlyOwner {
        bytes32 lower = Symbols.lowerCase(symbol);
        bytes32[] memory all = _entries();
        uint256 index = 0;
        while (index < all.length && _symbol(all[index]) != lower) ++index;
        if (index == all.length) revert SymbolNotListed(lower);
        address token = _token(all[index]);
        bytes32[] memory kept = new bytes32[](all.length - 1);
        for (uint256 i = 0; i < kept.length; ++i) {
            kept[i] = all[i < index ? i : i + 1];
        }
        _pointer = SSTORE2.write(abi.encodePacked(kept));
        emit SymbolUnlisted(lower, token);
    }

    /// @inheritdoc ISymbolBook
    function find(bytes32 symbolLower) external view returns (address token, uint8 decimals) {
        bytes32[] memory all = _entries();
        for (uint256 i = 0; i < all.length; ++i) {
            if (_symbol(all[i]) == symbolLower) return (_token(all[i]), _decimals(all[i]));
        }
    }

    /// @inheritdoc ISymbolBook
    function symbolOf(address token) external view returns (bytes32 symbol, uint8 decimals) {
        bytes32[] memory all = _entries();
        for (uint256 i = 0; i < all.length; ++i) {
            if (_token(all[i]) == token) return (_symbol(all[i]), _decimals(all[i]));
        }
    }

    /// @inheritdoc ISymbolBook
    function entries()
        external
        view
        returns (bytes32[] memory symbols, address[] memory tokens, uint8[] memory decimals)
    {
        bytes32[] memory all = _entries();
        symbols = new bytes32[](all.length);
        tokens = new address[](all.length);
        decimals = new uint8[](all.length);
        for (uint256 i = 0; i < all.length; ++i) {
            (symbols[i], tokens[i], decimals[i]) =
            (_symbol(all[i]), _token(all[i]), _decimals(all[i]));
        }
    }

    /// @inheritdoc ISymbolBook
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

    function _symbol(bytes32 entry) private pure returns (bytes32) {
        return entry & bytes32(SYMBOL_MASK);
    }

    function _decimals(bytes32 entry) private pure returns (uint8) {
        return uint8(uint256(entry) >> 160);
    }

    function _token(bytes32 entry) private pure returns (address) {
        return address(uint160(uint256(entry)));
    }
}
