// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";
import {WordSum, WordSums} from "./WordSums.sol";

/// @title Where a reader's table of words lies: up to 32 contracts, as many buckets in each
/// @notice Buckets lie in contract code behind a zero byte, up to 180 of them: what they hold says
///   `models/reader/rows.py`. Behind the last one are head and numbers of words without a row, and of numbers.
/// @dev An array cannot be immutable, hence the many names.
abstract contract WordTable {
    uint256 private constant BUCKETS_PER_CHUNK = WordSums.BUCKETS_PER_CHUNK;
    uint256 private constant BUCKET_BYTES = WordSums.BUCKET_BYTES;
    uint256 private constant ENTRY_BYTES = WordSums.ENTRY_BYTES;
    uint256 private constant MAX_CHUNKS = 32;

    address private immutable _chunk0;
    address private immutable _chunk1;
    address private immutable _chunk2;
    address private immutable _chunk3;
    address private immutable _chunk4;
    address private immutable _chunk5;
    address private immutable _chunk6;
    address private immutable _chunk7;
    address private immutable _chunk8;
    address private immutable _chunk9;
    address private immutable _chunk10;
    address private immutable _chunk11;
    address private immutable _chunk12;
    address private immutable _chunk13;
    address private immutable _chunk14;
    address private immutable _chunk15;
    address private immutable _chunk16;
    address private immutable _chunk17;
    address private immutable _chunk18;
    address private immutable _chunk19;
    address private immutable _chunk20;
    address private immutable _chunk21;
    address private immutable _chunk22;
    address private immutable _chunk23;
    address private immutable _chunk24;
    address private immutable _chunk25;
    address private immutable _chunk26;
    address private immutable _chunk27;
    address private immutable _chunk28;
    address private immutable _chunk29;
    address private immutable _chunk30;
    address private immutable _chunk31;

    /// @dev In each contract.
    uint256 private immutable _buckets;
    uint256 private immutable _count;
    /// @dev Of words without a row, and of numbers; their shifts lie in bits 0 and 1, and 2 and 3.
    uint256 private immutable _unknown;
    uint256 private immutable _number;
    uint256 private immutable _shifts;

    /// @notice The table needs another number of contracts, up to 180 buckets in each.
    error ChunkCountMismatch(uint256 expected, uint256 received);
    /// @notice The buckets do not fill their contracts evenly.
    error BucketsUneven(uint256 buckets, uint256 chunks);

    /// @param chunks The contracts that hold the table, in order.
    /// @param buckets The table's number of buckets, at least one.
    constructor(address[] memory chunks, uint256 buckets) {
        (uint256 each, address last) = _check(chunks, buckets);
        uint256 apart = 1 + BUCKET_BYTES * each;
        (uint256 ofUnknown, uint256 unknown) = _entry(last, apart);
        (uint256 ofNumber, uint256 number) = _entry(last, apart + ENTRY_BYTES);
        (_buckets, _count, _unknown, _number) = (each, chunks.length, unknown, number);
        _shifts = ofUnknown | (ofNumber << 2);
        _chunk0 = chunks[0];
        _chunk1 = _at(chunks, 1);
        _chunk2 = _at(chunks, 2);
        _chunk3 = _at(chunks, 3);
        _chunk4 = _at(chunks, 4);
        _chunk5 = _at(chunks, 5);
        _chunk6 = _at(chunks, 6);
        _chunk7 = _at(chunks, 7);
        _chunk8 = _at(chunks, 8);
        _chunk9 = _at(chunks, 9);
        _chunk10 = _at(chunks, 10);
        _chunk11 = _at(chunks, 11);
        _chunk12 = _at(chunks, 12);
        _chunk13 = _at(chunks, 13);
        _chunk14 = _at(chunks, 14);
        _chunk15 = _at(chunks, 15);
        _chunk16 = _at(chunks, 16);
        _chunk17 = _at(chunks, 17);
        _chunk18 = _at(chunks, 18);
        _chunk19 = _at(chunks, 19);
        _chunk20 = _at(chunks, 20);
        _chunk21 = _at(chunks, 21);
        _chunk22 = _at(chunks, 22);
        _chunk23 = _at(chunks, 23);
        _chunk24 = _at(chunks, 24);
        _chunk25 = _at(chunks, 25);
        _chunk26 = _at(chunks, 26);
        _chunk27 = _at(chunks, 27);
        _chunk28 = _at(chunks, 28);
        _chunk29 = _at(chunks, 29);
        _chunk30 = _at(chunks, 30);
        _chunk31 = _at(chunks, 31);
    }

    /// @notice Where the table lies, to sum up rows: `WordSums`.
    function _table() internal view returns (WordSum memory sum) {
        address[MAX_CHUNKS] memory chunks;
        chunks[0] = _chunk0;
        chunks[1] = _chunk1;
        chunks[2] = _chunk2;
        chunks[3] = _chunk3;
        chunks[4] = _chunk4;
        chunks[5] = _chunk5;
        chunks[6] = _chunk6;
        chunks[7] = _chunk7;
        chunks[8] = _chunk8;
        chunks[9] = _chunk9;
        chunks[10] = _chunk10;
        chunks[11] = _chunk11;
        chunks[12] = _chunk12;
        chunks[13] = _chunk13;
        chunks[14] = _chunk14;
        chunks[15] = _chunk15;
        chunks[16] = _chunk16;
        chunks[17] = _chunk17;
        chunks[18] = _chunk18;
        chunks[19] = _chunk19;
        chunks[20] = _chunk20;
        chunks[21] = _chunk21;
        chunks[22] = _chunk22;
        chunks[23] = _chunk23;
        chunks[24] = _chunk24;
        chunks[25] = _chunk25;
        chunks[26] = _chunk26;
        chunks[27] = _chunk27;
        chunks[28] = _chunk28;
        chunks[29] = _chunk29;
        chunks[30] = _chunk30;
        chunks[31] = _chunk31;
        uint256 pos;
        assembly ("memory-safe") {
            pos := chunks
        }
        (sum.chunks, sum.buckets, sum.others) = (pos, _buckets, _count - 1);
        (sum.unknown, sum.number, sum.shifts) = (_unknown, _number, _shifts);
    }

    function _check(address[] memory chunks, uint256 buckets)
        private
        view
        returns (uint256 each, address last)
    {
        uint256 expected = buckets / BUCKETS_PER_CHUNK;
        if (buckets % BUCKETS_PER_CHUNK != 0) ++expected;
        if (expected == 0 || expected != chunks.length || expected > MAX_CHUNKS) {
            revert ChunkCountMismatch(expected, chunks.length);
        }
        if (buckets % expected != 0) revert BucketsUneven(buckets, expected);
        each = buckets / expected;
        for (uint256 i = 0; i < expected; ++i) {
            last = chunks[i];
            uint256 minimum = 1 + BUCKET_BYTES * each;
            if (i + 1 == expected) minimum += 2 * ENTRY_BYTES;
            uint256 length = last.code.length;
            if (length < minimum) revert ModelData.DataTooShort(last, minimum, length);
        }
    }

    /// @dev The shift and the 64 numbers of the entry at `offset` of the code of `chunk`.
    function _entry(address chunk, uint256 offset)
        private
        view
        returns (uint256 shift, uint256 row)
    {
        assembly ("memory-safe") {
            extcodecopy(chunk, 0, offset, 34)
            shift := shr(254, mload(0))
            row := mload(2)
        }
    }

    function _at(address[] memory chunks, uint256 i) private pure returns (address) {
        return i < chunks.length ? chunks[i] : address(0);
    }
}
