// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {GuardedTool} from "../../src/guards/GuardedTool.sol";
import {IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IStrictAgent} from "../../src/interfaces/IStrictAgent.sol";
import {IERCAgentClient} from "../../src/interfaces/erc/IERCAgentClient.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {IAllowList, ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IBudgets} from "../../src/interfaces/guards/IBudgets.sol";
import {Mode} from "../../src/interfaces/guards/IGuard.sol";
import {IGuardedCalls} from "../../src/interfaces/guards/IGuardedCalls.sol";
import {IGuardedTool} from "../../src/interfaces/guards/IGuardedTool.sol";
import {Vault} from "./GuardFakes.sol";
import {GuardWorld} from "./GuardWorld.sol";

/// @dev The plain agent is the test: it knows the ERC's tool and nothing of guards.
contract GuardedToolTest is GuardWorld, IERCAgentClient {
    GuardedTool private tool;
    int256 private heardOf;
    string private heard;

    function setUp() public override {
        super.setUp();
        guard = newGuard(address(0));
        address predicted = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        tool = behindGuard(payTool(predicted));
        assertEq(address(tool), predicted);
        guard.bindAgent(address(this));
        guard.setBudget(address(token), TOTAL, PER_CALL);
        guard.setMode(Mode.AUTONOMOUS);
        ToolRule memory rule = payRule();
        rule.wrapped = true;
        guard.allow(address(tool), rule);
    }

    function behindGuard(IERCAgentTool behind) private returns (GuardedTool) {
        return new GuardedTool(guard, behind, IAgentExecutor(address(agent)), false);
    }

    function handleAgentResult(int256 runId, string calldata result) external {
        require(msg.sender == address(tool));
        (heardOf, heard) = (runId, result);
    }

    function supportsInterface(bytes4) external pure returns (bool) {
        return true;
    }

    function test_it_looks_like_the_tool_behind_it() public view {
        IERCAgentTool behind = tool.guardedTool();
        assertEq(tool.name(), "Pay");
        assertEq(tool.description(), "Pays");
        assertEq(abi.encode(tool.inputDescription()), abi.encode(behind.inputDescription()));
        (, address target, bytes4 selector) = tool.wiring();
        assertEq(target, address(vault));
        assertEq(bytes32(selector), bytes32(Vault.pay.selector));
        assertEq(address(tool.guard()), address(guard));
    }

    function test_it_calls_the_tool_and_the_guard_measures() public {
        (int256 runId, string memory result) = tool.run(payment(100), address(0));
        assertEq(runId, -1);
        assertEq(result, "Paid");
        assertEq(token.balanceOf(alice), 100);
        assertEq(spent(address(token)), 100);
    }

    function test_what_the_guard_refuses_is_refused() public {
        vm.expectPartialRevert(IBudgets.CallLimitExceeded.selector);
        tool.run(payment(401), address(0));
        guard.disallow(address(tool));
        vm.expectPartialRevert(IAllowList.ToolNotAllowed.selector);
        tool.run(payment(1), address(0));
    }

    function test_it_obeys_the_guarded_agent_alone() public {
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(
                IGuardedTool.CallerIsNotTheGuardedAgent.selector, stranger, address(this)
            )
        );
        tool.run(payment(1), address(0));
    }

    function test_another_code_behind_it_is_not_called() public {
        address behind = address(tool.guardedTool());
        bytes32 before = behind.codehash;
        vm.etch(behind, address(armed).code);
        vm.expectRevert(
            abi.encodeWithSelector(
                IGuardedTool.GuardedCodeChanged.selector, behind, before, behind.codehash
            )
        );
        tool.run(payment(1), address(0));
    }

    function test_nothing_without_code_is_put_behind_a_guard() public {
        vm.expectRevert(abi.encodeWithSelector(IGuardedTool.NoToolToGuard.selector, alice));
        behindGuard(IERCAgentTool(alice));
    }

    function test_in_supervised_mode_it_answers_later() public {
        guard.setMode(Mode.SUPERVISED);
        (int256 runId,) = tool.run(payment(100), address(this));
        assertEq(runId, 1);
        assertEq(token.balanceOf(alice), 0);
        guard.approve(1, guard.callHashOf(tool, payment(100)), uint40(block.timestamp));
        vm.prank(stranger);
        tool.makeApproved(1, payment(100));
        assertEq(token.balanceOf(alice), 100);
        assertEq(heardOf, 1);
        assertEq(heard, "Paid");
    }

    function test_a_declined_call_is_told_of() public {
        guard.setMode(Mode.SUPERVISED);
        tool.run(payment(100), address(0)); // the agent is told
        guard.decline(1, "no");
        tool.tellDeclined(1);
        assertEq(heardOf, 1);
        assertEq(heard, "The owner declined this call.");
        assertEq(token.balanceOf(alice), 0);
    }

    function test_a_ticket_of_another_tool_is_none_of_its_own() public {
        guard.setMode(Mode.SUPERVISED);
        IERCAgentTool behind = payTool(address(this));
        GuardedTool other = behindGuard(behind);
        ToolRule memory rule = payRule();
        rule.wrapped = true;
        guard.allow(address(other), rule);
        other.run(payment(100), address(this));
        guard.approve(1, guard.callHashOf(other, payment(100)), uint40(block.timestamp));
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.NotWaitedFor.selector, 1));
        tool.makeApproved(1, payment(100));
    }

    function test_on_paper_nothing_is_paid() public {
        guard.setMode(Mode.PAPER);
        (, string memory result) = tool.run(payment(100), address(0));
        assertEq(result, "Paid");
        assertEq(token.balanceOf(alice), 0);
    }

    function test_a_tool_that_answers_later_is_not_put_behind_a_guard() public {
        GuardedTool other = behindGuard(armed);
        ToolRule memory rule = opaqueRule();
        rule.wrapped = true;
        guard.allow(address(other), rule);
        other.run(inputOf(""), address(0));
        armed.setRunId(5);
        vm.expectRevert(
            abi.encodeWithSelector(
                IGuardedCalls.GuardedToolIsAsynchronous.selector, armed, int256(5)
            )
        );
        other.run(inputOf(""), address(0));
    }

    /// @dev Not even asked: whoever sends the claims would fill the guard with calls that nobody decided on.
    function test_a_strict_one_does_nothing_in_a_poisoned_frame() public {
        GuardedTool strict = new GuardedTool(guard, armed, IAgentExecutor(address(agent)), true);
        ToolRule memory rule = opaqueRule();
        rule.wrapped = true;
        guard.allow(address(strict), rule);
        armPayment(address(token), 100, alice);
        strict.run(inputOf(""), address(0));
        assertEq(token.balanceOf(alice), 100);
        agent.decide(true);
        (int256 runId, string memory result) = strict.run(inputOf(""), address(0));
        assertEq(runId, -1);
        assertEq(result, "");
        guard.setMode(Mode.SUPERVISED);
        strict.run(inputOf(""), address(0));
        assertEq(guard.tickets(), 0);
        assertEq(token.balanceOf(alice), 100);
    }

    function test_it_says_what_frames_it_needs() public {
        GuardedTool strict = new GuardedTool(guard, armed, IAgentExecutor(address(agent)), true);
        assertTrue(strict.strict() && strict.needsProofs());
        assertTrue(!tool.strict() && !tool.needsProofs());
        GuardedTool around = behindGuard(strict);
        assertTrue(!around.strict() && around.needsProofs());
        assertTrue(tool.supportsInterface(type(IERCAgentTool).interfaceId));
        assertTrue(tool.supportsInterface(type(IStrictAgent).interfaceId));
        assertFalse(tool.supportsInterface(0xffffffff));
    }
}
