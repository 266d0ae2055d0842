// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What the encoder found and the decoder needs again; `abi.encode` of it is the encoder's
///   second result. Packed words, read with `ParseFormat`.
/// @param candidates Up to six of (type 8 bits, start 16, end 16), the first one lowest; their
///   number in bits 240 to 247. Offsets in the prompt. Bit 248: a token is OTHER, or the prompt is in
///   another language.
/// @param observation The last observation: (start 32 bits, end 32, index of the entry + 1); zero
///   if there is none. Offsets in the entry.
/// @param balance When that is a readable balance: end and start of the amount in the pool, in the
///   wallet (zero if not told) and of the unit, 32 bits each, offsets in the entry; otherwise zero.
///   Bit 192: the amount is in the asset's smallest units.
/// @param book Where the symbol book's entries lie (`ISymbolBook.pointer()`); zero if the agent has none.
struct Parse {
    uint256 candidates;
    uint256 observation;
    uint256 balance;
    address book;
}

/// @title Reads and writes the packed words of `Parse`
library ParseFormat {
    /// @dev The bit of `candidates` that says that a token is OTHER, or the prompt in another language.
    uint256 internal constant OTHER = 1 << 248;
    /// @dev The bit of `balance` that says that it counts smallest units.
    uint256 internal constant UNITS = 1 << 192;

    uint256 private constant CANDIDATE_BITS = 40;
    uint256 private constant COUNT_SHIFT = 240;
    uint256 private constant SPAN_BITS = 64;

    /// @notice `candidates` with one more at place `count`: a token as `Scan` describes it, in a
    ///   prompt that begins at memory position `start`.
    function append(uint256 candidates, uint256 count, uint256 token, uint256 start)
        internal
        pure
        returns (uint256)
    {
        unchecked {
            uint256 from = uint32(token >> 32) - start;
            uint256 packed = ((token >> 64) << 32) | (from << 16) | (uint32(token) - start);
            return (candidates | (packed << (count * CANDIDATE_BITS))) + (1 << COUNT_SHIFT);
        }
    }

    /// @notice Number of candidates.
    function countOf(uint256 candidates) internal pure returns (uint256) {
        return uint8(candidates >> COUNT_SHIFT);
    }

    /// @notice The candidate at place `i`: its type and its offsets in the prompt.
    function candidate(uint256 candidates, uint256 i)
        internal
        pure
        returns (uint256 kind, uint256 start, uint256 end)
    {
        unchecked {
            uint256 token = candidates >> (i * CANDIDATE_BITS);
            return (uint8(token >> 32), uint16(token >> 16), uint16(token));
        }
    }

    /// @notice An observation at [start, end) of the entry at `index`.
    function packObservation(uint256 index, uint256 start, uint256 end)
        internal
        pure
        returns (uint256)
    {
        unchecked {
            return ((index + 1) << SPAN_BITS) | (start << 32) | end;
        }
    }

    /// @notice The entry that an observation, which must not be zero, is in.
    function entryOf(uint256 observation) internal pure returns (uint256) {
        return (observation >> SPAN_BITS) - 1;
    }

    /// @notice The span at place `i` of `observation` (0) or `balance` (0 pool, 1 wallet, 2 unit).
    function span(uint256 packed, uint256 i) internal pure returns (uint256 start, uint256 end) {
        unchecked {
            packed >>= i * SPAN_BITS;
            return (uint32(packed >> 32), uint32(packed));
        }
    }

    /// @notice `packed` with the span [start, end) at place `i`, where there was none.
    function withSpan(uint256 packed, uint256 i, uint256 start, uint256 end)
        internal
        pure
        returns (uint256)
    {
        unchecked {
            return packed | (((start << 32) | end) << (i * SPAN_BITS));
        }
    }
}
