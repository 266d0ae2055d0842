// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {Scanner} from "../instructions/Scanner.sol";
import {CandidateSpan} from "./Candidate.sol";
import {Classes} from "./Classes.sol";
import {TextSink, TextSinks} from "./TextSink.sol";
import {View, Views} from "./View.sol";

/// @title Names by their capitals, as `models/reader/spans.py`
/// @notice A name is a word: the piece behind its last in the lowest byte, its first piece above.
library Names {
    using Views for View;
    using TextSinks for TextSink;

    uint256 private constant BEHIND_COMMA = 2;
    uint256 private constant RUNS_BEFORE = 2;
    uint256 private constant MOST_INNER = 3;
    uint256 private constant MOST_BETWEEN = 2;
    uint256 private constant COMMA = 0x2c;
    uint256 private constant POINT = 0x2e;
    uint256 private constant HASH = 0x23;
    /// @dev & - ' / : +
    uint256 private constant INNER_MARKS =
        (1 << 0x26) | (1 << 0x2d) | (1 << 0x27) | (1 << 0x2f) | (1 << 0x3a) | (1 << 0x2b);
    uint256 private constant NONE = type(uint256).max;

    /// @notice All names of pieces that are not taken.
    function find(View memory v, uint256 taken)
        internal
        pure
        returns (uint256[] memory names, uint256 count)
    {
        unchecked {
            names = new uint256[](v.count);
            uint256 at;
            while (at < v.count) {
                uint256 word = _begins(v, taken, at);
                if (word == NONE) {
                    ++at;
                    continue;
                }
                uint256 last = _end(v, taken, word + 1);
                names[count++] = (at << 8) | last;
                at = last;
            }
        }
    }

    /// @notice First piece of name `i`, and the piece behind its last.
    function at(uint256[] memory names, uint256 i)
        internal
        pure
        returns (uint256 first, uint256 last)
    {
        return (names[i] >> 8, names[i] & 0xff);
    }

    /// @notice Their pieces.
    function maskOf(uint256[] memory names, uint256 count) internal pure returns (uint256 mask) {
        for (uint256 i = 0; i < count; ++i) {
            (uint256 first, uint256 last) = at(names, i);
            mask |= TextSinks.maskOf(first, last);
        }
    }

    /// @notice Puts each into `s`.
    function each(View memory v, TextSink memory s, uint256[] memory names, uint256 count)
        internal
        pure
    {
        for (uint256 i = 0; i < count; ++i) {
            (uint256 first, uint256 last) = at(names, i);
            s.take(v, CandidateSpan.NAME, first, last);
        }
    }

    /// @notice San Jose, CA.
    function behindComma(View memory v, TextSink memory s, uint256[] memory names, uint256 count)
        internal
        pure
    {
        unchecked {
            for (uint256 i = 1; i < count; ++i) {
                (uint256 first, uint256 last) = at(names, i - 1);
                (uint256 behind, uint256 end) = at(names, i);
                if (!v.isCharacter(last, COMMA) || behind != last + 1) continue;
                if (end - behind <= BEHIND_COMMA) s.take(v, CandidateSpan.NAME, first, end);
            }
        }
    }

    /// @notice Two names and what may stand within one between: Wild Nights with Emily.
    function bridged(View memory v, TextSink memory s, uint256[] memory names, uint256 count)
        internal
        pure
    {
        unchecked {
            for (uint256 i = 1; i < count; ++i) {
                (uint256 first, uint256 last) = at(names, i - 1);
                (uint256 behind, uint256 end) = at(names, i);
                if (behind == last || behind - last > MOST_BETWEEN) continue;
                if (!v.has(last, Classes.BETWEEN) || !v.has(behind - 1, Classes.BETWEEN)) continue;
                s.take(v, CandidateSpan.NAME, first, end);
            }
        }
    }

    /// @dev The first word of a name, behind up to two runs.
    function _begins(View memory v, uint256 taken, uint256 start) private pure returns (uint256) {
        unchecked {
            uint256 word = start;
            while (word < start + RUNS_BEFORE && v.isRun(word) && (taken >> word) & 1 == 0) ++word;
            if (_isNamed(v, taken, word)) return word;
            bool street = word == start + RUNS_BEFORE && v.isNth(word - 1);
            return street && v.isWord(word) && (taken >> word) & 1 == 0 ? word : NONE;
        }
    }

    /// @dev Whether the piece is a word with a capital that it has not for its place alone.
    function _isNamed(View memory v, uint256 taken, uint256 i) private pure returns (bool) {
        unchecked {
            if (!v.isCapital(i) || (taken >> i) & 1 != 0) return false;
            uint256 start = v.start(i);
            if (Scanner.character(start) == 0x69) {
                // i, i'm
                if (v.end(i) == start + 1 || Scanner.character(start + 1) == 0x27) return false;
            }
            return !(v.beginsSentence(i) && v.has(i, Classes.ENDS_NAME));
        }
    }

    /// @dev The end of a name that goes on up to `i`.
    function _end(View memory v, uint256 taken, uint256 i) private pure returns (uint256) {
        unchecked {
            while (i < v.count && (taken >> i) & 1 == 0) {
                if (_isNamed(v, taken, i) || v.isHyphened(i)) {
                    ++i;
                } else if (v.isRun(i) && !v.isMark(i - 1)) {
                    ++i;
                } else if (_isNumbered(v, i)) {
                    i += 2;
                } else {
                    uint256 behind = _innerEnd(v, i);
                    if (behind == i || !_isNamed(v, taken, behind)) break;
                    i = behind + 1;
                }
            }
            return i;
        }
    }

    /// @dev # 210, suite 101.
    function _isNumbered(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            return (v.isCharacter(i, HASH) || v.has(i, Classes.UNIT)) && v.isRun(i + 1);
        }
    }

    /// @dev Behind what may stand between two words of a name.
    function _innerEnd(View memory v, uint256 i) private pure returns (uint256 end) {
        unchecked {
            if (v.isCharacter(i, POINT) && v.isAbbreviated(i - 1)) return i + 1;
            end = i;
            while (end < i + MOST_INNER && _mayJoin(v, end)) ++end;
        }
    }

    function _mayJoin(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            if (v.has(i, Classes.JOIN)) return !v.has(i, Classes.PLACE);
            uint256 piece = v.piece(i);
            uint256 start = PieceWord.startOf(piece);
            return PieceWord.endOf(piece) == start + 1 && Ascii.isIn(INNER_MARKS, start);
        }
    }
}
