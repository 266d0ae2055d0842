// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {TransientBytes} from "../../src/libraries/TransientBytes.sol";
import {Test} from "forge-std/Test.sol";

contract TransientBytesTest is Test {
    uint256 private constant SLOT = 1 << 200;
    uint256 private constant OTHER = 1 << 201;

    function storeCalldata(uint256 slot, bytes calldata value) external {
        TransientBytes.storeCalldata(slot, value);
    }

    function testFuzz_what_is_stored_is_read(bytes memory value, bytes memory other) public {
        TransientBytes.store(SLOT, value);
        TransientBytes.store(OTHER, other);
        assertEq(TransientBytes.load(SLOT), value);
        assertEq(TransientBytes.load(OTHER), other);
        assertEq(TransientBytes.lengthOf(SLOT), value.length);
    }

    function testFuzz_calldata_is_stored_alike(bytes calldata value) public {
        this.storeCalldata(SLOT, value);
        assertEq(TransientBytes.load(SLOT), value);
    }

    function testFuzz_clearing_leaves_no_word(bytes memory value) public {
        TransientBytes.store(SLOT, value);
        TransientBytes.clear(SLOT);
        for (uint256 i = 0; i <= value.length / 32 + 1; ++i) {
            uint256 slot = SLOT + i;
            uint256 word;
            assembly ("memory-safe") {
                word := tload(slot)
            }
            assertEq(word, 0);
        }
    }

    function test_reading_does_not_overlap_later_memory() public {
        TransientBytes.store(SLOT, "123456789012345678901234567890123");
        bytes memory read = TransientBytes.load(SLOT);
        bytes memory later = "later";
        assertEq(read, "123456789012345678901234567890123");
        assertEq(later, "later");
    }
}
