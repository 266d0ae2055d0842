// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {BookEntries, SymbolList} from "../encoding/SymbolList.sol";
import {Books} from "../instructions/Books.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {WordCuts} from "./WordCuts.sol";

/// @notice What a parameter's numbers count in.
/// @param kind Of `Units`.
/// @param decimals How many of the smallest parts are one, as a power of ten.
/// @param token Of SYMBOL.
struct Unit {
    uint256 kind;
    uint256 decimals;
    address token;
}

/// @title What a parameter counts in, by the words of its name and description, as `models/reader/units.py`
library Units {
    uint256 internal constant ONES = 0;
    uint256 internal constant DECIMALS = 1;
    uint256 internal constant SYMBOL = 2;
    uint256 internal constant PERCENT = 3;
    uint256 internal constant BASIS = 4;
    uint256 internal constant MAX_DECIMALS = 77;

    /// @notice The unit that a parameter's name and description tell.
    function unitOf(bytes memory said, BookEntries symbols)
        internal
        pure
        returns (Unit memory unit)
    {
        uint256[] memory words = WordCuts.split(said);
        unchecked {
            for (uint256 i = 1; i < words.length; ++i) {
                if (_is(words[i], "decimals", 8)) {
                    (bool known, uint256 places) = _placesOf(words[i - 1]);
                    if (known) return Unit(DECIMALS, places, address(0));
                }
                bool points = _is(words[i], "points", 6) && _is(words[i - 1], "basis", 5);
                if (points) return Unit(BASIS, 0, address(0));
            }
            for (uint256 i = 0; i < words.length; ++i) {
                uint256 word = words[i];
                if (_is(word, "bps", 3) || _is(word, "bips", 4) || _is(word, "bp", 2)) {
                    return Unit(BASIS, 0, address(0));
                }
            }
            for (uint256 i = 0; i < words.length; ++i) {
                uint256 word = words[i];
                if (_is(word, "percent", 7) || _is(word, "percentage", 10) || _is(word, "pct", 3)) {
                    return Unit(PERCENT, 0, address(0));
                }
            }
            return _listed(words, symbols);
        }
    }

    /// @dev The one token whose symbol is among them.
    function _listed(uint256[] memory words, BookEntries symbols)
        private
        pure
        returns (Unit memory unit)
    {
        Unit memory ones;
        for (uint256 i = 0; i < words.length; ++i) {
            uint256 entry = Books.findWord(symbols, words[i] >> 32, words[i] & 0xffffffff);
            if (entry == 0) continue;
            address token = SymbolList.tokenOf(entry);
            if (unit.kind == ONES) unit = Unit(SYMBOL, SymbolList.decimalsOf(entry), token);
            else if (unit.token != token) return ones;
        }
    }

    /// @dev A number up to 77.
    function _placesOf(uint256 word) private pure returns (bool, uint256 places) {
        unchecked {
            (uint256 start, uint256 end) = (word >> 32, word & 0xffffffff);
            if (end > start + 2) return (false, 0);
            for (; start < end; ++start) {
                uint256 digit = (PieceWord.load(start) >> 248) - 0x30;
                if (digit > 9) return (false, 0);
                places = 10 * places + digit;
            }
            return (places <= MAX_DECIMALS, places);
        }
    }

    function _is(uint256 word, bytes32 text, uint256 length) private pure returns (bool) {
        unchecked {
            uint256 start = word >> 32;
            if ((word & 0xffffffff) - start != length) return false;
            return (PieceWord.load(start) ^ uint256(text)) >> (256 - 8 * length) == 0;
        }
    }
}
