// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title So many in any hour, in one word
/// @dev Counts of thirteen stretches of five minutes, the newest lowest: any hour lies within the present
///   stretch and the twelve before it. So never more than the limit fall into an hour, and one counts
///   for sixty to sixty-five minutes. From the lowest bit: 13 counts of 16 bits, the number of the
///   newest stretch in 32, the limit in 16.
library HourlyRate {
    uint256 private constant STRETCH_S = 300;
    uint256 private constant COUNT_BITS = 16;
    uint256 private constant STRETCHES = 13;
    uint256 private constant COUNTS_BITS = STRETCHES * COUNT_BITS;
    uint256 private constant COUNTS = (1 << COUNTS_BITS) - 1;
    /// @dev One in each count.
    uint256 private constant ONES = COUNTS / ((1 << COUNT_BITS) - 1);
    uint256 private constant LIMIT_AT = COUNTS_BITS + 32;

    /// @notice One more, at the present time.
    /// @return allowed Whether the limit admits it; if not, `next` is of no use.
    function counted(uint256 rate) internal view returns (bool allowed, uint256 next) {
        uint256 now_ = block.timestamp / STRETCH_S;
        uint256 counts = _countsAt(rate, now_);
        uint256 limit = limitOf(rate);
        allowed = _sum(counts) < limit;
        next = (limit << LIMIT_AT) | (uint256(uint32(now_)) << COUNTS_BITS) | (counts + 1);
    }

    /// @notice How many count at the present time.
    function current(uint256 rate) internal view returns (uint256) {
        return _sum(_countsAt(rate, block.timestamp / STRETCH_S));
    }

    function limitOf(uint256 rate) internal pure returns (uint256) {
        return rate >> LIMIT_AT;
    }

    function withLimit(uint256 rate, uint16 limit) internal pure returns (uint256) {
        return (rate & ((1 << LIMIT_AT) - 1)) | (uint256(limit) << LIMIT_AT);
    }

    /// @dev The counts, moved on by the stretches that have gone by.
    function _countsAt(uint256 rate, uint256 now_) private pure returns (uint256) {
        uint256 gone = now_ - uint32(rate >> COUNTS_BITS);
        if (gone >= STRETCHES) return 0;
        return ((rate & COUNTS) << (gone * COUNT_BITS)) & COUNTS;
    }

    /// @dev The highest count of the product is the sum of all: no more than the limit, which has 16 bits,
    ///   were ever counted within them, so that nothing is carried from one to the next.
    function _sum(uint256 counts) private pure returns (uint256) {
        unchecked {
            return uint16((counts * ONES) >> (COUNTS_BITS - COUNT_BITS));
        }
    }
}
