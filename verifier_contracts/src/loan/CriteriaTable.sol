// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Embedding} from "../encoding/Embedding.sol";

/// @notice A sum of rows as it grows. chunks: memory position of the table's contracts. rows: how many.
struct RowSum {
    uint256 chunks;
    uint256 low;
    uint256 high;
    uint256 rows;
}

/// @title The text table of criteria: 4,096 rows, each for one n-gram
/// @notice An n-gram's row is the one that the lowest 12 bits of its hash say, if the row's last byte is the
///   byte at bits 16 to 23 of the hash. Rows lie in contract code as `Embedding` has them: int8 values
///   plus 128; byte 2 k is dimension k and byte 2 k + 1 dimension 16 + k, so that the last byte, the
///   mark, is in the place of dimension 31, which is always zero.
library CriteriaTable {
    uint256 internal constant ROWS = 4096;

    uint256 private constant LANES =
        0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
    uint256 private constant ONES = LANES / 0xff;
    uint256 private constant SIGNS = 0x8000 * ONES;

    function begin(uint256 chunks) internal pure returns (RowSum memory sum) {
        sum.chunks = chunks;
    }

    /// @notice Adds the row of the n-gram with this hash, if it has one.
    function add(RowSum memory sum, uint256 ngram) internal view {
        uint256 perChunk = Embedding.ROWS_PER_CHUNK;
        uint256 place = ngram & (ROWS - 1);
        uint256 chunks = sum.chunks;
        uint256 row;
        assembly ("memory-safe") {
            let chunk := mload(add(chunks, shl(5, div(place, perChunk))))
            extcodecopy(chunk, 0, add(1, shl(5, mod(place, perChunk))), 32)
            row := mload(0)
        }
        if (row & 0xff != (ngram >> 16) & 0xff) return;
        sum.low = _plus(sum.low, (row >> 8) & LANES);
        sum.high = _plus(sum.high, row & LANES);
        ++sum.rows;
    }

    /// @notice The sums without what was added to each value, 16-bit lanes in two's complement.
    function end(RowSum memory sum) internal pure returns (uint256 low, uint256 high) {
        low = _unbias(sum.low, sum.rows);
        high = _unbias(sum.high, sum.rows) & ~uint256(0xffff);
    }

    /// @dev Adds lane by lane, each modulo 2 ** 16.
    function _plus(uint256 a, uint256 b) private pure returns (uint256) {
        unchecked {
            return ((a & ~SIGNS) + (b & ~SIGNS)) ^ ((a ^ b) & SIGNS);
        }
    }

    /// @dev Subtracts 128 `rows` from each lane, modulo 2 ** 16.
    function _unbias(uint256 lanes, uint256 rows) private pure returns (uint256) {
        unchecked {
            uint256 bias = ONES * ((rows << 7) & 0xffff);
            return ((lanes | SIGNS) - (bias & ~SIGNS)) ^ ((lanes ^ ~bias) & SIGNS);
        }
    }
}
