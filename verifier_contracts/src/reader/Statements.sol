// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {Classes} from "./Classes.sol";
import {MoodWords} from "./MoodWords.sol";
import {View, Views} from "./View.sol";

/// @title Which prompts of one clause tell something, exactly as `models/reader/statements.py`
/// @notice "The company deposits 5", "Tom is about to".
library Statements {
    using Views for View;

    /// @dev . ? ! , ;
    uint256 private constant ENDS =
        (1 << 0x2e) | (1 << 0x3f) | (1 << 0x21) | (1 << 0x2c) | (1 << 0x3b);
    uint256 private constant COLON = 0x3a;
    uint256 private constant ED = 0x6564;
    uint256 private constant ING = 0x696e67;
    uint256 private constant LL = 0x276c6c;
    uint256 private constant S = 0x73;
    uint256 private constant MARK = 2;
    uint256 private constant CLASS_SHIFT = 208;
    /// @dev Letters of "we".
    uint256 private constant LONGEST_WE = 2;
    /// @dev Behind all pieces.
    uint256 private constant NONE = 1 << 128;

    /// @param quoted Pieces that are no part of what is told.
    function isOne(View memory v, uint256 quoted) internal pure returns (bool) {
        unchecked {
            uint256 at;
            while (at < v.count && (v.has(at, Classes.LEAD) || v.isMark(at))) ++at;
            uint256 ends = ENDS;
            if (v.has(at, Classes.WHOSE)) {
                at = _told(v, at + 2, quoted);
            } else {
                if (tail(v, at) == 0) ends |= 1 << COLON;
                at = _verb(v, at);
            }
            if (at >= v.count || _goesOn(v, at, ends)) return false;
            return v.has(at, Classes.DID | Classes.DOES) || v.text(at + 1) != MoodWords.TO;
        }
    }

    /// @notice Whether a mark has one of these characters.
    function holds(View memory v, uint256 i, uint256 characters) internal pure returns (bool) {
        unchecked {
            uint256 end = v.end(i);
            for (uint256 pos = v.start(i); pos < end; ++pos) {
                if (Ascii.isIn(characters, pos)) return true;
            }
            return false;
        }
    }

    /// @notice The last three letters of a word of no class, or all of a shorter one; zero of anything else.
    function tail(View memory v, uint256 i) internal pure returns (uint256 letters) {
        unchecked {
            if (v.has(i, Classes.ALL) || !v.isWord(i)) return 0;
            return lettersOf(v.piece(i));
        }
    }

    /// @notice The last three letters of a piece that is a word, or all of a shorter one.
    function lettersOf(uint256 word) internal pure returns (uint256 letters) {
        unchecked {
            uint256 end = PieceWord.endOf(word);
            uint256 length = end - PieceWord.startOf(word);
            letters = PieceWord.load(end - 3) >> 232;
            if (length < 3) letters &= (1 << (8 * length)) - 1;
        }
    }

    /// @dev Where the verb of a statement is that begins without an article, behind all pieces if there is none:
    ///   paid bob, I'm paying, it is, 5 got, Tom'll, Tom is, Tom just paid, Carol voted on, Rex and Tom own.
    function _verb(View memory v, uint256 first) private pure returns (uint256) {
        unchecked {
            if (v.has(first, Classes.DID)) return first;
            uint256 said = v.text(first);
            uint256 at = first + 1;
            if (said == MoodWords.I_AM || said == MoodWords.WE_ARE) {
                return tail(v, at) == ING ? first : NONE;
            }
            if (MoodWords.isWe(said)) {
                if (v.has(at, Classes.DOES)) return at;
                said = v.text(at);
                if (said != MoodWords.AM && said != MoodWords.ARE) return NONE;
                return tail(v, at + 1) == ING ? at : NONE;
            }
            uint256 letters = tail(v, first);
            if (letters == LL) return first;
            if (v.isRun(first) || v.isCounted(first)) {
                if (tail(v, at) != 0 || v.has(at, Classes.COIN)) ++at;
                return v.has(at, Classes.DID) ? at : NONE;
            }
            at = _behind(v, first);
            bool speaks = _speaks(v, at);
            if (letters == 0) {
                if (said != MoodWords.IT && said != MoodWords.THERE) return NONE;
                return speaks || v.text(at) == MoodWords.ARE ? at : NONE;
            }
            if (speaks) return at;
            letters = tail(v, at);
            if (letters & 0xffff == ED) return tail(v, at + 1) == 0 ? at : NONE;
            if (letters == 0) {
                if (!v.has(at, Classes.AND) || tail(v, ++at) == 0) return NONE;
            }
            at = _behind(v, at);
            return _speaks(v, at) ? at : NONE;
        }
    }

    /// @dev The place behind one, and behind "just" there.
    function _behind(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            return v.text(++at) == MoodWords.JUST ? at + 1 : at;
        }
    }

    /// @dev Is, paid, stays, but not should.
    function _speaks(View memory v, uint256 i) private pure returns (bool) {
        return v.has(i, Classes.SAYS) && !v.has(i, Classes.DUE);
    }

    /// @dev Where the first verb is; the number of pieces if nothing is told.
    function _told(View memory v, uint256 at, uint256 quoted) private pure returns (uint256) {
        unchecked {
            uint256 count = v.count;
            for (; at < count; ++at) {
                if (v.isMark(at)) {
                    if (holds(v, at, ENDS)) return count;
                    continue;
                }
                if (v.has(at, Classes.DUE) || MoodWords.isWe(v.text(at))) return count;
                if ((quoted >> at) & 1 == 0 && _isVerb(v, at)) return at;
            }
            return at;
        }
    }

    /// @dev Is, voted, paid; deposits, before what is no preposition.
    function _isVerb(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            if (v.has(i, Classes.SAYS)) return true;
            uint256 letters = tail(v, i);
            if (letters == 0) {
                uint256 text = v.text(i);
                return v.has(i, Classes.ALL) && (text == MoodWords.ARE || text == MoodWords.HAVE);
            }
            if (letters & 0xffff == ED) return true;
            if (letters & 0xff != S) return false;
            ++i;
            return v.isRun(i) || v.isCounted(i) || v.has(i, Classes.WHOSE)
                || v.text(i) == MoodWords.ME || v.isCharacter(i, COLON);
        }
    }

    /// @dev Please, need, I, or another clause than "thanks".
    function _goesOn(View memory v, uint256 at, uint256 ends) private pure returns (bool) {
        unchecked {
            bool ended;
            uint256 count = v.count;
            while (++at < count) {
                uint256 word = v.piece(at);
                if (PieceWord.shapeOf(word) == MARK) {
                    if (!ended) ended = holds(v, at, ends);
                    continue;
                }
                if (ended && !v.has(at, Classes.LEAD)) return true;
                if (word & (Classes.DUE << CLASS_SHIFT) != 0) return true;
                if (PieceWord.endOf(word) - PieceWord.startOf(word) > LONGEST_WE) continue;
                if (MoodWords.isWe(v.text(at))) return true;
            }
            return false;
        }
    }
}
