// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PieceWord} from "../instructions/Reading.sol";
import {Scanner} from "../instructions/Scanner.sol";
import {Candidate, CandidateSpan} from "./Candidate.sol";
import {View, Views} from "./View.sol";

/// @notice Spans as they are found.
/// @param found The first `count` of them: spans as in `CandidateSpan`.
/// @param hashes Of their texts in lower case.
/// @param limit How many there is room for.
/// @param apart Whether none may have a piece of another, and texts may be alike: elements of lists.
/// @param mask Pieces that they have.
struct TextSink {
    uint256[] found;
    uint256[] hashes;
    uint256 count;
    uint256 limit;
    bool apart;
    uint256 mask;
}

/// @title Takes spans of text as candidates or as elements of lists, as `models/reader/candidates.py`
library TextSinks {
    using Views for View;

    uint256 private constant ALIKE_KINDS = (1 << CandidateSpan.WORDS) | (1 << CandidateSpan.PART);
    /// @dev 's
    uint256 private constant POSSESSIVE = 0x2773;

    /// @notice Room for so many spans.
    function make(uint256 limit, bool apart) internal pure returns (TextSink memory s) {
        s.found = new uint256[](limit);
        if (!apart) s.hashes = new uint256[](limit);
        (s.limit, s.apart) = (limit, apart);
    }

    function isFull(TextSink memory s) internal pure returns (bool) {
        return s.count == s.limit;
    }

    /// @notice Takes pieces [first, last), without the 's at their end first.
    function take(TextSink memory s, View memory v, uint256 kind, uint256 first, uint256 last)
        internal
        pure
    {
        if (isFull(s)) return;
        unchecked {
            uint256 begins = v.r.start;
            uint256 start = PieceWord.startOf(v.piece(first)) - begins;
            uint256 tail = v.piece(last - 1);
            uint256 end = PieceWord.endOf(tail) - begins;
            if (s.apart) {
                uint256 pieces = maskOf(first, last);
                if (s.mask & pieces != 0) return;
                s.mask |= pieces;
            } else if (_isPossessive(tail)) {
                add(s, v, CandidateSpan.span(kind, start, end - 2, first, last));
            }
            add(s, v, CandidateSpan.span(kind, start, end, first, last));
        }
    }

    /// @notice Takes a span if there is room and, of candidates, unless it is there already; of runs of words
    ///   and parts, unless its text is.
    function add(TextSink memory s, View memory v, uint256 span) internal pure {
        unchecked {
            uint256 count = s.count;
            if (count == s.limit) return;
            if (!s.apart) {
                uint256 start = CandidateSpan.startOf(span);
                uint256 hash = _hash(v.r.start + start, CandidateSpan.endOf(span) - start);
                bool once = (ALIKE_KINDS >> CandidateSpan.kindOf(span)) & 1 != 0;
                if (_isThere(s, count, span, once ? hash : 0)) return;
                s.hashes[count] = hash;
            }
            s.found[count] = span;
            s.count = count + 1;
        }
    }

    /// @notice The spans, by where they start.
    function sorted(TextSink memory s) internal pure returns (uint256[] memory found) {
        unchecked {
            found = s.found;
            uint256 count = s.count;
            assembly ("memory-safe") {
                mstore(found, count)
            }
            for (uint256 i = 1; i < count; ++i) {
                uint256 span = found[i];
                uint256 start = CandidateSpan.startOf(span);
                uint256 k = i;
                for (; k > 0 && CandidateSpan.startOf(found[k - 1]) > start; --k) {
                    found[k] = found[k - 1];
                }
                found[k] = span;
            }
        }
    }

    /// @notice The spans as candidates.
    function candidates(TextSink memory s) internal pure returns (Candidate[] memory all) {
        all = new Candidate[](s.count);
        for (uint256 i = 0; i < all.length; ++i) {
            all[i].span = s.found[i];
        }
    }

    /// @notice Bits of pieces [first, last).
    function maskOf(uint256 first, uint256 last) internal pure returns (uint256) {
        unchecked {
            return (1 << last) - (1 << first);
        }
    }

    /// @dev Whether one of the first `count` has the same bytes, or, unless it is zero, this hash.
    function _isThere(TextSink memory s, uint256 count, uint256 span, uint256 hash)
        private
        pure
        returns (bool there)
    {
        uint256 bytes_ = CandidateSpan.BYTES_MASK;
        assembly ("memory-safe") {
            let found := add(mload(s), 32)
            let hashes := add(mload(add(s, 32)), 32)
            for { let end := add(found, shl(5, count)) } lt(found, end) { found := add(found, 32) }
            {
                // no hash is zero
                there := or(iszero(and(xor(mload(found), span), bytes_)), eq(mload(hashes), hash))
                if there { break }
                hashes := add(hashes, 32)
            }
        }
    }

    function _isPossessive(uint256 word) private pure returns (bool) {
        unchecked {
            uint256 end = PieceWord.endOf(word);
            if (PieceWord.load(end - 2) >> 240 != POSSESSIVE) return false;
            return PieceWord.shapeOf(word) == Scanner.WORD && end > PieceWord.startOf(word) + 2;
        }
    }

    function _hash(uint256 pos, uint256 length) private pure returns (uint256 hash) {
        assembly ("memory-safe") {
            hash := keccak256(pos, length)
        }
    }
}
