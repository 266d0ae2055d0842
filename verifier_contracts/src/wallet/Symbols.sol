// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ISymbolBook} from "../interfaces/ISymbolBook.sol";

/// @title What may be a token symbol
library Symbols {
    uint256 internal constant MIN_LENGTH = 2;
    uint256 internal constant MAX_LENGTH = 11;

    /// @dev Words with a meaning of their own in prompts, each between blanks. A token that went by
    ///   one of them would change what requests say.
    bytes private constant RESERVED = " all and any answer as ask at balance balances be by cancel check decline deploy deposit do"
        " each everything fee for free from get give half have how in into is it its lend max me min"
        " money more most move much my no not now of off on or out over part pay please pool pull put"
        " quarter redeem remove report rest return save see send show some supply take tell that the"
        " their them then there they this to token tokens transfer under up us view wallet want we"
        " what where which whole will with withdraw yes you your ";

    /// @notice Lower-case form of a symbol that may be listed, left-aligned.
    function checked(string memory symbol) internal pure returns (bytes32 lower) {
        lower = lowerCase(symbol);
        if (_isReserved(lower)) revert ISymbolBook.ReservedSymbol(symbol);
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
            bool digit = c >= "0" && c <= "9";
            if (!(c >= "a" && c <= "z") && (i == 0 || !digit)) {
                revert ISymbolBook.MalformedSymbol(symbol);
            }
            lower |= bytes32(c) >> (8 * i);
        }
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
