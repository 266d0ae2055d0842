// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IAllowList} from "../../src/interfaces/guards/IAllowList.sol";
import {CallStatus, IApprovals, WaitingCall} from "../../src/interfaces/guards/IApprovals.sol";
import {IBudgets} from "../../src/interfaces/guards/IBudgets.sol";
import {IGuard, Mode} from "../../src/interfaces/guards/IGuard.sol";
import {IGuardedCalls} from "../../src/interfaces/guards/IGuardedCalls.sol";
import {GuardWorld} from "./GuardWorld.sol";

contract ApprovalsTest is GuardWorld {
    uint40 private until;

    function setUp() public override {
        super.setUp();
        guard.setMode(Mode.SUPERVISED);
        until = uint40(block.timestamp + 3600);
    }

    function approve(uint256 ticket, uint256 amount) private {
        guard.approve(ticket, guard.callHashOf(pay, payment(amount)), until);
    }

    function test_a_call_waits_and_is_recorded() public {
        bytes32 hash = keccak256(abi.encode(pay, payment(100)));
        vm.expectEmit(address(guard));
        emit IApprovals.CallWaits(1, address(pay), hash, payment(100));
        pays(100);
        assertEq(agent.lastRunId(), 1);
        assertEq(token.balanceOf(alice), 0);
        assertEq(guard.tickets(), 1);
        WaitingCall memory call = guard.waiting(1);
        assertEq(call.callHash, hash);
        assertEq(call.tool, address(pay));
        assertEq(call.since, block.timestamp);
        assertTrue(call.status == CallStatus.WAITING);
    }

    function test_an_approved_call_is_made_once_by_anybody_and_told_to_the_run() public {
        pays(100);
        approve(1, 100);
        assertEq(token.balanceOf(alice), 0);
        vm.prank(stranger);
        agent.makeApproved(1, payment(100));
        assertEq(token.balanceOf(alice), 100);
        assertEq(spent(address(token)), 100);
        assertEq(agent.lastResult(), "Paid");
        assertTrue(guard.waiting(1).status == CallStatus.MADE);
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.NotWaitedFor.selector, 1));
        agent.makeApproved(1, payment(100));
        vm.prank(address(agent));
        vm.expectRevert(
            abi.encodeWithSelector(IApprovals.CallNotApproved.selector, 1, CallStatus.MADE, until)
        );
        guard.beforeApprovedCall(1, payment(100));
    }

    function test_a_call_that_was_not_approved_is_not_made() public {
        pays(100);
        vm.expectRevert(
            abi.encodeWithSelector(IApprovals.CallNotApproved.selector, 1, CallStatus.WAITING, 0)
        );
        agent.makeApproved(1, payment(100));
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.NotWaitedFor.selector, 2));
        agent.makeApproved(2, payment(100));
    }

    function test_an_approval_is_for_exactly_that_call() public {
        pays(100);
        bytes32 asked = guard.callHashOf(pay, payment(100));
        bytes32 other = guard.callHashOf(pay, payment(101));
        vm.expectRevert(abi.encodeWithSelector(IApprovals.OtherCall.selector, 1, asked, other));
        guard.approve(1, other, until);
        approve(1, 100);
        vm.expectRevert(abi.encodeWithSelector(IApprovals.OtherCall.selector, 1, asked, other));
        agent.makeApproved(1, payment(101));
    }

    function test_the_same_call_asked_for_twice_is_approved_twice() public {
        pays(100);
        pays(100);
        assertEq(guard.tickets(), 2);
        approve(1, 100);
        agent.makeApproved(1, payment(100));
        vm.expectPartialRevert(IApprovals.CallNotApproved.selector);
        agent.makeApproved(2, payment(100));
    }

    function test_an_approval_ends() public {
        pays(100);
        approve(1, 100);
        vm.warp(until + 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                IApprovals.CallNotApproved.selector, 1, CallStatus.APPROVED, until
            )
        );
        agent.makeApproved(1, payment(100));
        bytes32 hash = guard.callHashOf(pay, payment(100));
        vm.expectRevert(
            abi.encodeWithSelector(IApprovals.ApprovalInThePast.selector, until, block.timestamp)
        );
        guard.approve(1, hash, until);
        until = uint40(block.timestamp);
        approve(1, 100);
        agent.makeApproved(1, payment(100));
    }

    /// @dev As it was approved or not at all, until the approval ends.
    function test_when_the_state_has_moved_the_call_can_be_tried_again() public {
        guard.setBudget(address(token), 1e6, type(uint96).max);
        pays(FUNDS);
        approve(1, FUNDS);
        vault.pay(address(token), 1, stranger);
        vm.expectRevert();
        agent.makeApproved(1, payment(FUNDS));
        assertTrue(guard.waiting(1).status == CallStatus.APPROVED);
        token.mint(address(vault), 1);
        agent.makeApproved(1, payment(FUNDS));
        assertEq(token.balanceOf(alice), FUNDS);
    }

    function test_budgets_rates_and_pauses_hold_for_what_was_approved() public {
        pays(100);
        approve(1, 100);
        guard.setBudget(address(token), 99, PER_CALL);
        vm.expectPartialRevert(IBudgets.BudgetExceeded.selector);
        agent.makeApproved(1, payment(100));
        guard.setBudget(address(token), 100, PER_CALL);
        guard.pause("no");
        vm.expectPartialRevert(IGuard.GuardIsPaused.selector);
        agent.makeApproved(1, payment(100));
        guard.resume();
        guard.disallow(address(pay));
        vm.expectPartialRevert(IAllowList.ToolNotAllowed.selector);
        agent.makeApproved(1, payment(100));
    }

    function test_nothing_that_was_approved_is_made_while_calls_are_on_paper() public {
        pays(100);
        approve(1, 100);
        guard.setMode(Mode.PAPER);
        vm.expectRevert(IApprovals.OnPaperOnly.selector);
        agent.makeApproved(1, payment(100));
        guard.setMode(Mode.AUTONOMOUS);
        agent.makeApproved(1, payment(100));
    }

    function test_a_declined_call_is_not_made_and_the_run_is_told() public {
        pays(100);
        vm.expectRevert(
            abi.encodeWithSelector(IApprovals.CallDoesNotWait.selector, 1, CallStatus.WAITING)
        );
        agent.tellDeclined(1);
        approve(1, 100);
        guard.decline(1, "not today");
        vm.expectRevert(
            abi.encodeWithSelector(
                IApprovals.CallNotApproved.selector, 1, CallStatus.DECLINED, until
            )
        );
        agent.makeApproved(1, payment(100));
        bytes32 hash = guard.callHashOf(pay, payment(100));
        vm.expectRevert(
            abi.encodeWithSelector(IApprovals.CallDoesNotWait.selector, 1, CallStatus.DECLINED)
        );
        guard.approve(1, hash, until);
        agent.tellDeclined(1);
        assertEq(agent.lastResult(), "The owner declined this call.");
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.NotWaitedFor.selector, 1));
        agent.tellDeclined(1);
    }

    function test_a_tool_that_only_looks_waits_for_nobody() public {
        ToolRule memory rule = opaqueRule();
        rule.unattended = true;
        guard.allow(address(armed), rule);
        acts();
        assertEq(agent.lastResult(), "done");
        assertEq(guard.tickets(), 0);
    }

    function test_only_the_owner_approves_and_declines() public {
        pays(100);
        bytes32 hash = guard.callHashOf(pay, payment(100));
        bytes memory reason = abi.encodeWithSelector(
            IGuard.CallerIsNotTheGuardsOwner.selector, stranger, address(this)
        );
        vm.startPrank(stranger);
        vm.expectRevert(reason);
        guard.approve(1, hash, until);
        vm.expectRevert(reason);
        guard.decline(1, "");
        vm.stopPrank();
        guard.approve(1, hash, until);
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(IGuard.CallerIsNotGuarded.selector, stranger, agent));
        guard.beforeApprovedCall(1, payment(100));
    }

    function test_a_paused_guard_is_not_asked() public {
        guard.pause("no");
        vm.expectRevert(abi.encodeWithSelector(IGuard.GuardIsPaused.selector, "no"));
        pays(1);
    }

    function test_a_tool_that_is_not_listed_is_not_asked_for() public {
        guard.disallow(address(pay));
        vm.expectRevert(abi.encodeWithSelector(IAllowList.ToolNotAllowed.selector, pay));
        pays(1);
    }

    function test_a_tool_that_answers_later_is_not_approved_into_the_unmeasured() public {
        agent.act(armed, inputOf(""));
        guard.approve(1, guard.callHashOf(armed, inputOf("")), until);
        armed.setRunId(5);
        vm.expectRevert(
            abi.encodeWithSelector(
                IGuardedCalls.GuardedToolIsAsynchronous.selector, armed, int256(5)
            )
        );
        agent.makeApproved(1, inputOf(""));
    }
}
