// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {StateHandler} from "./StateHandler.sol";

/// @dev What the parts of the executor promise each other.
contract StateInvariants is Test {
    StateHandler private handler;

    function setUp() public {
        handler = new StateHandler();
        bytes4[] memory selectors = new bytes4[](2);
        selectors[0] = handler.useFrames.selector;
        selectors[1] = handler.cover.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
        targetContract(address(handler));
    }

    function invariant_frames_are_apart_and_coverage_is_a_partition() public view {
        assertEq(handler.leak(), "", "no value of a frame is seen in another");
        assertEq(handler.hole(), "", "each claim is covered once");
    }

    function test_frames_are_used_and_undone() public {
        for (uint256 seed = 0; seed < 50; ++seed) {
            handler.useFrames(seed);
            handler.cover(uint256(keccak256(abi.encode(seed))));
        }
        assertGt(handler.frames(), 100);
        assertLt(handler.frames(), 150);
        assertEq(handler.coverages(), 50);
        invariant_frames_are_apart_and_coverage_is_a_partition();
    }
}
