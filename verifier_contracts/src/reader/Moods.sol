// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PieceWord} from "../instructions/Reading.sol";
import {Scanner} from "../instructions/Scanner.sol";
import {Classes} from "./Classes.sol";
import {MoodWords} from "./MoodWords.sol";
import {Statements} from "./Statements.sol";
import {View, Views} from "./View.sol";

/// @title What a prompt asks for now, exactly as `models/reader/mood.py`
library Moods {
    using Views for View;

    /// @notice A refusal, a condition, a report, or nothing.
    uint256 internal constant NOTHING = 0;
    /// @notice What only looks may be called.
    uint256 internal constant QUESTION = 1;
    uint256 internal constant ACT = 2;

    /// @dev . ? ! , ; :
    uint256 private constant CLAUSE_ENDS =
        (1 << 0x2e) | (1 << 0x3f) | (1 << 0x21) | (1 << 0x2c) | (1 << 0x3b) | (1 << 0x3a);
    uint256 private constant QUESTION_MARK = 1 << 0x3f;
    uint256 private constant S = 0x2773;
    uint256 private constant ED = 0x6564;
    uint256 private constant ING = 0x696e67;

    /// @dev What was seen so far.
    struct Seen {
        bool begins;
        bool isPolite;
        bool asks;
        bool tells;
        bool says;
    }

    /// @notice NOTHING for an empty prompt, and for one of quotes alone.
    /// @param quoted Pieces that are quoted: see `Quotes.taken`.
    function moodOf(View memory v, uint256 quoted) internal pure returns (uint256) {
        Seen memory seen;
        seen.begins = true;
        unchecked {
            (uint256 count, uint256 pieces) = (v.count, v.pieces);
            for (uint256 i = 0; i < count; ++i) {
                if ((quoted >> i) & 1 != 0) continue;
                uint256 word = PieceWord.load(pieces + 32 * i);
                uint256 shape = PieceWord.shapeOf(word);
                if (shape == Scanner.MARK) {
                    if (!seen.isPolite && Statements.holds(v, i, QUESTION_MARK)) seen.asks = true;
                    if (!seen.begins) seen.begins = Statements.holds(v, i, CLAUSE_ENDS);
                    continue;
                }
                uint256 classes = Views.classesOf(word);
                if (classes & Classes.MOODS != 0) {
                    if (_refuses(v, i, seen)) return NOTHING;
                } else if (classes == 0 && shape == Scanner.WORD) {
                    _hear(v, i, Statements.lettersOf(word), seen);
                }
                if (classes & Classes.LEAD == 0) (seen.begins, seen.says) = (false, true);
            }
        }
        if (!seen.says) return NOTHING;
        if (seen.asks) return QUESTION;
        return seen.tells || Statements.isOne(v, quoted) ? NOTHING : ACT;
    }

    /// @dev Whether the word refuses; otherwise what it says is seen.
    function _refuses(View memory v, uint256 i, Seen memory seen) private pure returns (bool) {
        unchecked {
            uint256 text = v.text(i);
            uint256 next = v.text(i + 1);
            bool modal = v.has(i, Classes.MODAL);
            bool asking = modal || v.has(i, Classes.QUESTION);
            bool turned = modal && (MoodWords.isWe(next) || MoodWords.isYou(next));
            if (turned || (asking && seen.begins)) {
                if (_inquires(v, i, text, next)) seen.asks = true;
                else if (text != MoodWords.DO && text != MoodWords.HAVE) seen.isPolite = true;
                return false;
            }
            uint256 before = v.text(i - 1);
            if (v.has(i, Classes.ASKED)) {
                if (text == MoodWords.WHEN && !v.has(i + 1, Classes.QUESTION | Classes.MODAL)) {
                    return true;
                }
                if (text != MoodWords.PEOPLE || !_isCounted(v, i)) seen.asks = true;
            }
            if (v.has(i, Classes.HALT) && seen.begins) return true;
            if (v.has(i, Classes.AWAY)) {
                if (text == MoodWords.IF && _isLearning(before)) seen.asks = true;
                else if (!_isNone(v, i, text, seen.says)) return true;
            }
            if (v.has(i, Classes.TELLS)) {
                bool wishes = text == MoodWords.WISH && next == MoodWords.TO;
                if (!wishes || !MoodWords.isWe(before)) seen.tells = true;
            }
            if (asking && MoodWords.isWe(before)) {
                if (text == MoodWords.COULD || text == MoodWords.MIGHT || text == MoodWords.MAY) {
                    seen.tells = true;
                }
            }
            if (v.has(i, Classes.DID) && (text != MoodWords.GOT || next != MoodWords.TO)) {
                if (_isSaidOfUs(v, i)) seen.tells = true;
            }
            return false;
        }
    }

    /// @dev Of a word of no class, by its last letters: Tom's, but not to Tom's; I deposited; thanks for sending.
    function _hear(View memory v, uint256 i, uint256 letters, Seen memory seen) private pure {
        unchecked {
            if (letters & 0xffff == S) {
                if (v.text(i - 1) != MoodWords.TO) seen.asks = true;
            } else if (letters & 0xffff == ED) {
                if (_isSaidOfUs(v, i)) seen.tells = true;
            } else if (letters == ING && v.text(i - 1) == MoodWords.FOR) {
                if (v.text(i - 2) == MoodWords.THANKS || v.text(i - 3) == MoodWords.THANK) {
                    seen.tells = true;
                }
            }
        }
    }

    /// @dev Of a past: I paid, you just sent, we have moved; but not the hotel you chose.
    function _isSaidOfUs(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            do {
                --i;
            } while (v.has(i, Classes.LEAD) || v.text(i) == MoodWords.HAVE);
            if (MoodWords.isWe(v.text(i))) return true;
            return MoodWords.isYou(v.text(i)) && Statements.tail(v, i - 1) == 0;
        }
    }

    /// @dev Could I, is it; but not could you, can I please, do it, have a break.
    function _inquires(View memory v, uint256 i, uint256 text, uint256 next)
        private
        pure
        returns (bool)
    {
        unchecked {
            if (text == MoodWords.DO) {
                if (i + 1 == v.count || v.isMark(i + 1)) return false;
                return next != MoodWords.IT && next != MoodWords.THAT && next != MoodWords.THIS
                    && next != MoodWords.SO;
            }
            if (text == MoodWords.HAVE) return !v.has(i + 1, Classes.WHOSE);
            bool modal = v.has(i, Classes.MODAL);
            if (modal && MoodWords.isYou(next)) return false;
            if (!modal && text != MoodWords.MAY) return true;
            return !MoodWords.isWe(next) || v.text(i + 2) != MoodWords.PLEASE;
        }
    }

    /// @dev Whether a word that refuses does not: "vote no on it" and "no, do it", but not "pay no one"; until the
    ///   5th; at once, soon, and as soon as possible, but not as soon as it rains.
    function _isNone(View memory v, uint256 i, uint256 text, bool says)
        private
        pure
        returns (bool)
    {
        unchecked {
            if (text == MoodWords.NO) {
                if (!says) return v.isMark(i + 1);
                if (!v.isWord(i - 1)) return false;
                ++i;
                return i == v.count || v.isMark(i) || v.has(i, Classes.BETWEEN);
            }
            if (text == MoodWords.UNTIL || text == MoodWords.TILL) {
                i += 1 + v.one(i + 1, Classes.THE);
                return v.isRun(i) || v.has(i, Classes.TIMES);
            }
            if (text == MoodWords.ONCE) return v.text(i - 1) == MoodWords.AT;
            if (text != MoodWords.SOON) return false;
            if (v.text(i - 1) != MoodWords.AS || v.text(i + 1) != MoodWords.AS) return true;
            return v.text(i + 2) == MoodWords.POSSIBLE;
        }
    }

    /// @dev People, for two.
    function _isCounted(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            return (v.isRun(i - 1) || v.isCounted(i - 1)) && v.has(i - 2, Classes.LINK | Classes.OF);
        }
    }

    /// @dev Behind which "if" is whether.
    function _isLearning(uint256 text) private pure returns (bool) {
        return text == MoodWords.SEE || text == MoodWords.KNOW || text == MoodWords.CHECK
            || text == MoodWords.ME;
    }
}
