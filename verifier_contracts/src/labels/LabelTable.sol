// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";

/// @title Where a classifier's table lies: up to 22 contracts, 383 rows of 64 bytes in each
/// @dev Rows lie in contract code behind a zero byte, int8 values plus 128; byte 2 k is dimension k and
///   byte 2 k + 1 dimension 32 + k. An array cannot be immutable, hence the many names.
abstract contract LabelTable {
    /// @notice Rows of the table in one contract: 383 * 64 + 1 bytes of code.
    uint256 internal constant ROWS_PER_CHUNK = 383;

    uint256 internal constant ROW_BYTES = 64;
    uint256 private constant MAX_CHUNKS = 22; // 8,192 rows

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

    uint256 internal immutable _rowMask;

    /// @notice The table needs another number of contracts, 383 rows in each.
    error ChunkCountMismatch(uint256 expected, uint256 received);

    /// @param chunks The contracts that hold the table, in order.
    /// @param rows The table's number of rows, a power of two.
    constructor(address[] memory chunks, uint256 rows) {
        ModelData.checkRows(rows);
        _checkChunks(chunks, rows);
        _rowMask = rows - 1;
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
    }

    /// @dev The addresses of the table's contracts in memory.
    function _chunks() internal view returns (uint256 pos) {
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
        assembly ("memory-safe") {
            pos := chunks
        }
    }

    function _checkChunks(address[] memory chunks, uint256 rows) private view {
        uint256 expected = (rows + ROWS_PER_CHUNK - 1) / ROWS_PER_CHUNK;
        if (expected != chunks.length || expected > MAX_CHUNKS) {
            revert ChunkCountMismatch(expected, chunks.length);
        }
        for (uint256 i = 0; i < expected; ++i) {
            uint256 here = i + 1 == expected ? rows - i * ROWS_PER_CHUNK : ROWS_PER_CHUNK;
            uint256 length = chunks[i].code.length;
            if (length < 1 + ROW_BYTES * here) {
                revert ModelData.DataTooShort(chunks[i], 1 + ROW_BYTES * here, length);
            }
        }
    }

    function _at(address[] memory chunks, uint256 i) private pure returns (address) {
        return i < chunks.length ? chunks[i] : address(0);
    }
}
