// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {BookEntries} from "../encoding/SymbolList.sol";
import {Tokenizer} from "../encoding/Tokenizer.sol";
import {Books} from "../instructions/Books.sol";
import {Codebook} from "../instructions/Codebook.sol";
import {Meanings} from "../instructions/Meanings.sol";
import {PieceWord, Reading} from "../instructions/Reading.sol";
import {Scanner} from "../instructions/Scanner.sol";
import {Classes} from "./Classes.sol";

/// @notice A prompt as the rules look at it, exactly as `models/reader/view.py`.
/// @param r As the grammar of instructions reads it.
/// @param prompt Where the prompt as it is begins in calldata.
/// @param pieces Where the pieces begin in memory.
/// @param count How many they are.
/// @param tokens What the grammar made of it; see `Literals`.
/// @param isRead Whether that was asked for.
struct View {
    Reading r;
    uint256 prompt;
    uint256 pieces;
    uint256 count;
    uint256[] tokens;
    bool isRead;
}

/// @title Pieces of a prompt, by their number, with what they say
/// @notice Behind the last one and before the first stands nothing.
library Views {
    uint256 internal constant MOST_PIECES = 64;

    uint256 private constant CLASS_SHIFT = 208;
    /// @dev All of a piece but its code.
    uint256 private constant UNCLASSED = 0xffffffffffffffffffffffffffffffffffffffffffffffffffff;
    uint256 private constant HYPHEN = 0x2d;
    uint256 private constant POINT = 0x2e;
    uint256 private constant HYPHENS = HYPHEN * Ascii.ONES;
    /// @dev A blank and ( , ; : [ =
    uint256 private constant BEFORE_SIGN = (1 << 0x20) | (1 << 0x28) | (1 << 0x2c) | (1 << 0x3b)
        | (1 << 0x3a) | (1 << 0x5b) | (1 << 0x3d);
    uint256 private constant ENDS_SENTENCE = (1 << 0x2e) | (1 << 0x3f) | (1 << 0x21);
    uint256 private constant CAPITALS = 0x3ffffff << 0x41;

    /// @notice Looks at a prompt. Reverts with PromptTooLong, PromptNotAscii or TooManyTokens.
    ///   Marks have the classes of words that they were mistaken for until `dropMarkClasses` or `adopt`.
    /// @param v Empty; has it then.
    /// @param lexicon The contract of `models/reader/lexicon.py`'s table.
    /// @param bookless Whether the agent has no symbol book.
    function open(
        View memory v,
        string calldata prompt,
        address lexicon,
        BookEntries symbols,
        BookEntries contacts,
        bool bookless
    ) internal view {
        Reading memory r = v.r;
        (r.symbols, r.contacts, r.bookless) = (symbols, contacts, bookless);
        r.filter = Books.filter(symbols) | Books.filter(contacts);
        unchecked {
            _begin(r, prompt, lexicon);
            uint256 start;
            assembly ("memory-safe") {
                start := add(mload(0x40), 96)
                calldatacopy(sub(start, 96), calldatasize(), 96)
            }
            r.next = start;
            Scanner.scan(r);
            assembly ("memory-safe") {
                let behind := mload(0x40)
                calldatacopy(behind, calldatasize(), 256)
                mstore(0x40, add(behind, 256))
            }
            uint256 offset;
            assembly ("memory-safe") {
                offset := prompt.offset
            }
            (v.prompt, v.pieces, v.count) = (offset, start, (r.last - start) / 32);
            if (v.count > MOST_PIECES) revert Tokenizer.TooManyTokens(MOST_PIECES);
        }
    }

    /// @notice The same of a prompt that somebody else opened, without books.
    /// @param pieces What was made of it there, a word each.
    /// @param origin Where the prompt began there, in lower case.
    function adopt(string calldata prompt, address lexicon, bytes calldata pieces, uint256 origin)
        internal
        pure
        returns (View memory v)
    {
        uint256 count = pieces.length / 32;
        if (count > MOST_PIECES) revert Tokenizer.TooManyTokens(MOST_PIECES);
        Reading memory r = v.r;
        r.filter = type(uint256).max; // whoever has books gives them later
        _begin(r, prompt, lexicon);
        unchecked {
            uint256 by = (r.start - origin) * ((1 << 32) + 1); // start and end of each
            uint256 first;
            assembly ("memory-safe") {
                first := add(mload(0x40), 96)
                calldatacopy(sub(first, 96), calldatasize(), 96)
                let pos := first
                let from := sub(pieces.offset, pos)
                for { let last := add(pos, shl(5, count)) } lt(pos, last) { pos := add(pos, 32) } {
                    let word := add(calldataload(add(pos, from)), by)
                    if and(shr(64, word), 3) { word := and(word, UNCLASSED) }
                    mstore(pos, word)
                }
                calldatacopy(pos, calldatasize(), 384)
                mstore(0x40, add(pos, 384))
                mstore(add(v, 32), prompt.offset)
            }
            (v.pieces, v.count) = (first, count);
            r.last = first + 32 * count;
        }
    }

    /// @dev The prompt in memory, and what words are looked up in.
    function _begin(Reading memory r, string calldata prompt, address lexicon) private pure {
        uint256 room;
        assembly ("memory-safe") {
            room := mload(0x40)
            calldatacopy(room, calldatasize(), 768)
            mstore(0x40, add(room, 768))
        }
        unchecked {
            r.vocabulary = Codebook.open(room, lexicon);
            r.kinds = room + 512; // all zero, and no keys: the lexicon has no parts of words
            Scanner.open(r, prompt);
            _dropSigns(r);
        }
    }

    /// @dev Blanks in place of minus signs of numbers.
    function _dropSigns(Reading memory r) private pure {
        unchecked {
            (uint256 start, uint256 end) = (r.start, r.end);
            for (uint256 pos = start; pos < end; pos += 32) {
                if (Ascii.zeroBytes(PieceWord.load(pos) ^ HYPHENS) == 0) continue;
                uint256 stop = pos + 32 < end ? pos + 32 : end;
                for (uint256 i = pos; i < stop; ++i) {
                    if (Scanner.character(i) != HYPHEN) continue;
                    if (i > start && !Ascii.isIn(BEFORE_SIGN, i - 1)) continue;
                    uint256 digit = i + (Scanner.character(i + 1) == POINT ? 2 : 1);
                    if (Ascii.isIn(Ascii.DIGIT_SET, digit)) _blank(r, i);
                }
            }
        }
    }

    /// @notice Marks are no words, whatever one was mistaken for in the lexicon.
    function dropMarkClasses(View memory v) internal pure {
        assembly ("memory-safe") {
            let pos := mload(add(v, 64))
            for { let last := add(pos, shl(5, mload(add(v, 96)))) } lt(pos, last) {
                pos := add(pos, 32)
            } {
                let word := mload(pos)
                if and(shr(64, word), 3) { mstore(pos, and(word, UNCLASSED)) }
            }
        }
    }

    function _blank(Reading memory r, uint256 pos) private pure {
        uint256 original = r.original;
        uint256 backward = r.backward;
        assembly ("memory-safe") {
            mstore8(pos, 0x20)
            mstore8(add(pos, original), 0x20)
            mstore8(add(sub(backward, pos), 31), 0xa0) // no letter
        }
    }

    /// @notice Piece `i`, as `PieceWord` has it; zero behind the last one and before the first, up to three
    ///   of them before and ten behind.
    function piece(View memory v, uint256 i) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(mload(add(v, 64)), shl(5, i)))
        }
    }

    /// @notice Where a piece starts in memory, in lower case.
    function start(View memory v, uint256 i) internal pure returns (uint256) {
        return PieceWord.startOf(piece(v, i));
    }

    function end(View memory v, uint256 i) internal pure returns (uint256) {
        return PieceWord.endOf(piece(v, i));
    }

    /// @notice Whether it is a word of one of these classes.
    function has(View memory v, uint256 i, uint256 classes) internal pure returns (bool yes) {
        assembly ("memory-safe") {
            let word := mload(add(mload(add(v, 64)), shl(5, i)))
            yes := iszero(iszero(and(shr(208, word), classes)))
        }
    }

    /// @notice The classes of a piece.
    function classesOf(uint256 word) internal pure returns (uint256) {
        return (word >> CLASS_SHIFT) & Classes.ALL;
    }

    /// @notice One if it is, for sums.
    function one(View memory v, uint256 i, uint256 classes) internal pure returns (uint256 yes) {
        assembly ("memory-safe") {
            let word := mload(add(mload(add(v, 64)), shl(5, i)))
            yes := iszero(iszero(and(shr(208, word), classes)))
        }
    }

    function isWord(View memory v, uint256 i) internal pure returns (bool yes) {
        assembly ("memory-safe") {
            let word := mload(add(mload(add(v, 64)), shl(5, i)))
            yes := gt(iszero(and(shr(64, word), 3)), iszero(word))
        }
    }

    function isRun(View memory v, uint256 i) internal pure returns (bool yes) {
        assembly ("memory-safe") {
            yes := eq(and(shr(64, mload(add(mload(add(v, 64)), shl(5, i)))), 3), 1)
        }
    }

    function isMark(View memory v, uint256 i) internal pure returns (bool yes) {
        assembly ("memory-safe") {
            yes := eq(and(shr(64, mload(add(mload(add(v, 64)), shl(5, i)))), 3), 2)
        }
    }

    /// @notice Whether the piece is the one character `c`.
    function isCharacter(View memory v, uint256 i, uint256 c) internal pure returns (bool) {
        return PieceWord.isCharacter(piece(v, i), c);
    }

    /// @notice Whether it is `text` in lower case, of up to 31 characters.
    function says(View memory v, uint256 i, bytes32 text, uint256 length)
        internal
        pure
        returns (bool)
    {
        unchecked {
            uint256 word = piece(v, i);
            uint256 from = PieceWord.startOf(word);
            if (PieceWord.endOf(word) != from + length) return false;
            return (PieceWord.load(from) ^ uint256(text)) >> (256 - 8 * length) == 0;
        }
    }

    /// @notice What a piece of up to 32 characters says in lower case, as a number; zero for a longer one.
    function text(View memory v, uint256 i) internal pure returns (uint256 said) {
        assembly ("memory-safe") {
            let word := mload(add(mload(add(v, 64)), shl(5, i)))
            let from := and(shr(32, word), 0xffffffff)
            said := shr(sub(256, shl(3, sub(and(word, 0xffffffff), from))), mload(from))
        }
    }

    function isCapital(View memory v, uint256 i) internal pure returns (bool) {
        unchecked {
            return isWord(v, i) && Ascii.isIn(CAPITALS, start(v, i) + v.r.original);
        }
    }

    /// @notice Whether one hyphen is all that parts the word from the word before.
    function isHyphened(View memory v, uint256 i) internal pure returns (bool) {
        unchecked {
            if (!isWord(v, i) || !isWord(v, i - 1)) return false;
            uint256 ended = end(v, i - 1);
            return start(v, i) == ended + 1 && Scanner.character(ended) == HYPHEN;
        }
    }

    /// @notice Whether nothing parts the piece from the one before.
    function isGlued(View memory v, uint256 i) internal pure returns (bool) {
        unchecked {
            return i != 0 && i < v.count && end(v, i - 1) == start(v, i);
        }
    }

    /// @notice One to nineteen, or a multiple of ten below a hundred, as a word.
    function isCounted(View memory v, uint256 i) internal pure returns (bool) {
        return Meanings.isIn(Meanings.UNITS | Meanings.TENS, PieceWord.meaningOf(piece(v, i)));
    }

    /// @notice Hundred, thousand, million.
    function isPower(View memory v, uint256 i) internal pure returns (bool) {
        return Meanings.isIn(Meanings.POWERS, PieceWord.meaningOf(piece(v, i)));
    }

    /// @notice How many digits a run begins with, and how many characters stand behind them.
    function digits(View memory v, uint256 i)
        internal
        pure
        returns (uint256 count, uint256 behind)
    {
        if (!isRun(v, i)) return (0, 0);
        unchecked {
            (uint256 pos, uint256 ended) = (start(v, i), end(v, i));
            while (pos + count < ended && Ascii.isIn(Ascii.DIGIT_SET, pos + count)) ++count;
            behind = ended - pos - count;
        }
    }

    /// @notice A run of one or two digits alone.
    function isShort(View memory v, uint256 i) internal pure returns (bool) {
        (uint256 count, uint256 behind) = digits(v, i);
        return (count == 1 || count == 2) && behind == 0;
    }

    /// @notice A run of four digits alone.
    function isYear(View memory v, uint256 i) internal pure returns (bool) {
        (uint256 count, uint256 behind) = digits(v, i);
        return count == 4 && behind == 0;
    }

    /// @notice 13th.
    function isNth(View memory v, uint256 i) internal pure returns (bool) {
        (uint256 count, uint256 behind) = digits(v, i);
        if ((count != 1 && count != 2) || behind != 2) return false;
        unchecked {
            uint256 letters = PieceWord.load(start(v, i) + count) >> 240;
            return letters == 0x7374 || letters == 0x6e64 || letters == 0x7264 || letters == 0x7468;
        }
    }

    /// @notice A mark that ends with . ? or !, but for the point behind a title or an initial.
    function endsSentence(View memory v, uint256 i) internal pure returns (bool) {
        unchecked {
            if (!isMark(v, i) || !Ascii.isIn(ENDS_SENTENCE, end(v, i) - 1)) return false;
            return !(isCharacter(v, i, POINT) && isAbbreviated(v, i - 1));
        }
    }

    /// @notice A word behind which a point belongs to it.
    function isAbbreviated(View memory v, uint256 i) internal pure returns (bool) {
        unchecked {
            if (!isWord(v, i)) return false;
            return has(v, i, Classes.TITLE) || end(v, i) == start(v, i) + 1;
        }
    }

    function beginsSentence(View memory v, uint256 i) internal pure returns (bool) {
        unchecked {
            return i == 0 || endsSentence(v, i - 1);
        }
    }

    /// @notice Whether a number that starts there has a minus sign.
    function isNegative(View memory v, uint256 pos) internal pure returns (bool negative) {
        unchecked {
            uint256 offset = pos - v.r.start;
            if (offset == 0 || Scanner.character(pos - 1) != 0x20) return false;
            uint256 written = v.prompt + offset - 1;
            assembly ("memory-safe") {
                negative := eq(byte(0, calldataload(written)), 0x2d)
            }
        }
    }
}
