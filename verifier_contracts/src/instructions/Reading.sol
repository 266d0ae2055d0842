// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {BookEntries, SymbolList} from "../encoding/SymbolList.sol";
import {Vocabulary} from "./Codebook.sol";
import {Meanings} from "./Meanings.sol";
import {Scanner} from "./Scanner.sol";

/// @notice A prompt being read.
/// @param next Memory position of the next piece.
/// @param last Where the pieces end.
/// @param original What to add to a position to find the character as it was written.
/// @param symbols The agent's symbol book.
/// @param contacts The agent's contact book.
/// @param vocabulary The model's.
/// @param kinds Memory position of the codes of tokens that are not known by their text.
/// @param start Where the prompt begins.
/// @param features Where the codes go.
/// @param parse Where the next word of the parse goes.
/// @param tokens How many there are.
/// @param numberEnded The piece behind the last number.
struct Reading {
    uint256 next;
    uint256 last;
    uint256 original;
    BookEntries symbols;
    BookEntries contacts;
    Vocabulary vocabulary;
    uint256 kinds;
    uint256 start;
    uint256 features;
    uint256 parse;
    uint256 tokens;
    uint256 numberEnded;
}

/// @title Pieces of a prompt as they are read
/// @notice A piece is a word: meaning and code << 96 | shape << 64 | start << 32 | end. Behind the last
///   one stand zeros.
library PieceWord {
    uint256 internal constant FOUND_SHIFT = 96;
    uint256 private constant MEANING_SHIFT = 144;

    function load(uint256 pos) internal pure returns (uint256 piece) {
        assembly ("memory-safe") {
            piece := mload(pos)
        }
    }

    function store(uint256 pos, uint256 piece) internal pure {
        assembly ("memory-safe") {
            mstore(pos, piece)
        }
    }

    function startOf(uint256 piece) internal pure returns (uint256) {
        return (piece >> 32) & 0xffffffff;
    }

    function endOf(uint256 piece) internal pure returns (uint256) {
        return piece & 0xffffffff;
    }

    function shapeOf(uint256 piece) internal pure returns (uint256) {
        return (piece >> 64) & 3;
    }

    function meaningAt(uint256 pos) internal pure returns (uint256) {
        return (load(pos) >> MEANING_SHIFT) & 0xff;
    }

    /// @notice Whether the piece is the one character `c`.
    function isCharacter(uint256 piece, uint256 c) internal pure returns (bool) {
        unchecked {
            uint256 start = startOf(piece);
            return endOf(piece) == start + 1 && Scanner.character(start) == c;
        }
    }

    /// @notice "for" or "from".
    function isForOrFrom(uint256 piece) internal pure returns (bool) {
        unchecked {
            uint256 start = startOf(piece);
            uint256 length = endOf(piece) - start;
            if (length == 3) return load(start) >> 232 == 0x666f72;
            return length == 4 && load(start) >> 224 == 0x66726f6d;
        }
    }

    /// @notice Whether pieces from `pos` on are "and a half".
    function hasHalf(uint256 pos) internal pure returns (bool) {
        unchecked {
            return meaningAt(pos) == Meanings.AND && meaningAt(pos + 32) == Meanings.ARTICLE
                && meaningAt(pos + 64) == Meanings.HALF;
        }
    }

    /// @notice The symbol book's entry of a word; zero for other pieces and unlisted words.
    function symbolOf(Reading memory r, uint256 piece) internal pure returns (uint256) {
        if (shapeOf(piece) != Scanner.WORD) return 0;
        return SymbolList.findWord(r.symbols, startOf(piece), endOf(piece));
    }
}
