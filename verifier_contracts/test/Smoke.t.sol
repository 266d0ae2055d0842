// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Test} from "forge-std/Test.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

/// Shows that compiler, libraries and fuzzing are in place.
contract SmokeTest is Test {
    function testFuzz_the_maximum_is_one_of_the_two(uint256 a, uint256 b) public pure {
        uint256 larger = Math.max(a, b);
        assertTrue((larger == a || larger == b) && larger >= a && larger >= b);
    }

    function testFuzz_stored_bytes_come_back(bytes calldata data) public {
        vm.assume(data.length < 0x6000);
        assertEq(SSTORE2.read(SSTORE2.write(data)), data);
    }
}
