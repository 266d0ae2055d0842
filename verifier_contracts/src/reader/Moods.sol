// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {Classes} from "./Classes.sol";
import {Quotes} from "./Quotes.sol";
import {View, Views} from "./View.sol";

/// @title Whether a prompt asks for an act now, exactly as `models/reader/mood.py`
library Moods {
    using Views for View;

    /// @dev . ? ! , ; :
    uint256 private constant CLAUSE_ENDS =
        (1 << 0x2e) | (1 << 0x3f) | (1 << 0x21) | (1 << 0x2c) | (1 << 0x3b) | (1 << 0x3a);
    uint256 private constant QUESTION_MARK = 1 << 0x3f;
    uint256 private constant ED = 0x6564;
    uint256 private constant S = 0x2773;

    /// @notice The prompt asks for nothing that may be done.
    uint256 internal constant NOTHING = 0;
    /// @notice It asks for an act, now.
    uint256 internal constant ACT = 2;

    function moodOf(View memory v) internal pure returns (uint256) {
        return _asksForAct(v) ? ACT : NOTHING;
    }

    /// @dev False for an empty prompt, and for one of quotes alone.
    function _asksForAct(View memory v) private pure returns (bool saysSomething) {
        uint256 quoted = Quotes.taken(v, Quotes.find(v));
        (bool begins, bool isPolite) = (true, false);
        unchecked {
            for (uint256 i = 0; i < v.count; ++i) {
                if ((quoted >> i) & 1 != 0) continue;
                if (v.isMark(i)) {
                    if (!isPolite && _holds(v, i, QUESTION_MARK)) return false;
                    begins = begins || _holds(v, i, CLAUSE_ENDS);
                    continue;
                }
                if ((v.has(i, Classes.AWAY) && !_isAnswer(v, i)) || _saysElse(v, i)) return false;
                if (begins && v.has(i, Classes.MODAL)) {
                    if (!_isYou(v, i + 1)) return false;
                    isPolite = true;
                } else if (begins && v.has(i, Classes.QUESTION)) {
                    return false;
                }
                begins = begins && v.has(i, Classes.LEAD);
                saysSomething = true;
            }
        }
    }

    /// @dev Whether a mark has one of these characters.
    function _holds(View memory v, uint256 i, uint256 characters) private pure returns (bool) {
        unchecked {
            uint256 end = v.end(i);
            for (uint256 pos = v.start(i); pos < end; ++pos) {
                if (Ascii.isIn(characters, pos)) return true;
            }
            return false;
        }
    }

    /// @dev "I deposited", and "Tom's", but not "to Tom's".
    function _saysElse(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            if (!v.isWord(i) || v.has(i, Classes.ALL)) return false;
            uint256 end = v.end(i);
            if (end < v.start(i) + 2) return false;
            uint256 last = PieceWord.load(end - 2) >> 240;
            if (last == S) return !v.says(i - 1, "to", 2);
            return
                last == ED && (v.says(i - 1, "i", 1) || v.says(i - 1, "we", 2) || _isYou(v, i - 1));
        }
    }

    /// @dev "vote no on it", but not "pay no one".
    function _isAnswer(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            if (!v.says(i, "no", 2) || i == 0 || !v.isWord(i - 1)) return false;
            ++i;
            return i == v.count || v.isMark(i) || v.has(i, Classes.BETWEEN);
        }
    }

    function _isYou(View memory v, uint256 i) private pure returns (bool) {
        return v.says(i, "you", 3) || v.says(i, "u", 1);
    }
}
