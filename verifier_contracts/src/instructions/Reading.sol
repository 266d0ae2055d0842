// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {BookEntries} from "../encoding/SymbolList.sol";
import {Books} from "./Books.sol";
import {Vocabulary} from "./Codebook.sol";
import {Kinds} from "./Kinds.sol";
import {Meanings} from "./Meanings.sol";
import {Scanner} from "./Scanner.sol";
import {Tokens} from "./Tokens.sol";

/// @notice A prompt being read. Positions are memory addresses, those of characters in the lower-cased
///   copy, which has at least 32 spaces before it and behind it.
/// @param start Where the prompt begins.
/// @param end Where it ends.
/// @param original What to add to a position to find the character as it was written.
/// @param backward Where letters are lies backward: the word at (backward - position) is of the character at
///   the position last, of the following ones before it. What is no letter is 0x80 there, a letter zero.
/// @param bookless Whether the agent has no symbol book.
/// @param symbols The agent's symbol book.
/// @param contacts The agent's contact book.
/// @param filter Of names in either, or all bits; see `SymbolList`.
/// @param vocabulary The model's.
/// @param keys 64 bytes of memory; see `Codebook.findParts`. Zero if no word is looked up by its parts.
/// @param kinds The codes of tokens that are not known by their text.
/// @param next The next piece.
/// @param last Where the pieces end.
/// @param features Where the codes begin.
/// @param code Where the next code goes: codes take the place of pieces that were read.
/// @param parse Where the next word of the parse goes.
/// @param amountEnded The piece behind the last amount but all.
/// @param hasUnknown Whether there is a word that the vocabulary does not have, names left out.
struct Reading {
    uint256 start;
    uint256 end;
    uint256 original;
    uint256 backward;
    bool bookless;
    BookEntries symbols;
    BookEntries contacts;
    uint256 filter;
    Vocabulary vocabulary;
    uint256 keys;
    uint256 kinds;
    uint256 next;
    uint256 last;
    uint256 features;
    uint256 code;
    uint256 parse;
    uint256 amountEnded;
    bool hasUnknown;
}

/// @dev Of a piece, for assembly: it is a token by itself, and its code is in place; the same of one that
///   has a word of the parse, too.
uint256 constant PLAIN_PIECE = 0x40000000000000000;
uint256 constant SAID_PIECE = 0x80000000000000000;
/// @dev Of a word: the vocabulary does not have it; it is a name.
uint256 constant UNKNOWN_PIECE = 1 << 72;
uint256 constant NAMED_PIECE = 1 << 73;

/// @title Pieces of a prompt as they are read
/// @notice A piece is a word: code << 208 | meaning << 200 | named << 73 | unknown << 72 | kind << 68 |
///   said << 67 | plain << 66 | shape << 64 | start << 32 | end; the kind is that of a piece that is said.
///   Behind the last one stand zeros.
library PieceWord {
    uint256 private constant KIND_SHIFT = 68;
    uint256 private constant SHAPE_SHIFT = 64;
    uint256 private constant START_SHIFT = 32;
    uint256 private constant MEANING_SHIFT = 200;

    /// @notice The meaning of a percent sign.
    uint256 internal constant PERCENT = Meanings.PERCENT << MEANING_SHIFT;

    /// @notice Of what was found in the vocabulary, the code alone.
    uint256 internal constant CODE = ~(type(uint256).max >> 48);

    /// @notice What stands at [start, end).
    function piece(uint256 shape, uint256 start, uint256 end) internal pure returns (uint256) {
        return (shape << SHAPE_SHIFT) | (start << START_SHIFT) | end;
    }

    /// @notice The flags of a piece that is a token of this kind, with a word of the parse.
    function said(uint256 kind) internal pure returns (uint256) {
        return SAID_PIECE | (kind << KIND_SHIFT);
    }

    /// @notice Whether it is a symbol or a contact, or is no token by itself.
    function isNamed(uint256 word) internal pure returns (bool) {
        if (word & (SAID_PIECE | PLAIN_PIECE) == 0) return true;
        uint256 kind = (word >> KIND_SHIFT) & 15;
        return kind == Kinds.SYMBOL || kind == Kinds.CONTACT;
    }

    /// @notice A piece that is no token by itself.
    function unsettled(uint256 word) internal pure returns (uint256) {
        return word & ~(SAID_PIECE | PLAIN_PIECE | (15 << KIND_SHIFT));
    }

    /// @notice The piece of a word that is in doubt, with the code of those.
    function doubted(Reading memory r, uint256 word) internal pure returns (uint256) {
        word = (unsettled(word) & ~CODE) | Tokens.codeOf(r, Kinds.DOUBT);
        return word | said(Kinds.DOUBT);
    }

    function load(uint256 pos) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(pos)
        }
    }

    function store(uint256 pos, uint256 word) internal pure {
        assembly ("memory-safe") {
            mstore(pos, word)
        }
    }

    function startOf(uint256 word) internal pure returns (uint256) {
        return (word >> START_SHIFT) & 0xffffffff;
    }

    function endOf(uint256 word) internal pure returns (uint256) {
        return word & 0xffffffff;
    }

    function shapeOf(uint256 word) internal pure returns (uint256) {
        return (word >> SHAPE_SHIFT) & 3;
    }

    function meaningOf(uint256 word) internal pure returns (uint256) {
        return (word >> MEANING_SHIFT) & 0xff;
    }

    function meaningAt(uint256 pos) internal pure returns (uint256) {
        return meaningOf(load(pos));
    }

    /// @notice Whether the piece is the one character `c`.
    function isCharacter(uint256 word, uint256 c) internal pure returns (bool) {
        unchecked {
            uint256 start = startOf(word);
            return endOf(word) == start + 1 && Scanner.character(start) == c;
        }
    }

    /// @notice "of".
    function isOf(uint256 word) internal pure returns (bool) {
        unchecked {
            uint256 start = startOf(word);
            return endOf(word) == start + 2 && load(start) >> 240 == 0x6f66;
        }
    }

    /// @notice "cent".
    function isCent(uint256 word) internal pure returns (bool) {
        unchecked {
            uint256 start = startOf(word);
            return endOf(word) == start + 4 && load(start) >> 224 == 0x63656e74;
        }
    }

    /// @notice A run of digits, and no address.
    function isRun(uint256 word) internal pure returns (bool) {
        unchecked {
            return shapeOf(word) == Scanner.RUN && Scanner.character(startOf(word) + 1) != 0x78;
        }
    }

    /// @notice "for" or "from".
    function isForOrFrom(uint256 word) internal pure returns (bool) {
        unchecked {
            uint256 start = startOf(word);
            uint256 length = endOf(word) - start;
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
    function symbolOf(Reading memory r, uint256 word) internal pure returns (uint256) {
        if (shapeOf(word) != Scanner.WORD) return 0;
        return Books.findWord(r.symbols, startOf(word), endOf(word));
    }
}
