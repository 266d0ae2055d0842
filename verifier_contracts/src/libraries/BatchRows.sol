// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Rows of a batch, one behind the other, filled up by a rule that leaves no choice
library BatchRows {
    /// @notice The rows in order, the last one repeated until there are `size` of them.
    /// @dev The caller has checked that there are 1 to `size` rows, all of one length. The rule is that
    ///   of `circuits/networks/batch.py`, and whoever proves has to follow it.
    function fill(bytes[] memory rows, uint256 size) internal pure returns (bytes memory all) {
        uint256 width = rows[0].length;
        all = new bytes(size * width);
        for (uint256 i = 0; i < size; ++i) {
            bytes memory row = rows[i < rows.length ? i : rows.length - 1];
            assembly ("memory-safe") {
                mcopy(add(add(all, 32), mul(i, width)), add(row, 32), width)
            }
        }
    }
}
