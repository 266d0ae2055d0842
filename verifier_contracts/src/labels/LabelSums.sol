// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice A sum of rows as it grows. chunks: memory position of the table's contracts. mask: the number
///   of rows less one. Sums are 16-bit lanes: dimensions 0, 16, 32, 48 and the fifteen behind each.
struct LabelSum {
    uint256 chunks;
    uint256 mask;
    uint256 rows;
    uint256 from0;
    uint256 from16;
    uint256 from32;
    uint256 from48;
}

/// @title Sums of the rows of a classifier's table, laid out as `LabelTable` says
/// @dev At most 256 rows: biased values of a byte cannot overflow lanes of two.
library LabelSums {
    uint256 private constant ROWS_PER_CHUNK = 383;
    uint256 private constant LANES =
        0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
    uint256 private constant ONES = LANES / 0xff;
    uint256 private constant SIGNS = 0x8000 * ONES;

    /// @notice Adds the row that a hash selects by its lowest bits.
    function add(LabelSum memory sum, uint256 hash) internal view {
        uint256 place = hash & sum.mask;
        uint256 chunks = sum.chunks;
        assembly ("memory-safe") {
            extcodecopy(
                mload(add(chunks, shl(5, div(place, ROWS_PER_CHUNK)))),
                0,
                add(1, shl(6, mod(place, ROWS_PER_CHUNK))),
                64
            )
            let first := mload(0)
            let second := mload(32)
            let pos := add(sum, 64)
            mstore(pos, add(mload(pos), 1))
            pos := add(pos, 32)
            mstore(pos, add(mload(pos), and(shr(8, first), LANES)))
            pos := add(pos, 32)
            mstore(pos, add(mload(pos), and(shr(8, second), LANES)))
            pos := add(pos, 32)
            mstore(pos, add(mload(pos), and(first, LANES)))
            pos := add(pos, 32)
            mstore(pos, add(mload(pos), and(second, LANES)))
        }
    }

    /// @notice The 64 features: int16 values, big-endian two's complement.
    function features(LabelSum memory sum) internal pure returns (bytes memory) {
        uint256 rows = sum.rows;
        return abi.encodePacked(
            _unbias(sum.from0, rows),
            _unbias(sum.from16, rows),
            _unbias(sum.from32, rows),
            _unbias(sum.from48, rows)
        );
    }

    /// @dev Subtracts 128 `rows` from each lane, without borrowing from its neighbour.
    function _unbias(uint256 lanes, uint256 rows) private pure returns (uint256) {
        unchecked {
            uint256 bias = ONES * (rows << 7);
            return ((lanes | SIGNS) - (bias & ~SIGNS)) ^ ((lanes ^ ~bias) & SIGNS);
        }
    }
}
