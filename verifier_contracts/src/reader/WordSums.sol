// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {WordCuts} from "./WordCuts.sol";

/// @notice A sum of rows as it grows: `WordTable._table` makes one.
/// @param chunks Memory position of the addresses of the table's contracts.
/// @param buckets How many the table has.
/// @param unknown The row of words that the table lacks.
/// @param number The row of words of digits.
/// @param shifts Of those two: bits 0 and 1, 2 and 3.
/// @param words How many are summed up.
/// @param bias What each number of the sums is too large by.
/// @param from0 Numbers 0, 4, 8 and so on, in lanes of 16 bits; likewise `from1` to `from3`.
/// @param bucket Room for the bucket that is looked at.
struct WordSum {
    uint256 chunks;
    uint256 buckets;
    uint256 unknown;
    uint256 number;
    uint256 shifts;
    uint256 words;
    uint256 bias;
    uint256 from0;
    uint256 from1;
    uint256 from2;
    uint256 from3;
    uint256[5] bucket;
}

/// @title Sums of the rows of words, exactly as `models/reader/vectors.py` has them
/// @dev Numbers of four bits are taken from 0 to 15, eight too large. Shifted by at most three they are at most
///   120, so 256 words cannot leave a lane.
library WordSums {
    /// @dev As `models/reader/rows.py` has them.
    uint256 internal constant BUCKETS_PER_CHUNK = 180;
    uint256 internal constant BUCKET_BYTES = 136;
    uint256 internal constant ENTRY_BYTES = 34;

    uint256 private constant MARKS = 0x3fff;
    uint256 private constant NINE = 0x39;
    uint256 private constant LOWEST =
        0x000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f;
    uint256 private constant SIGNS =
        0x8888888888888888888888888888888888888888888888888888888888888888;

    /// @notice Empties the sum.
    function clear(WordSum memory sum) internal pure {
        (sum.words, sum.bias) = (0, 0);
        (sum.from0, sum.from1, sum.from2, sum.from3) = (0, 0, 0, 0);
    }

    /// @notice Adds the rows of the words of `text`. Of all texts together the first 256 words count.
    function add(WordSum memory sum, bytes memory text) internal view {
        unchecked {
            (uint256 words, uint256 count) = WordCuts.cut(text);
            uint256 left = WordCuts.MOST_WORDS - sum.words;
            if (left < count) count = left;
            sum.words += count;
            _addWords(sum, words, words + 32 * count);
        }
    }

    /// @notice Writes the 64 numbers of the sum to memory at `pos`, a word each.
    function write(WordSum memory sum, uint256 pos) internal pure {
        assembly ("memory-safe") {
            let bias := mload(add(sum, 192))
            let lanes := add(sum, 224)
            let first := mload(lanes)
            let second := mload(add(lanes, 32))
            let third := mload(add(lanes, 64))
            let fourth := mload(add(lanes, 96))
            for { let shift := 256 } shift {} {
                shift := sub(shift, 16)
                mstore(pos, sub(and(shr(shift, first), 0xffff), bias))
                mstore(add(pos, 32), sub(and(shr(shift, second), 0xffff), bias))
                mstore(add(pos, 64), sub(and(shr(shift, third), 0xffff), bias))
                mstore(add(pos, 96), sub(and(shr(shift, fourth), 0xffff), bias))
                pos := add(pos, 128)
            }
        }
    }

    /// @dev Adds the rows of the words at [pos, end): see `WordCuts.cut`.
    function _addWords(WordSum memory sum, uint256 pos, uint256 end) private view {
        assembly ("memory-safe") {
            // The entry with this mark in a bucket, or zero.
            function entryIn(table, place, mark) -> entry {
                entry := mload(add(table, 352))
                extcodecopy(
                    mload(add(mload(table), shl(5, div(place, BUCKETS_PER_CHUNK)))),
                    entry,
                    add(1, mul(BUCKET_BYTES, mod(place, BUCKETS_PER_CHUNK))),
                    BUCKET_BYTES
                )
                if eq(and(shr(240, mload(entry)), MARKS), mark) { leave }
                entry := add(entry, ENTRY_BYTES)
                if eq(and(shr(240, mload(entry)), MARKS), mark) { leave }
                entry := add(entry, ENTRY_BYTES)
                if eq(and(shr(240, mload(entry)), MARKS), mark) { leave }
                entry := add(entry, ENTRY_BYTES)
                if eq(and(shr(240, mload(entry)), MARKS), mark) { leave }
                entry := 0
            }
            function rowOf(table, word) -> row, shift {
                let start := shr(32, word)
                let hash := keccak256(start, sub(and(word, 0xffffffff), start))
                let mark := and(shr(64, hash), MARKS)
                mark := or(mark, iszero(mark))
                let buckets := mload(add(table, 32))
                let entry := entryIn(table, mod(hash, buckets), mark)
                if iszero(entry) {
                    entry := entryIn(table, mod(shr(32, hash), buckets), mark)
                }
                switch entry
                case 0 {
                    row := mload(add(table, 64))
                    shift := and(mload(add(table, 128)), 3)
                }
                default {
                    row := mload(add(entry, 2))
                    shift := shr(254, mload(entry))
                }
            }

            let bias := mload(add(sum, 192))
            let from0 := mload(add(sum, 224))
            let from1 := mload(add(sum, 256))
            let from2 := mload(add(sum, 288))
            let from3 := mload(add(sum, 320))
            for {} lt(pos, end) { pos := add(pos, 32) } {
                let word := mload(pos)
                let row := 0
                let shift := 0
                switch gt(byte(0, mload(shr(32, word))), NINE)
                case 0 {
                    row := mload(add(sum, 96))
                    shift := shr(2, mload(add(sum, 128)))
                }
                default { row, shift := rowOf(sum, word) }
                row := xor(row, SIGNS)
                bias := add(bias, shl(shift, 8))
                from0 := add(from0, shl(shift, and(shr(12, row), LOWEST)))
                from1 := add(from1, shl(shift, and(shr(8, row), LOWEST)))
                from2 := add(from2, shl(shift, and(shr(4, row), LOWEST)))
                from3 := add(from3, shl(shift, and(row, LOWEST)))
            }
            mstore(add(sum, 192), bias)
            mstore(add(sum, 224), from0)
            mstore(add(sum, 256), from1)
            mstore(add(sum, 288), from2)
            mstore(add(sum, 320), from3)
        }
    }
}
