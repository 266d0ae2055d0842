// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {ISuspendingAgent} from "../../src/interfaces/ISuspendingAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {IAllowList, ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IApprovals} from "../../src/interfaces/guards/IApprovals.sol";
import {IGuard, Mode} from "../../src/interfaces/guards/IGuard.sol";
import {IGuardableAgent} from "../../src/interfaces/guards/IGuardableAgent.sol";
import {IGuardedCalls} from "../../src/interfaces/guards/IGuardedCalls.sol";
import {CatchingTool, EchoTool} from "../fakes/FakeTools.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";
import {IWholeGuard} from "./GuardFakes.sol";

/// @dev An agent of ours with real frames, behind a guard.
contract GuardedAgentTest is World {
    address private stranger = makeAddr("stranger");
    EchoTool private echo = new EchoTool();
    TestAgent private agent = agentWith(echo);
    IWholeGuard private guard = guardOf(agent);

    function setUp() public {
        vm.warp(1_800_000_000);
        agent.setGuard(guard);
        guard.setMode(Mode.AUTONOMOUS);
        allow(guard, address(echo));
    }

    function guardOf(TestAgent guarded) private returns (IWholeGuard) {
        return IWholeGuard(
            deployCode("Guard.sol:Guard", abi.encode(address(this), guarded, makeAddr("wallet")))
        );
    }

    function allow(IWholeGuard by, address tool) private {
        ToolRule memory rule;
        (rule.assetWord, rule.amountWord, rule.targetWord) = (255, 255, 255);
        (rule.maxRuns, rule.vouched) = (type(uint32).max, true);
        by.allow(tool, rule);
    }

    function send(TestAgent to, Claim[] memory claims, bytes[] memory proofs)
        private
        returns (int256 runId, string memory result)
    {
        return to.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function test_a_decided_call_goes_by_the_guard() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(REPORT, 0)));
        (, string memory result) = send(agent, claims, proofs);
        assertEq(result, "Thought: use it\nObservation: go\n");
        (uint256 runs,) = guard.runsOf(address(echo));
        assertEq(runs, 1);
    }

    function test_what_the_guard_refuses_reverts_the_run() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(ANSWER, 0)));
        guard.pause("no");
        vm.expectRevert(abi.encodeWithSelector(IGuard.GuardIsPaused.selector, "no"));
        send(agent, claims, proofs);
        guard.resume();
        guard.disallow(address(echo));
        vm.expectRevert(abi.encodeWithSelector(IAllowList.ToolNotAllowed.selector, echo));
        send(agent, claims, proofs);
    }

    function test_a_false_proof_leaves_no_call_counted() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(ANSWER, 0)));
        proofs[0] = "";
        vm.expectRevert();
        send(agent, claims, proofs);
        (uint256 runs,) = guard.runsOf(address(echo));
        assertEq(runs, 0);
    }

    function test_a_guard_is_set_once_by_the_owner_and_is_the_agents_own() public {
        TestAgent other = agentWith(echo);
        vm.expectRevert(abi.encodeWithSelector(IGuardableAgent.GuardOfAnotherAgent.selector, agent));
        other.setGuard(guard);
        IWholeGuard second = guardOf(agent);
        vm.expectRevert(abi.encodeWithSelector(IGuardableAgent.GuardAlreadySet.selector, guard));
        agent.setGuard(second);
        IWholeGuard ofOther = guardOf(other);
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(TestAgent.NotServed.selector, stranger));
        other.setGuard(ofOther);
        vm.expectEmit(address(other));
        emit IGuardableAgent.GuardSet(ofOther);
        other.setGuard(ofOther);
        assertEq(address(other.guard()), address(ofOther));
    }

    // Supervised

    function suspended() private returns (Claim[] memory claims) {
        guard.setMode(Mode.SUPERVISED);
        bytes[] memory proofs;
        (claims, proofs) = plan(agent, "go", list(output(CALL, 0)));
        (int256 runId,) = send(agent, claims, proofs);
        assertEq(runId, 1);
        assertEq(guard.tickets(), 1);
    }

    function resume(bytes memory y) private returns (string memory result) {
        try agent.simulateResume(1, new Claim[](0)) {}
        catch (bytes memory reason) {
            Missing memory m = missingIn(reason);
            Claim[] memory claims = new Claim[](1);
            claims[0] = Claim(m.modelId, keccak256(m.features), y);
            bytes[] memory proofs = list(truth(m.features, y));
            (, result) = agent.resumeWithProofs(1, claims, proofs, termsFor(claims));
        }
    }

    function test_a_run_waits_for_the_owner_and_goes_on_with_what_the_call_came_to() public {
        suspended();
        vm.expectRevert(
            abi.encodeWithSelector(ISuspendingAgent.ResultMissing.selector, 1, guard, int256(1))
        );
        agent.resume(1);
        guard.approve(1, guard.callHashOf(echo, inputOf("go")), uint40(block.timestamp));
        vm.prank(stranger);
        vm.expectEmit(address(echo));
        emit EchoTool.Used(address(agent));
        agent.makeApproved(1, inputOf("go"));
        assertEq(resume(output(REPORT, 0)), "Thought: use it\nObservation: go\n");
    }

    function test_no_call_is_made_that_was_not_approved() public {
        suspended();
        vm.expectPartialRevert(IApprovals.CallNotApproved.selector);
        agent.makeApproved(1, inputOf("go"));
        guard.approve(1, guard.callHashOf(echo, inputOf("go")), uint40(block.timestamp));
        vm.expectPartialRevert(IApprovals.OtherCall.selector);
        agent.makeApproved(1, inputOf("go elsewhere"));
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.NotWaitedFor.selector, 2));
        agent.makeApproved(2, inputOf("go"));
        agent.makeApproved(1, inputOf("go"));
        vm.expectRevert(abi.encodeWithSelector(IGuardedCalls.NotWaitedFor.selector, 1));
        agent.makeApproved(1, inputOf("go"));
    }

    function test_a_declined_call_is_an_observation() public {
        suspended();
        guard.decline(1, "no");
        agent.tellDeclined(1);
        assertEq(
            resume(output(REPORT, 0)),
            "Thought: use it\nObservation: The owner declined this call.\n"
        );
    }

    function test_a_false_proof_leaves_no_call_waiting() public {
        guard.setMode(Mode.SUPERVISED);
        (Claim[] memory claims, bytes[] memory proofs) = plan(agent, "go", list(output(CALL, 0)));
        proofs[0] = "";
        vm.expectRevert();
        send(agent, claims, proofs);
        assertEq(guard.tickets(), 0);
    }

    function test_nobody_answers_in_the_guards_place() public {
        suspended();
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(ISuspendingAgent.NoRunWaits.selector, stranger, int256(1))
        );
        agent.handleAgentResult(1, "Paid");
    }

    // Paper

    function test_on_paper_nothing_happens_and_the_run_goes_on() public {
        guard.setMode(Mode.PAPER);
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(REPORT, 0)));
        vm.recordLogs();
        (, string memory result) = send(agent, claims, proofs);
        assertEq(result, "Thought: use it\nObservation: go\n");
        (uint256 runs,) = guard.runsOf(address(echo));
        assertEq(runs, 0);
    }

    /// @dev Its parent goes on whatever becomes of it, so that a wrong claim would choose what the parent
    ///   sees, were it not for the poison and the count, which rolling back undoes.
    function test_a_wrong_claim_inside_a_call_on_paper_comes_to_nothing() public {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = echo;
        TestAgent inner = agentWith(tools, address(0));
        CatchingTool catching = new CatchingTool(inner);
        TestAgent parent = agentWith(catching);
        IWholeGuard ofParent = guardOf(parent);
        parent.setGuard(ofParent);
        ofParent.setMode(Mode.AUTONOMOUS);
        allow(ofParent, address(catching));
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(parent, "go", list(output(CALL, 0), output(ANSWER, 1), output(ANSWER, 2)));
        uint256 state = vm.snapshotState();
        send(parent, claims, proofs); // as it is, it holds
        vm.revertToState(state);
        ofParent.setMode(Mode.PAPER);
        bytes memory refusal =
            abi.encodeWithSelector(IGuardedCalls.PaperCallDecides.selector, catching);
        vm.expectRevert(refusal);
        send(parent, claims, proofs);
        claims[1].output = output(ANSWER, 7);
        vm.expectRevert(refusal);
        send(parent, claims, proofs);
        claims[1].featuresHash = keccak256("another");
        vm.expectRevert(refusal);
        send(parent, claims, proofs);
    }
}
