// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {LibBit} from "solady/src/utils/LibBit.sol";

import {Ascii} from "../encoding/Ascii.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {CandidateSpan} from "./Candidate.sol";
import {Classes} from "./Classes.sol";
import {Masking, Masks} from "./Masks.sol";
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

    /// @notice All names of pieces that are not taken.
    function find(View memory v, Masks memory m, uint256 taken)
        internal
        pure
        returns (uint256[] memory names, uint256 count)
    {
        unchecked {
            uint256 named = m.capitals & ~taken & ~(m.starts & m.enders);
            uint256 runs = m.runs & ~taken;
            names = new uint256[](v.count);
            for (uint256 left = named | runs; left != 0;) {
                uint256 i = LibBit.ffs(left);
                uint256 word = i;
                while (word < i + RUNS_BEFORE && Masking.has(runs, word)) ++word;
                if (!Masking.has(named, word)) {
                    bool street = word == i + RUNS_BEFORE && v.isNth(word - 1);
                    if (!street || !Masking.has(m.words & ~taken, word)) {
                        left &= left - 1;
                        continue;
                    }
                }
                uint256 last = _end(v, m, taken, named, word + 1);
                names[count++] = (i << 8) | last;
                left &= ~TextSinks.maskOf(i, last);
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

    /// @dev The end of a name that goes on up to `i`.
    function _end(View memory v, Masks memory m, uint256 taken, uint256 named, uint256 i)
        private
        pure
        returns (uint256)
    {
        unchecked {
            uint256 counted = m.words & ~m.capitals & ~m.enders; // Bella 200 grams, but area 51
            uint256 goes = named | m.hyphened | (m.runs & ~(m.marks << 1) & ~(counted >> 1));
            uint256 count = v.count;
            while (i < count && !Masking.has(taken, i)) {
                if (Masking.has(goes, i)) {
                    ++i;
                } else if (_isNumbered(v, i)) {
                    i += 2;
                } else {
                    uint256 behind = _innerEnd(v, i);
                    if (behind == i || !Masking.has(named, behind)) break;
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
