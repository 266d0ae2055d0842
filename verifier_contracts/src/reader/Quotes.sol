// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {Scanner} from "../instructions/Scanner.sol";
import {CandidateSpan} from "./Candidate.sol";
import {View, Views} from "./View.sol";

/// @title Quoted text in a prompt, exactly as `models/reader/quotes.py`
/// @notice A quote is a candidate's span, see `CandidateSpan`.
library Quotes {
    using Views for View;

    uint256 private constant DOUBLE = 0x22;
    uint256 private constant SINGLE = 0x27;
    uint256 private constant BACKTICK = 0x60;

    /// @notice All of them, from left to right.
    function find(View memory v) internal pure returns (uint256[] memory found) {
        unchecked {
            (uint256 start, uint256 end) = (v.r.start, v.r.end);
            uint256 pos = _next(start, end);
            if (pos >= end) return found;
            found = new uint256[](v.count);
            uint256 count;
            for (; pos < end; pos = _next(pos + 1, end)) {
                if (!_opens(pos, start, end)) continue;
                uint256 closing = _closing(pos, end);
                if (closing == pos) continue;
                uint256 quote = _within(v, pos + 1, closing);
                if (CandidateSpan.lastOf(quote) > CandidateSpan.firstOf(quote)) {
                    found[count++] = quote;
                }
                pos = closing;
            }
            assembly ("memory-safe") {
                mstore(found, count)
            }
        }
    }

    /// @notice Pieces that touch what is quoted or a quote: bit i is piece i.
    function taken(View memory v, uint256[] memory quotes) internal pure returns (uint256 mask) {
        unchecked {
            uint256 begins = v.r.start;
            for (uint256 k = 0; k < quotes.length; ++k) {
                uint256 start = begins + CandidateSpan.startOf(quotes[k]);
                uint256 end = begins + CandidateSpan.endOf(quotes[k]);
                for (uint256 i = 0; i < v.count; ++i) {
                    if (v.start(i) <= end && v.end(i) >= start) mask |= 1 << i;
                }
            }
        }
    }

    /// @notice Whether [start, end) in the prompt is a part of quoted text, and not all of it.
    function isPart(uint256[] memory quotes, uint256 start, uint256 end)
        internal
        pure
        returns (bool)
    {
        unchecked {
            for (uint256 k = 0; k < quotes.length; ++k) {
                uint256 from = CandidateSpan.startOf(quotes[k]);
                uint256 to = CandidateSpan.endOf(quotes[k]);
                if (start >= from && start < to && (start != from || end != to)) return true;
            }
            return false;
        }
    }

    /// @dev The first quote from `pos` on; `end` or more if there is none.
    function _next(uint256 pos, uint256 end) private pure returns (uint256) {
        unchecked {
            for (; pos < end; pos += 32) {
                uint256 w = PieceWord.load(pos);
                uint256 flags = Ascii.zeroBytes(w ^ (DOUBLE * Ascii.ONES))
                    | Ascii.zeroBytes(w ^ (SINGLE * Ascii.ONES))
                    | Ascii.zeroBytes(w ^ (BACKTICK * Ascii.ONES));
                if (flags != 0) return pos + Ascii.first(flags);
            }
            return pos;
        }
    }

    /// @dev Whether the quote at `pos` opens.
    function _opens(uint256 pos, uint256 start, uint256 end) private pure returns (bool) {
        unchecked {
            if (pos > start && Ascii.isIn(Ascii.ALNUM_SET, pos - 1)) return false;
            return pos + 1 < end && Scanner.character(pos + 1) != 0x20;
        }
    }

    function _closing(uint256 opening, uint256 end) private pure returns (uint256) {
        unchecked {
            uint256 quote = Scanner.character(opening);
            for (uint256 pos = opening + 1; pos < end; ++pos) {
                if (Scanner.character(pos) != quote) continue;
                if (pos + 1 == end || !Ascii.isIn(Ascii.ALNUM_SET, pos + 1)) return pos;
            }
            return opening;
        }
    }

    /// @dev With the pieces that begin and end within.
    function _within(View memory v, uint256 start, uint256 end) private pure returns (uint256) {
        unchecked {
            uint256 first;
            while (first < v.count && v.start(first) < start) ++first;
            uint256 last = first;
            while (last < v.count && v.end(last) <= end) ++last;
            uint256 begins = v.r.start;
            return
                CandidateSpan.span(CandidateSpan.QUOTED, start - begins, end - begins, first, last);
        }
    }
}
