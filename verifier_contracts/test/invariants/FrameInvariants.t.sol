// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {FrameHandler} from "./FrameHandler.sol";
import {Hostile} from "./Hostile.sol";
import {StrictFrameHandler} from "./StrictFrameHandler.sol";

/// @dev What holds whatever callees, tokens, owners and senders do.
contract FrameInvariants is Test {
    FrameHandler internal handler;

    function setUp() public {
        handler = makeHandler();
        bytes4[] memory selectors = new bytes4[](4);
        selectors[0] = handler.run.selector;
        selectors[1] = handler.run.selector; // most calls
        selectors[2] = handler.runTwice.selector;
        selectors[3] = handler.misbehave.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
        targetContract(address(handler));
    }

    function makeHandler() internal virtual returns (FrameHandler) {
        return new FrameHandler();
    }

    function invariant_frames_hold() public view virtual {
        assertEq(handler.unproven(), "", "no effect without a proven claim");
        assertEq(handler.story(), "", "what a run emits is what it did");
        assertEq(handler.leak(), "", "no value of a frame is seen in another");
        uint256 left = handler.token().balanceOf(handler.vault());
        assertEq(left + handler.decided(), handler.SUPPLY(), "tokens move by decided calls only");
    }

    /// @dev The handler gets somewhere: with every misdeed some runs finish and some are refused.
    function test_runs_finish_and_are_refused_under_every_misdeed() public {
        for (uint8 misdeed = 0; misdeed <= uint8(type(Hostile.Act).max); ++misdeed) {
            (uint256 finished, uint256 refused) = (handler.finished(), handler.refused());
            for (uint256 seed = 0; seed < 8; ++seed) {
                handler.run(seed, misdeed, uint8(seed), 200_000);
            }
            assertGt(handler.finished(), finished, vm.toString(misdeed));
            assertGt(handler.refused(), refused, vm.toString(misdeed));
        }
        invariant_frames_hold();
    }
}

/// @dev The same of agents that prove before they act, and that they do.
contract StrictFrameInvariants is FrameInvariants {
    function makeHandler() internal override returns (FrameHandler) {
        return new StrictFrameHandler();
    }

    function invariant_nothing_is_paid_before_its_proof() public view {
        assertEq(StrictFrameHandler(address(handler)).hasty(), "", "proven before paid");
    }
}
