// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {BatchRows} from "../../src/libraries/BatchRows.sol";

contract BatchRowsTest is Test {
    function test_the_last_row_is_repeated() public pure {
        bytes[] memory rows = new bytes[](2);
        (rows[0], rows[1]) = ("ab", "cd");
        assertEq(BatchRows.fill(rows, 2), "abcd");
        assertEq(BatchRows.fill(rows, 4), "abcdcdcd");
    }

    function testFuzz_rows_of_any_width_are_laid_out_alike(
        bytes32 seed,
        uint8 width,
        uint8 count,
        uint8 more
    ) public pure {
        bytes[] memory rows = new bytes[](bound(count, 1, 16));
        uint256 size = rows.length + more % 8;
        bytes memory expected;
        for (uint256 i = 0; i < size; ++i) {
            if (i < rows.length) rows[i] = rowOf(seed, i, width);
            expected = bytes.concat(expected, rows[i < rows.length ? i : rows.length - 1]);
        }
        assertEq(BatchRows.fill(rows, size), expected);
    }

    function rowOf(bytes32 seed, uint256 index, uint256 width)
        private
        pure
        returns (bytes memory row)
    {
        row = new bytes(width);
        for (uint256 i = 0; i < width; ++i) {
            row[i] = bytes1(keccak256(abi.encode(seed, index, i)));
        }
    }
}
