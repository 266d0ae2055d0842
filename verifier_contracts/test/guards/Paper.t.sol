// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IBudgets} from "../../src/interfaces/guards/IBudgets.sol";
import {Mode} from "../../src/interfaces/guards/IGuard.sol";
import {IGuardedCalls} from "../../src/interfaces/guards/IGuardedCalls.sol";
import {ArmedTool, DecidedAgent} from "./GuardFakes.sol";
import {GuardWorld} from "./GuardWorld.sol";

/// @dev Fails with what looks like the result of a call on paper.
contract ForgingTool is ArmedTool {
    function forge() external pure {
        revert IGuardedCalls.PaperOutcome(true, abi.encode(int256(-1), "all is well"));
    }
}

contract PaperTest is GuardWorld {
    function setUp() public override {
        super.setUp();
        guard.setMode(Mode.PAPER);
    }

    function test_a_call_on_paper_answers_and_changes_nothing() public {
        assertEq(agent.act(pay, payment(100)), "Paid");
        assertEq(agent.lastRunId(), -1);
        assertEq(token.balanceOf(alice), 0);
        assertEq(spent(address(token)), 0);
        (uint256 runs,) = guard.runsOf(address(pay));
        assertEq(runs, 0);
        (, uint256 counted) = guard.rate();
        assertEq(counted, 0);
        guard.setMode(Mode.AUTONOMOUS);
        pays(100); // no call is under way
    }

    function test_what_would_be_refused_is_refused_on_paper() public {
        vm.expectPartialRevert(IBudgets.CallLimitExceeded.selector);
        pays(401);
        armPayment(address(token), 401, alice);
        vm.expectPartialRevert(IBudgets.CallLimitExceeded.selector);
        acts();
    }

    function test_a_tools_failure_passes_unchanged() public {
        vault.pay(address(token), FUNDS, stranger);
        vm.expectRevert(
            abi.encodeWithSignature(
                "ERC20InsufficientBalance(address,uint256,uint256)", vault, 0, 100
            )
        );
        pays(100);
    }

    /// @dev The tool would like its failure, and with it all that it did, to pass for a result.
    function test_a_failure_that_looks_like_a_result_is_a_failure() public {
        ForgingTool forging = new ForgingTool();
        guard.allow(address(forging), opaqueRule());
        forging.arm(address(forging), abi.encodeCall(ForgingTool.forge, ()));
        vm.expectRevert(
            abi.encodeWithSelector(
                IGuardedCalls.PaperOutcome.selector, true, abi.encode(int256(-1), "all is well")
            )
        );
        agent.act(forging, inputOf(""));
        assertEq(agent.lastResult(), "");
    }

    function test_a_call_in_which_an_agent_decides_is_not_made_on_paper() public {
        armed.arm(address(agent), abi.encodeCall(agent.decide, (false)));
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.PaperCallDecides.selector, armed));
        acts();
    }

    /// @dev Rolling back would undo the poison: nobody would ever know of the wrong claim.
    function test_a_wrong_claim_in_a_call_on_paper_ends_the_run() public {
        armed.armCarelessly(address(agent), abi.encodeCall(agent.decide, (true)));
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.PaperCallDecides.selector, armed));
        acts();
        guard.setMode(Mode.AUTONOMOUS);
        acts();
        assertTrue(agent.poisoned());
    }

    function test_a_tool_that_answers_later_is_not_called_on_paper() public {
        armed.setRunId(5);
        vm.expectRevert(
            abi.encodeWithSelector(
                IGuardedCalls.GuardedToolIsAsynchronous.selector, armed, int256(5)
            )
        );
        acts();
    }

    function test_only_the_agent_itself_calls_on_paper() public {
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.CallerIsNotItself.selector, stranger));
        agent.callOnPaper(pay, pay, payment(1));
    }

    /// @dev With too little gas the call fails, and with it the run.
    function testFuzz_no_amount_of_gas_makes_a_call_on_paper_real(uint256 given) public {
        given = bound(given, 30_000, 600_000);
        (bool success,) =
            address(agent).call{gas: given}(abi.encodeCall(DecidedAgent.act, (pay, payment(100))));
        assertEq(token.balanceOf(alice), 0);
        assertEq(agent.lastResult(), success ? "Paid" : "");
    }
}
