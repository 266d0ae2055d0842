// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PieceWord} from "../instructions/Reading.sol";
import {Scanner} from "../instructions/Scanner.sol";
import {Candidate, CandidateSpan} from "./Candidate.sol";
import {LiteralSink} from "./Literals.sol";
import {View, Views} from "./View.sol";

/// @title Lists of elements that commas and "and" part, as `models/reader/candidates.py`
library Lists {
    using Views for View;

    uint256 private constant MOST = 8;
    uint256 private constant MOST_ELEMENTS = 16;
    /// @dev Kinds of elements whose first word may be the sentence's.
    uint256 private constant WORDED = (1 << CandidateSpan.NAME) | (1 << CandidateSpan.WORDS);
    /// @dev A blank and quotes.
    uint256 private constant SKIPPED = (1 << 0x20) | (1 << 0x22) | (1 << 0x27) | (1 << 0x60);
    uint256 private constant COMMA = 0x2c;
    /// @dev and
    uint256 private constant AND = 0x616e64;

    /// @notice Up to eight lists of elements that stand in order, none within another. Where there are several in
    ///   one, what stands alone is none, unless it is quoted.
    function find(View memory v, LiteralSink memory all)
        internal
        pure
        returns (Candidate[] memory found)
    {
        found = new Candidate[](MOST);
        uint256 count;
        unchecked {
            uint256 joined = _joined(v, all);
            for (uint256 at = 0; at < all.count && count < MOST;) {
                uint256 end = at + 1;
                while ((joined >> end) & 1 != 0) ++end;
                bool quoted = CandidateSpan.kindOf(all.spans[at]) == CandidateSpan.QUOTED;
                if (joined == 0 || quoted || end > at + 1) {
                    count = _addList(v, found, count, all, at, end);
                }
                at = end;
            }
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    /// @dev Bits of elements that go on with the one before.
    function _joined(View memory v, LiteralSink memory all) private pure returns (uint256 joined) {
        unchecked {
            for (uint256 i = 1; i < all.count; ++i) {
                if (_goesOn(v, all.spans[i - 1], all.spans[i])) joined |= 1 << i;
            }
        }
    }

    /// @dev Too many elements are in doubt. If its first element has several words and begins a sentence,
    ///   there is a list without the first of them as well.
    function _addList(
        View memory v,
        Candidate[] memory found,
        uint256 count,
        LiteralSink memory all,
        uint256 at,
        uint256 end
    ) private pure returns (uint256) {
        unchecked {
            uint256 span = _whole(all, at, end);
            if (end - at > MOST_ELEMENTS) {
                found[count].span = span | CandidateSpan.DOUBT;
                return count + 1;
            }
            found[count].span = span | CandidateSpan.LIST;
            found[count].elements = _elements(all, at, end);
            ++count;
            uint256 head = all.spans[at];
            uint256 first = CandidateSpan.firstOf(head);
            bool worded = (WORDED >> CandidateSpan.kindOf(head)) & 1 != 0;
            if (!worded || end - at < 2 || CandidateSpan.lastOf(head) < first + 2) return count;
            if (count == MOST || !v.beginsSentence(first)) return count;
            all.spans[at] = CandidateSpan.span(
                CandidateSpan.kindOf(head),
                v.start(first + 1) - v.r.start,
                CandidateSpan.endOf(head),
                first + 1,
                CandidateSpan.lastOf(head)
            );
            found[count].span = _whole(all, at, end) | CandidateSpan.LIST;
            found[count].elements = _elements(all, at, end);
            return count + 1;
        }
    }

    function _whole(LiteralSink memory all, uint256 at, uint256 end)
        private
        pure
        returns (uint256)
    {
        unchecked {
            (uint256 head, uint256 tail) = (all.spans[at], all.spans[end - 1]);
            return CandidateSpan.span(
                0,
                CandidateSpan.startOf(head),
                CandidateSpan.endOf(tail),
                CandidateSpan.firstOf(head),
                CandidateSpan.lastOf(tail)
            );
        }
    }

    function _elements(LiteralSink memory all, uint256 at, uint256 end)
        private
        pure
        returns (uint256[] memory elements)
    {
        unchecked {
            elements = new uint256[](2 * (end - at));
            for (uint256 i = 0; i < end - at; ++i) {
                elements[2 * i] = all.spans[at + i];
                elements[2 * i + 1] = all.quantities[at + i];
            }
        }
    }

    /// @dev Blanks and quotes do not count.
    function _goesOn(View memory v, uint256 before, uint256 behind) private pure returns (bool) {
        unchecked {
            uint256 end = v.r.start + CandidateSpan.startOf(behind);
            uint256 pos = _skip(v.r.start + CandidateSpan.endOf(before), end);
            bool comma = pos < end && Scanner.character(pos) == COMMA;
            if (comma) pos = _skip(pos + 1, end);
            bool joined = pos + 3 <= end && PieceWord.load(pos) >> 232 == AND;
            if (joined) pos = _skip(pos + 3, end);
            return pos == end && (comma || joined);
        }
    }

    function _skip(uint256 pos, uint256 end) private pure returns (uint256) {
        unchecked {
            while (pos < end && (SKIPPED >> Scanner.character(pos)) & 1 != 0) ++pos;
            return pos;
        }
    }
}
