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
    uint256 private constant S = 0x73;

    /// @param quoted Pieces that are no part of what is told.
    function isOne(View memory v, uint256 quoted) internal pure returns (bool) {
        unchecked {
            uint256 at;
            while (at < v.count && (v.has(at, Classes.LEAD) || v.isMark(at))) ++at;
            if (v.has(at, Classes.WHOSE)) {
                at = _told(v, at + 2, quoted);
            } else {
                if (!_isDoing(v, at)) return false;
                ++at;
            }
            return at < v.count && v.text(at + 1) != MoodWords.TO && !_goesOn(v, at);
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

    /// @dev Tom is, it is, Carol voted on, but not "attack wounded goblins".
    function _isDoing(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            bool named = _isUnlisted(v, i);
            if (!named && v.text(i) != MoodWords.IT) return false;
            ++i;
            if (v.has(i, Classes.VERB)) return !v.has(i, Classes.DUE);
            return named && _isUnlisted(v, i) && _isPast(v, i) && !_isUnlisted(v, i + 1);
        }
    }

    function _isUnlisted(View memory v, uint256 i) private pure returns (bool) {
        return v.isWord(i) && !v.has(i, Classes.ALL);
    }

    function _isPast(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            uint256 end = v.end(i);
            return end > v.start(i) + 1 && PieceWord.load(end - 2) >> 240 == ED;
        }
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

    /// @dev Is, voted; deposits, before what is no preposition.
    function _isVerb(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            if (v.has(i, Classes.ALL)) {
                if (v.has(i, Classes.VERB)) return true;
                uint256 text = v.text(i);
                return text == MoodWords.ARE || text == MoodWords.HAVE;
            }
            if (!v.isWord(i)) return false;
            if (_isPast(v, i)) return true;
            if (PieceWord.load(v.end(i) - 1) >> 248 != S) return false;
            ++i;
            return v.isRun(i) || v.isCounted(i) || v.has(i, Classes.WHOSE)
                || v.text(i) == MoodWords.ME || v.isCharacter(i, COLON);
        }
    }

    /// @dev Please, I, or another clause.
    function _goesOn(View memory v, uint256 at) private pure returns (bool) {
        unchecked {
            bool ended;
            for (; at < v.count; ++at) {
                if (v.isMark(at)) {
                    if (!ended) ended = holds(v, at, ENDS);
                    continue;
                }
                uint256 text = v.text(at);
                if (ended || text == MoodWords.PLEASE || MoodWords.isWe(text)) return true;
            }
            return false;
        }
    }
}
