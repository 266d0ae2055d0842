// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice A span of a prompt that may fill a parameter.
/// @param span See `Candidates`.
/// @param quantity Of a number, as in `Quantities`; zero is none.
/// @param elements Of a list: span and quantity of each.
struct Candidate {
    uint256 span;
    uint256 quantity;
    uint256[] elements;
}

/// @title Spans of candidates, as words, and their kinds: `Kind` in `models/reader/kinds.py`
/// @notice Bits 0 to 4 kind; 5 to 14 start and 15 to 24 end in the prompt; 25 to 31 first piece, 32 to 38 the
///   piece behind the last; 39 negative; 40 truth; 41 to 50 start and 51 to 60 end of the symbol right behind
///   a number; 61 whether all of it is of the last observation.
library CandidateSpan {
    uint256 internal constant QUOTED = 0;
    uint256 internal constant DATE = 1;
    uint256 internal constant TIME = 2;
    uint256 internal constant NAME = 3;
    uint256 internal constant NUMBER = 4;
    uint256 internal constant WORDS = 5;
    uint256 internal constant TITLE = 6;
    uint256 internal constant PART = 7;
    uint256 internal constant SHARE = 8;
    uint256 internal constant DOUBT = 9;
    uint256 internal constant ADDRESS = 10;
    uint256 internal constant SYMBOL = 11;
    uint256 internal constant CONTACT = 12;
    uint256 internal constant OWNER = 13;
    uint256 internal constant BYTES = 14;
    uint256 internal constant TRUTH = 15;
    uint256 internal constant LIST = 16;

    uint256 internal constant NEGATIVE = 1 << 39;
    uint256 internal constant TRUE = 1 << 40;
    uint256 internal constant OBSERVED = 1 << 61;
    /// @dev Start and end.
    uint256 internal constant BYTES_MASK = 0xfffff << START_SHIFT;
    uint256 private constant START_SHIFT = 5;
    uint256 private constant END_SHIFT = 15;
    uint256 private constant FIRST_SHIFT = 25;
    uint256 private constant LAST_SHIFT = 32;
    uint256 private constant SYMBOL_SHIFT = 41;
    uint256 private constant SYMBOL_END_SHIFT = 51;

    function span(uint256 kind, uint256 start, uint256 end, uint256 first, uint256 last)
        internal
        pure
        returns (uint256)
    {
        return kind | (start << START_SHIFT) | (end << END_SHIFT) | (first << FIRST_SHIFT)
            | (last << LAST_SHIFT);
    }

    /// @notice The bits of a symbol at [start, end).
    function symbol(uint256 start, uint256 end) internal pure returns (uint256) {
        return (start << SYMBOL_SHIFT) | (end << SYMBOL_END_SHIFT);
    }

    function kindOf(uint256 word) internal pure returns (uint256) {
        return word & 31;
    }

    function startOf(uint256 word) internal pure returns (uint256) {
        return (word >> START_SHIFT) & 0x3ff;
    }

    function endOf(uint256 word) internal pure returns (uint256) {
        return (word >> END_SHIFT) & 0x3ff;
    }

    function firstOf(uint256 word) internal pure returns (uint256) {
        return (word >> FIRST_SHIFT) & 0x7f;
    }

    function lastOf(uint256 word) internal pure returns (uint256) {
        return (word >> LAST_SHIFT) & 0x7f;
    }

    function symbolStartOf(uint256 word) internal pure returns (uint256) {
        return (word >> SYMBOL_SHIFT) & 0x3ff;
    }

    function symbolEndOf(uint256 word) internal pure returns (uint256) {
        return (word >> SYMBOL_END_SHIFT) & 0x3ff;
    }
}
