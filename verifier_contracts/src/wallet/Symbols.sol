// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ISymbolBook} from "../interfaces/ISymbolBook.sol";

/// @title What may be a token symbol
library Symbols {
    uint256 internal constant MIN_LENGTH = 2;
    uint256 internal constant MAX_LENGTH = 11;

    /// @dev Words with a meaning of their own in prompts, each between blanks: orders and the words
    ///   around them, numbers, units and parts. A token that went by one of them would change what
    ///   requests say. `models/encoding/symbols.py` has the same.
    bytes private constant RESERVED = " about all an and answer any approx around as ask at balance balances basis be bil"
        " billion billions bips bln bn bp bps by cancel cent cents check couple crore decline"
        " deploy deposit do dollar dollars double dozen each eight eighty eleven equal equals"
        " ether everything fee few fifth fifty finney first five for forty four fourth free"
        " from gas get give grand gwei half halves have how hundred hundreds in into is it its"
        " kk kwei lac lakh lamport lamports least lend less max me mil mill million millions"
        " min minus mio mln mm mn money more most move much mwei my nine ninety no not now of"
        " off on once one or out over part pay pc pct per percent percentage please plus"
        " points pool ppm pull put pwei quarter quarters redeem remove report rest return"
        " roughly sat satoshi satoshis sats save second see send seven seventy several show"
        " single six sixty some supply szabo take tell ten tenth tenths th than that the their"
        " them then there they third thirds thirty this thousand thousands three thrice times"
        " tn to token tokens tr transfer trillion trillions triple trn twei twelve twenty"
        " twice two under up us view wallet want we wei what where which whole will with"
        " withdraw yes you your zero ";

    /// @notice Lower-case form of a symbol that may be listed, left-aligned.
    function checked(string memory symbol) internal pure returns (bytes32 lower) {
        lower = lowerCase(symbol);
        if (_isReserved(lower) || _continuesNumber(lower)) {
            revert ISymbolBook.ReservedSymbol(symbol);
        }
    }

    /// @notice Lower-case form of a well-formed symbol, left-aligned.
    function lowerCase(string memory symbol) internal pure returns (bytes32 lower) {
        bytes memory b = bytes(symbol);
        if (b.length < MIN_LENGTH || b.length > MAX_LENGTH) {
            revert ISymbolBook.MalformedSymbol(symbol);
        }
        for (uint256 i = 0; i < b.length; ++i) {
            bytes1 c = b[i];
            if (c >= "A" && c <= "Z") c |= 0x20;
            if (!(c >= "a" && c <= "z") && (i == 0 || !_isDigit(c))) {
                revert ISymbolBook.MalformedSymbol(symbol);
            }
            lower |= bytes32(c) >> (8 * i);
        }
    }

    /// @dev What, glued to a number, is read as a part of it: an exponent (1e18, 1e18usdc) or a factor
    ///   (2x10).
    function _continuesNumber(bytes32 lower) private pure returns (bool) {
        if (!_isDigit(lower[1])) return false;
        if (lower[0] == "e") return true;
        if (lower[0] != "x") return false;
        for (uint256 i = 2; i < MAX_LENGTH; ++i) {
            if (lower[i] != 0 && !_isDigit(lower[i])) return false;
        }
        return true;
    }

    function _isDigit(bytes1 c) private pure returns (bool) {
        return c >= "0" && c <= "9";
    }

    /// @dev Compares every run between blanks with the symbol, zero-padded.
    function _isReserved(bytes32 lower) private pure returns (bool) {
        bytes memory words = RESERVED;
        bytes32 word;
        uint256 length = 0;
        for (uint256 i = 1; i < words.length; ++i) {
            if (words[i] != " ") {
                word |= bytes32(words[i]) >> (8 * length++);
                continue;
            }
            if (word == lower) return true;
            (word, length) = (0, 0);
        }
        return false;
    }
}
