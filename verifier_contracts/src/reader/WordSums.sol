// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

import {WordCuts} from "./WordCuts.sol";

/// @notice A sum of rows as it grows: `WordTable._table` makes one.
/// @param chunks Memory position of the addresses of the table's contracts.
/// @param buckets How many each of them has.
/// @param others How many contracts there are behind the first one.
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
    uint256 others;
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

    /// @notice Of a row as `addRows` keeps it.
    uint256 internal constant ROW_BYTES = 192;

    uint256 private constant MARKS = 0x3fff;
    /// @dev Of a bucket's four heads: the lowest bit of each, and its mark; the bit above the mark.
    uint256 private constant HEADS = 0x0001000100010001;
    uint256 private constant HEAD_MARKS = 0x3fff3fff3fff3fff;
    uint256 private constant HEAD_FLAGS = 0x4000400040004000;
    /// @dev Times such a bit, has in its first byte how many bytes behind the first head's numbers that head's
    ///   numbers begin.
    uint256 private constant NUMBERS_AT = (96 << 234) | (64 << 218) | (32 << 202);
    uint256 private constant NINE = 0x39;
    uint256 private constant LOWEST =
        0x000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f;
    uint256 private constant SIGNS =
        0x8888888888888888888888888888888888888888888888888888888888888888;
    /// @dev Numbers are less than twice as large as what they are too large by.
    uint256 private constant FEW = 11_000;
    uint256 private constant ONES =
        0x0001000100010001000100010001000100010001000100010001000100010001;

    /// @notice Empties the sum.
    function clear(WordSum memory sum) internal pure {
        (sum.words, sum.bias) = (0, 0);
        (sum.from0, sum.from1, sum.from2, sum.from3) = (0, 0, 0, 0);
    }

    /// @notice An empty sum of rows of the same table.
    function another(WordSum memory sum) internal pure returns (WordSum memory empty) {
        (empty.chunks, empty.buckets, empty.others) = (sum.chunks, sum.buckets, sum.others);
        (empty.unknown, empty.number, empty.shifts) = (sum.unknown, sum.number, sum.shifts);
    }

    /// @notice Adds the rows of the words of `text`. Of all texts together the first 256 words count.
    function add(WordSum memory sum, bytes memory text) internal view {
        unchecked {
            (uint256 words, uint256 count,) = WordCuts.cut(text);
            uint256 left = WordCuts.MOST_WORDS - sum.words;
            if (left < count) count = left;
            sum.words += count;
            _addWords(sum, words, words + 32 * count, 0);
        }
    }

    /// @notice Adds the rows of words that were cut before, does not count them, and keeps each in six words: four of
    ///   lanes of 16 bits, each number eight too large and not shifted, eight times the sum of these, and the shift.
    /// @param words Memory position of the first: see `WordCuts.cut`.
    /// @param rows Memory position of where rows are kept.
    function addRows(WordSum memory sum, uint256 words, uint256 count, uint256 rows) internal view {
        unchecked {
            _addWords(sum, words, words + 32 * count, rows);
        }
    }

    /// @notice The squares of all 64 numbers of the sum, added up.
    /// @dev As squares of what is `bias` too large, less twice that times the numbers, less squares of that. Up to
    ///   `FEW`, eight squares fit a lane of 32 bits.
    function squares(WordSum memory sum) internal pure returns (uint256 found) {
        assembly ("memory-safe") {
            let lanes := 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff
            let twos := 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff
            let fours := 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff
            let bias := mload(add(sum, 224))
            let all := 0
            for { let pos := add(sum, 256) } lt(pos, add(sum, 384)) { pos := add(pos, 32) } {
                let word := mload(pos)
                let x := and(word, lanes)
                let y := and(shr(16, word), lanes)
                all := add(all, add(x, y))
                if gt(bias, FEW) {
                    for { let shift := 0 } lt(shift, 256) { shift := add(shift, 32) } {
                        let value := and(shr(shift, x), 0xffff)
                        found := add(found, mul(value, value))
                        value := and(shr(shift, y), 0xffff)
                        found := add(found, mul(value, value))
                    }
                    continue
                }
                let z := or(and(shr(32, x), twos), shl(32, and(x, twos)))
                z := or(and(shr(64, z), fours), shl(64, and(z, fours)))
                found := add(found, shr(224, mul(x, or(shr(128, z), shl(128, z)))))
                z := or(and(shr(32, y), twos), shl(32, and(y, twos)))
                z := or(and(shr(64, z), fours), shl(64, and(z, fours)))
                found := add(found, shr(224, mul(y, or(shr(128, z), shl(128, z)))))
            }
            // Lanes of 32 bits with sums of eight numbers: all 64.
            all := shr(
                224,
                mul(all, 0x0000000100000001000000010000000100000001000000010000000100000001)
            )
            found := sub(found, mul(bias, sub(shl(1, all), shl(6, bias))))
        }
    }

    /// @notice Adds what another sum has, its words too.
    function merge(WordSum memory sum, WordSum memory other) internal pure {
        assembly ("memory-safe") {
            for { let at := 192 } lt(at, 384) { at := add(at, 32) } {
                mstore(add(sum, at), add(mload(add(sum, at)), mload(add(other, at))))
            }
        }
    }

    /// @notice Adds `share` times the sum in the length 2^bits to the 64 numbers at `total`, a word each. Quotients
    ///   are truncated towards zero; zeros stay zeros.
    function addScaled(WordSum memory sum, uint256 total, uint256 bits, uint256 share)
        internal
        pure
    {
        uint256 size = Math.sqrt(squares(sum));
        assembly ("memory-safe") {
            let bias := mload(add(sum, 224))
            for { let i := 0 } lt(i, 128) { i := add(i, 32) } {
                let lanes := mload(add(add(sum, 256), i))
                let pos := add(total, i)
                for { let shift := 256 } shift {} {
                    shift := sub(shift, 16)
                    let value := sdiv(shl(bits, sub(and(shr(shift, lanes), 0xffff), bias)), size)
                    mstore(pos, add(mload(pos), mul(value, share)))
                    shift := sub(shift, 16)
                    value := sdiv(shl(bits, sub(and(shr(shift, lanes), 0xffff), bias)), size)
                    mstore(add(pos, 128), add(mload(add(pos, 128)), mul(value, share)))
                    shift := sub(shift, 16)
                    value := sdiv(shl(bits, sub(and(shr(shift, lanes), 0xffff), bias)), size)
                    mstore(add(pos, 256), add(mload(add(pos, 256)), mul(value, share)))
                    shift := sub(shift, 16)
                    value := sdiv(shl(bits, sub(and(shr(shift, lanes), 0xffff), bias)), size)
                    mstore(add(pos, 384), add(mload(add(pos, 384)), mul(value, share)))
                    pos := add(pos, 512)
                }
            }
        }
    }

    /// @notice The sum in a length, each number limited to what four bits hold: 64 of them.
    function nibbles(WordSum memory sum, uint256 length) internal pure returns (uint256 packed) {
        uint256 size = Math.sqrt(squares(sum));
        assembly ("memory-safe") {
            function limited(value) -> low {
                if gt(add(value, 8), 15) { value := sub(7, mul(15, slt(value, 0))) }
                low := and(value, 15)
            }
            let bias := mload(add(sum, 224))
            let first := mload(add(sum, 256))
            let second := mload(add(sum, 288))
            let third := mload(add(sum, 320))
            let fourth := mload(add(sum, 352))
            for { let shift := 256 } shift {} {
                shift := sub(shift, 16)
                let value := sdiv(mul(length, sub(and(shr(shift, first), 0xffff), bias)), size)
                packed := or(shl(4, packed), limited(value))
                value := sdiv(mul(length, sub(and(shr(shift, second), 0xffff), bias)), size)
                packed := or(shl(4, packed), limited(value))
                value := sdiv(mul(length, sub(and(shr(shift, third), 0xffff), bias)), size)
                packed := or(shl(4, packed), limited(value))
                value := sdiv(mul(length, sub(and(shr(shift, fourth), 0xffff), bias)), size)
                packed := or(shl(4, packed), limited(value))
            }
        }
    }

    /// @notice Writes the 64 numbers of the sum in the length 2^bits to memory at `pos`, a word each. Quotients are
    ///   truncated towards zero; zeros stay zeros.
    /// @return after_ The squares of what was written, added up.
    function writeScaled(WordSum memory sum, uint256 pos, uint256 bits)
        internal
        pure
        returns (uint256 after_)
    {
        uint256 size = Math.sqrt(squares(sum));
        assembly ("memory-safe") {
            let bias := mload(add(sum, 224))
            let first := mload(add(sum, 256))
            let second := mload(add(sum, 288))
            let third := mload(add(sum, 320))
            let fourth := mload(add(sum, 352))
            for { let shift := 256 } shift {} {
                shift := sub(shift, 16)
                let value := sdiv(shl(bits, sub(and(shr(shift, first), 0xffff), bias)), size)
                mstore(pos, value)
                after_ := add(after_, mul(value, value))
                value := sdiv(shl(bits, sub(and(shr(shift, second), 0xffff), bias)), size)
                mstore(add(pos, 32), value)
                after_ := add(after_, mul(value, value))
                value := sdiv(shl(bits, sub(and(shr(shift, third), 0xffff), bias)), size)
                mstore(add(pos, 64), value)
                after_ := add(after_, mul(value, value))
                value := sdiv(shl(bits, sub(and(shr(shift, fourth), 0xffff), bias)), size)
                mstore(add(pos, 96), value)
                after_ := add(after_, mul(value, value))
                pos := add(pos, 128)
            }
        }
    }

    /// @dev Adds the rows of the words at [pos, end): see `WordCuts.cut`. Keeps them at `rows` unless that is zero.
    function _addWords(WordSum memory sum, uint256 pos, uint256 end, uint256 rows) private view {
        if (pos == end) return;
        assembly ("memory-safe") {
            // Which head in a bucket has this mark: the bit above it, or zero. A mark's difference and all
            // ones have that bit unless there is none, and do not carry over.
            function headIn(sum_, chunk, bucket, mark) -> flag {
                let room := mload(add(sum_, 384))
                extcodecopy(mload(chunk), room, add(1, mul(BUCKET_BYTES, bucket)), BUCKET_BYTES)
                let other := xor(and(shr(192, mload(room)), HEAD_MARKS), mul(mark, HEADS))
                flag := and(not(add(other, HEAD_MARKS)), HEAD_FLAGS)
                flag := and(flag, sub(0, flag))
            }
            // Both of these leave early, and so are no part of the loop, whose stack is full.
            function keep(rows_, row, shift) -> behind {
                if iszero(rows_) { leave }
                let lanes := and(shr(12, row), LOWEST)
                mstore(rows_, lanes)
                let all := lanes
                lanes := and(shr(8, row), LOWEST)
                mstore(add(rows_, 32), lanes)
                all := add(all, lanes)
                lanes := and(shr(4, row), LOWEST)
                mstore(add(rows_, 64), lanes)
                all := add(all, lanes)
                lanes := and(row, LOWEST)
                mstore(add(rows_, 96), lanes)
                mstore(add(rows_, 128), shl(3, shr(240, mul(add(all, lanes), ONES))))
                mstore(add(rows_, 160), shift)
                behind := add(rows_, ROW_BYTES)
            }
            // Of the word at [start, end).
            function rowOf(sum_, start, end_) -> row, shift {
                if iszero(gt(byte(0, mload(start)), NINE)) {
                    row := xor(mload(add(sum_, 128)), SIGNS)
                    shift := shr(2, mload(add(sum_, 160)))
                    leave
                }
                let hash := keccak256(start, sub(end_, start))
                let mark := and(shr(64, hash), MARKS)
                mark := or(mark, iszero(mark))
                let chunk := mload(sum_)
                let buckets := mload(add(sum_, 32))
                let flag := headIn(sum_, chunk, mod(hash, buckets), mark)
                if iszero(flag) {
                    let others := mload(add(sum_, 64))
                    chunk := add(chunk, shl(5, add(gt(others, 0), mod(shr(96, hash), others))))
                    flag := headIn(sum_, chunk, mod(shr(128, hash), buckets), mark)
                    if iszero(flag) {
                        flag := headIn(sum_, chunk, mod(shr(160, hash), buckets), mark)
                    }
                }
                if iszero(flag) {
                    row := xor(mload(add(sum_, 96)), SIGNS)
                    shift := and(mload(add(sum_, 160)), 3)
                    leave
                }
                let room := mload(add(sum_, 384))
                row := xor(mload(add(add(room, 8), byte(0, mul(NUMBERS_AT, flag)))), SIGNS)
                shift := and(div(shr(192, mload(room)), flag), 3)
            }

            let bias := mload(add(sum, 224))
            let from0 := mload(add(sum, 256))
            let from1 := mload(add(sum, 288))
            let from2 := mload(add(sum, 320))
            let from3 := mload(add(sum, 352))
            for {} lt(pos, end) { pos := add(pos, 32) } {
                let row := mload(pos)
                let shift := 0
                row, shift := rowOf(sum, shr(32, row), and(row, 0xffffffff))
                bias := add(bias, shl(shift, 8))
                from0 := add(from0, shl(shift, and(shr(12, row), LOWEST)))
                from1 := add(from1, shl(shift, and(shr(8, row), LOWEST)))
                from2 := add(from2, shl(shift, and(shr(4, row), LOWEST)))
                from3 := add(from3, shl(shift, and(row, LOWEST)))
                rows := keep(rows, row, shift)
            }
            mstore(add(sum, 224), bias)
            mstore(add(sum, 256), from0)
            mstore(add(sum, 288), from1)
            mstore(add(sum, 320), from2)
            mstore(add(sum, 352), from3)
        }
    }
}
