// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "./Ascii.sol";
import {Checksum} from "./Checksum.sol";
import {BookEntries, SymbolList} from "./SymbolList.sol";
import {Texts} from "./Texts.sol";

/// @title From the text of an asset, a symbol or an address, to the token
library Assets {
    uint256 private constant ADDRESS_LENGTH = 42;
    uint256 private constant ZERO_X = 0x3078;
    uint256 private constant MAX_DECIMALS = 77; // 10 ** 77 is the largest power within 256 bits
    bytes4 private constant DECIMALS = 0x313ce567; // decimals()

    /// @notice The token is not in the symbol book and does not tell its decimals, or has more than
    ///   77: list it first.
    error UnknownDecimals(address token);

    /// @notice The token that `text`, a listed symbol or an address, names, and its entry in the
    ///   book, zero if it has none.
    function find(BookEntries symbols, uint256 text)
        internal
        pure
        returns (address token, uint256 entry)
    {
        if (_isAddress(text)) {
            token = parseAddress(text);
            return (token, SymbolList.findToken(symbols, token));
        }
        entry = _findSymbol(symbols, text);
        return (SymbolList.tokenOf(entry), entry);
    }

    /// @notice The address that `text`, 0x and 40 hex digits, stands for.
    function parseAddress(uint256 text) internal pure returns (address) {
        return Checksum.parse(Texts.word(text, 2), Texts.word(text, 34));
    }

    /// @notice Whether `unit`, the unit of a balance, names `token`.
    function isUnitOf(BookEntries symbols, uint256 unit, address token)
        internal
        pure
        returns (bool)
    {
        if (_isAddress(unit)) {
            (uint256 w, uint256 v) = (Texts.word(unit, 2), Texts.word(unit, 34));
            return Checksum.isHex(w, v) && Checksum.parse(w, v) == token;
        }
        uint256 entry = _findSymbol(symbols, unit);
        return entry != 0 && SymbolList.tokenOf(entry) == token;
    }

    /// @notice The decimals of `token`: as listed, or else as the token tells.
    function decimalsOf(address token, uint256 entry) internal view returns (uint8) {
        if (entry != 0) return SymbolList.decimalsOf(entry);
        bool known;
        uint256 decimals;
        assembly ("memory-safe") {
            mstore(0, DECIMALS)
            known := staticcall(gas(), token, 0, 4, 0, 32)
            known := and(known, gt(returndatasize(), 31))
            decimals := mload(0)
        }
        if (!known || decimals > MAX_DECIMALS) revert UnknownDecimals(token);
        return uint8(decimals);
    }

    function _isAddress(uint256 text) private pure returns (bool) {
        return Texts.lengthOf(text) == ADDRESS_LENGTH && Texts.word(text, 0) >> 240 == ZERO_X;
    }

    /// @dev Letters and digits of either case, and after them anything.
    function _findSymbol(BookEntries symbols, uint256 text) private pure returns (uint256) {
        uint256 length = Texts.lengthOf(text);
        uint256 w = Ascii.lower(Ascii.head(Texts.word(text, 0), length));
        assembly ("memory-safe") {
            mstore(0, w)
        }
        return SymbolList.findWord(symbols, 0, length);
    }
}
