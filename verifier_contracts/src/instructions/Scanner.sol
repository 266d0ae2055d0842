// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii, FLAGS, FLAG_INDEX} from "../encoding/Ascii.sol";
import {PromptText} from "../encoding/PromptText.sol";
import {SymbolList} from "../encoding/SymbolList.sol";
import {Books} from "./Books.sol";
import {BUCKETS, COPIES, Codebook, LANES, LANE_FLAGS, Vocabulary} from "./Codebook.sol";
import {Kinds} from "./Kinds.sol";
import {Meanings, PLAIN_MEANINGS} from "./Meanings.sol";
import {NAMED_PIECE, PLAIN_PIECE, PieceWord, Reading, UNKNOWN_PIECE} from "./Reading.sol";
import {Tokens} from "./Tokens.sol";

uint256 constant SPACE = 0x20;
/// @dev All but digits and the apostrophe, which go on with a word behind its letters, or may: bit c of the
///   set is character c. A number, for assembly.
uint256 constant END_SET = 0xfffffffffffffffffffffffffffffffffffffffffffffffffc00ff7fffffffff;

/// @title A prompt's bytes to pieces, exactly as `models/instructions/scanner.py`
library Scanner {
    uint256 internal constant WORD = 0;
    uint256 internal constant RUN = 1;
    uint256 internal constant MARK = 2;

    uint256 internal constant POINT = 0x2e;
    uint256 internal constant PERCENT = 0x25;
    /// @dev What a possessive ends with: 's
    uint256 private constant POSSESSIVE = 0x2773;
    /// @dev "to", and a blank.
    uint256 private constant TO = 0x746f20;
    uint256 private constant APOSTROPHE = 0x27;
    uint256 private constant HYPHEN = 0x2d;
    /// @dev Printable characters that are no letters, digits or spaces.
    uint256 private constant MARK_SET = (type(uint128).max >> 1) & ~(Ascii.ALNUM_SET | 0x1ffffffff);
    /// @dev Letters of a word that is looked up by its first and last ones, too.
    uint256 private constant STARTED = 4;
    /// @dev Zero words behind the pieces: as many as are looked at at once.
    uint256 private constant ZEROS = 4;

    /// @notice Puts `prompt` into memory: as it is, and in lower case, each with spaces behind it; then,
    ///   backward, where its letters are.
    ///   Reverts with PromptTooLong or PromptNotAscii.
    function open(Reading memory r, string calldata prompt) internal pure {
        uint256 length = bytes(prompt).length;
        if (length > PromptText.MAX_CHARACTERS) {
            revert PromptText.PromptTooLong(length, PromptText.MAX_CHARACTERS);
        }
        unchecked {
            uint256 room = (length & ~uint256(31)) + 64;
            uint256 spaces = Ascii.SPACES;
            uint256 written;
            assembly ("memory-safe") {
                written := mload(0x40)
                calldatacopy(written, prompt.offset, length)
                mstore(0x40, add(written, mul(3, room)))
                // Spaces behind both copies, no letters behind the third: what of these is not behind
                // is written over.
                let end := add(written, length)
                mstore(end, spaces)
                mstore(add(end, 32), spaces)
                end := add(end, room)
                mstore(end, spaces)
                mstore(add(end, 32), spaces)
                end := add(written, shl(1, room))
                mstore(end, FLAGS)
                mstore(add(end, 32), FLAGS)
            }
            uint256 backward = written + 3 * room;
            for (uint256 pos = written; pos < written + length; pos += 32) {
                uint256 w = PieceWord.load(pos);
                uint256 bad = Ascii.unprintable(w);
                if (bad != 0) {
                    revert PromptText.PromptNotAscii(pos + Ascii.first(bad) - written);
                }
                w = Ascii.lower(w);
                backward -= 32;
                PieceWord.store(pos + room, w);
                PieceWord.store(backward, Ascii.reverse(Ascii.others(w)));
            }
            r.start = written + room;
            r.end = written + room + length;
            r.original = 0 - room;
            r.backward = written + 3 * room - 32 + r.start;
        }
    }

    /// @notice Writes the prompt's pieces from `r.next` on, in free memory, and takes that.
    function scan(Reading memory r) internal view {
        unchecked {
            (uint256 pos, uint256 next, uint256 known) = _plainWords(r, r.start, r.next);
            while (pos < r.end) {
                uint256 piece;
                if (known == 0) {
                    piece = _piece(r, pos);
                    pos = PieceWord.endOf(piece);
                } else {
                    piece = word(r, pos, uint32(known), known);
                    pos = uint32(known);
                }
                if (character(pos) == SPACE) ++pos;
                if (piece > type(uint32).max) {
                    if (Meanings.isIn(Meanings.COUNTED, PieceWord.meaningOf(piece))) {
                        _noArticle(next - 32);
                    }
                    PieceWord.store(next, piece);
                    next += 32;
                }
                (pos, next, known) = _plainWords(r, pos, next);
            }
            r.last = next;
            uint256 zeros = 32 * ZEROS;
            assembly ("memory-safe") {
                calldatacopy(next, calldatasize(), zeros)
                mstore(0x40, add(next, zeros))
            }
        }
    }

    /// @dev Where the spaces at `pos` end, at `end` at last.
    function _behindSpaces(uint256 pos, uint256 end) private pure returns (uint256) {
        unchecked {
            while (pos < end && character(pos) == SPACE) ++pos;
            return pos;
        }
    }

    /// @dev A hundred: if the piece at `pos` is an article, it is no token by itself.
    function _noArticle(uint256 pos) private pure {
        uint256 piece = PieceWord.load(pos);
        if (PieceWord.meaningOf(piece) == Meanings.ARTICLE) {
            PieceWord.store(pos, PieceWord.unsettled(piece));
        }
    }

    /// @dev Takes listed words that are tokens by themselves, with or without a space behind them, up to
    ///   the end or to what needs a closer look. Has `Codebook.find` in it. Called from two places, it is not
    ///   inlined where much else is on the stack, and takes a sixth less for that.
    /// @return stopped Where it stopped.
    /// @return free Where the next piece goes.
    /// @return known If it stopped at a word whose end is certain, that end, and what is listed of the
    ///   word, if anything is; otherwise zero.
    function _plainWords(Reading memory r, uint256 pos, uint256 next)
        private
        view
        returns (uint256 stopped, uint256 free, uint256 known)
    {
        uint256 backward = r.backward;
        uint256 vocabulary = Vocabulary.unwrap(r.vocabulary);
        uint256 filter = ~r.filter;
        assembly ("memory-safe") {
            let chunk := mload(vocabulary)
            for {} 1 {} {
                // `Ascii.behindLast` of what is no letter
                let ends := mload(sub(backward, pos))
                ends := byte(0, mul(FLAG_INDEX, and(ends, sub(0, ends))))
                if iszero(ends) { break }
                let h := keccak256(pos, ends)
                ends := add(pos, ends)
                extcodecopy(chunk, 0, shl(5, mod(shr(32, h), BUCKETS)), 32)
                let bucket := mload(0)
                if and(xor(shr(56, bucket), h), 0xffffff) {
                    // most words are their bucket's first
                    let copies := mul(and(h, 0xffffff), COPIES)
                    let same
                    for {} 1 {} {
                        same := and(xor(bucket, copies), LANES)
                        same := and(not(add(same, LANES)), LANE_FLAGS)
                        if same { break }
                        if iszero(and(shr(add(240, and(shr(24, h), 7)), bucket), 1)) {
                            break
                        }
                        extcodecopy(
                            mload(add(vocabulary, add(32, and(shr(120, h), 0xe0)))),
                            0,
                            shl(5, mod(shr(128, h), BUCKETS)),
                            32
                        )
                        bucket := shr(16, shl(16, mload(0))) // nothing overflows from here
                    }
                    bucket := div(bucket, shr(80, and(same, sub(0, same))))
                }
                h := shl(200, bucket)
                let plain :=
                    and(
                        and(
                            // 211: `SymbolList.FILTER_BITS`
                            shr(mod(shr(240, mload(pos)), 211), filter),
                            shr(byte(6, h), PLAIN_MEANINGS)
                        ),
                        gt(h, 0)
                    )
                let behind := byte(0, mload(ends))
                let space := eq(behind, SPACE)
                if iszero(and(plain, space)) {
                    if iszero(and(shr(behind, END_SET), 1)) { break }
                    if iszero(plain) {
                        known := or(h, ends)
                        break
                    }
                }
                mstore(next, or(or(h, PLAIN_PIECE), or(shl(32, pos), ends)))
                next := add(next, 32)
                pos := add(ends, space)
            }
        }
        return (pos, next, known);
    }

    /// @dev The piece at `pos`; of spaces and of a hyphen that only parts letters, nothing but where they end.
    function _piece(Reading memory r, uint256 pos) private view returns (uint256) {
        unchecked {
            if (character(pos) == SPACE) return _behindSpaces(pos, r.end);
            if (Ascii.isIn(Ascii.LETTER_SET, pos)) return _word(r, pos, _wordEnd(pos));
            if (Ascii.isIn(Ascii.DIGIT_SET, pos) || _isLeadingPoint(pos)) {
                return PieceWord.piece(RUN, pos, _runEnd(pos));
            }
            uint256 end = _markEnd(pos);
            if (end == pos + 1 && character(pos) == HYPHEN && _between(Ascii.LETTER_SET, pos)) {
                return end;
            }
            uint256 code = Codebook.find(r.vocabulary, pos, end) & PieceWord.CODE;
            if (code == 0) code = Tokens.codeOf(r, Kinds.WORD);
            if (character(pos) == PERCENT) code |= PieceWord.PERCENT;
            return code | PLAIN_PIECE | PieceWord.piece(MARK, pos, end);
        }
    }

    /// @dev The piece of a word that may have an apostrophe.
    function _word(Reading memory r, uint256 start, uint256 end) private view returns (uint256) {
        uint256 piece = word(r, start, end, 0);
        if (!isPossessive(r, start, end) || PieceWord.isNamed(piece)) return piece;
        return PieceWord.doubted(r, piece);
    }

    /// @notice The piece of a word, with what is known of it.
    /// @param known Zero if it was not looked up; otherwise what came of that in the highest bits, as from
    ///   `Codebook.find`, and anything below.
    function word(Reading memory r, uint256 start, uint256 end, uint256 known)
        internal
        view
        returns (uint256)
    {
        unchecked {
            uint256 piece = PieceWord.piece(WORD, start, end);
            uint256 found = (known >> 200) << 200;
            if (known == 0) found = Codebook.find(r.vocabulary, start, end);
            uint256 meaning = PieceWord.meaningOf(found);
            if (!Meanings.isIn(Meanings.ALONE, meaning)) return found | piece;
            uint256 kind = nameOf(r, start, end);
            if (kind != Kinds.WORD) {
                found = (found & ~PieceWord.CODE) | Tokens.codeOf(r, kind);
                return found | PieceWord.said(kind) | NAMED_PIECE | piece;
            }
            if (meaning == Meanings.OWNER) return found | PieceWord.said(Kinds.OWNER) | piece;
            if (found == 0) {
                r.hasUnknown = true;
                piece |= UNKNOWN_PIECE;
                if (end - start >= STARTED && r.keys != 0) {
                    found = Codebook.findParts(r.vocabulary, start, end, r.keys) & PieceWord.CODE;
                }
            }
            if (found == 0) found = Tokens.codeOf(r, Kinds.WORD);
            return found | PLAIN_PIECE | piece;
        }
    }

    /// @notice SYMBOL, CONTACT, or WORD for a word that is in no book.
    function nameOf(Reading memory r, uint256 start, uint256 end) internal pure returns (uint256) {
        if (!Books.mayList(r.filter, start)) return Kinds.WORD;
        if (Books.findWord(r.symbols, start, end) != 0) return Kinds.SYMBOL;
        // A name that a foreign book lists without an account is nobody's.
        return Books.findWord(r.contacts, start, end) << 96 != 0 ? Kinds.CONTACT : Kinds.WORD;
    }

    /// @notice Whether a word that is no name is one's to whom something goes: to bob's. That may be bob,
    ///   or anybody of his.
    function isPossessive(Reading memory r, uint256 start, uint256 end)
        internal
        pure
        returns (bool)
    {
        unchecked {
            if (PieceWord.load(end - 2) >> 240 != POSSESSIVE) return false;
            if (PieceWord.load(start - 3) >> 232 != TO) return false;
            return Books.findWord(r.contacts, start, end - 2) << 96 != 0;
        }
    }

    function _wordEnd(uint256 pos) private pure returns (uint256) {
        unchecked {
            while (true) {
                pos = _alnumEnd(pos);
                if (character(pos) != APOSTROPHE || !_between(Ascii.LETTER_SET, pos)) return pos;
                ++pos;
            }
            return pos;
        }
    }

    function _runEnd(uint256 pos) private pure returns (uint256) {
        unchecked {
            ++pos;
            while (true) {
                pos = _digitsEnd(pos);
                if (Ascii.isIn(Ascii.LETTER_SET, pos)) pos = _alnumEnd(pos);
                if (!Ascii.isIn(MARK_SET, pos)) return pos;
                if (!_between(Ascii.DIGIT_SET, pos)) break;
                ++pos;
            }
            return character(pos) == PERCENT ? pos + 1 : pos;
        }
    }

    function _markEnd(uint256 pos) private pure returns (uint256) {
        unchecked {
            if (character(pos) == PERCENT) return pos + 1;
            ++pos;
            while (Ascii.isIn(MARK_SET, pos) && !_isLeadingPoint(pos)) ++pos;
            return pos;
        }
    }

    /// @dev The first position from `pos` on that has no digit, of which mostly there are a few.
    function _digitsEnd(uint256 pos) private pure returns (uint256) {
        assembly ("memory-safe") {
            for {} lt(sub(byte(0, mload(pos)), 0x30), 10) {} { pos := add(pos, 1) }
        }
        return pos;
    }

    /// @dev The first position from `pos` on that has no letter or digit.
    function _alnumEnd(uint256 pos) private pure returns (uint256) {
        unchecked {
            while (true) {
                uint256 w = PieceWord.load(pos);
                uint256 others = Ascii.others(w) & ~Ascii.digits(w);
                if (others != 0) return pos + Ascii.first(others);
                pos += 32;
            }
            return pos;
        }
    }

    /// @dev A point with a digit behind it, and no letter or digit before it.
    function _isLeadingPoint(uint256 pos) private pure returns (bool) {
        unchecked {
            return character(pos) == POINT && Ascii.isIn(Ascii.DIGIT_SET, pos + 1)
                && !Ascii.isIn(Ascii.ALNUM_SET, pos - 1);
        }
    }

    function _between(uint256 set, uint256 pos) private pure returns (bool) {
        unchecked {
            return Ascii.isIn(set, pos - 1) && Ascii.isIn(set, pos + 1);
        }
    }

    /// @notice The character at `pos`.
    function character(uint256 pos) internal pure returns (uint256 c) {
        assembly ("memory-safe") {
            c := byte(0, mload(pos))
        }
    }
}
