// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IProofVerifier} from "../../src/interfaces/IProofVerifier.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {CatchingTool, EchoTool, MeddlingTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {StrictAgent} from "../fakes/StrictAgent.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Batches} from "../support/Batches.sol";

/// @dev What is verified when, whoever is strict in a frame.
contract StrictOrderTest is Batches {
    EchoTool private echo = new EchoTool();

    function strictOn(IERCAgentTool tool) private returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        return new StrictAgent(executor, vm.toString(model), address(0), tools, 5);
    }

    function openOn(IERCAgentTool tool) private returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        return agentWith(tools, address(0));
    }

    function runs(TestAgent agent, Claim[] memory claims, bytes[] memory proofs)
        private
        returns (string memory answer)
    {
        (, answer) =
            agent.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function expectUses(uint64 count) private {
        vm.expectCall(address(echo), abi.encodeWithSelector(echo.run.selector), count);
    }

    function expectVerifications(uint64 count) private {
        bytes memory call_ = abi.encodeWithSelector(IProofVerifier.verify.selector);
        vm.expectCall(address(verifier), call_, count);
    }

    /// @dev A call by a decision that is not the model's: terms and form are as they should be.
    function forged(TestAgent agent)
        private
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        (claims, proofs) = plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        proofs[0] = bytes.concat(proofs[0], hex"00");
    }

    function test_an_agent_that_acts_first_has_used_the_tool_when_a_proof_is_false() public {
        TestAgent agent = agentWith(echo);
        (Claim[] memory claims, bytes[] memory proofs) = forged(agent);
        expectUses(1);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(agent, claims, proofs);
    }

    function test_a_strict_agent_has_not() public {
        TestAgent agent = strictOn(echo);
        (Claim[] memory claims, bytes[] memory proofs) = forged(agent);
        expectUses(0);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(agent, claims, proofs);
    }

    function test_each_proof_is_verified_once() public {
        TestAgent agent = strictOn(echo);
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(CALL, 0), output(ANSWER, 5)));
        expectVerifications(3);
        assertEq(runs(agent, claims, proofs), "answer 5");
    }

    function test_agents_say_whether_they_are_strict_and_what_frames_they_need() public {
        TestAgent strict = strictOn(echo);
        TestAgent parent = openOn(strict);
        TestAgent hidden = openOn(new CatchingTool(strict));
        assertTrue(strict.strict() && strict.needsProofs());
        assertTrue(!parent.strict() && parent.needsProofs());
        assertTrue(openOn(parent).needsProofs());
        assertTrue(!hidden.strict() && !hidden.needsProofs());
    }

    // A strict agent in another one's frame

    function test_a_nested_strict_agent_uses_its_tool_on_proven_decisions_only() public {
        TestAgent parent = openOn(strictOn(echo));
        (Claim[] memory claims, bytes[] memory proofs) = plan(
            parent,
            "go",
            append(list(output(CALL, 0), output(CALL, 0), output(ANSWER, 3)), output(ANSWER, 4))
        );
        expectUses(1);
        expectVerifications(1 + 2 + 4);
        // Of the parent's decision, too, by which it came to this.
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory true_ = proofs[i];
            proofs[i] = bytes.concat(true_, hex"00");
            vm.expectRevert(FakeVerifier.ProofRefused.selector);
            runs(parent, claims, proofs);
            proofs[i] = true_;
        }
        assertEq(runs(parent, claims, proofs), "answer 4");
    }

    function test_a_parent_does_not_go_on_with_an_answer_of_a_strict_agent_that_is_not_proven()
        public
    {
        IERCAgentTool[] memory tools = new IERCAgentTool[](2);
        (tools[0], tools[1]) = (strictOn(new EchoTool()), echo);
        TestAgent parent = agentWith(tools, address(0));
        (Claim[] memory claims, bytes[] memory proofs) = plan(
            parent,
            "go",
            append(list(output(CALL, 0), output(ANSWER, 3), output(CALL, 1)), output(ANSWER, 4))
        );
        proofs[1] = bytes.concat(proofs[1], hex"00");
        expectUses(0);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(parent, claims, proofs);
    }

    function test_a_strict_parent_does_not_make_its_tool_strict() public {
        TestAgent parent = strictOn(openOn(echo));
        (Claim[] memory claims, bytes[] memory proofs) = plan(
            parent,
            "go",
            append(list(output(CALL, 0), output(CALL, 0), output(ANSWER, 3)), output(ANSWER, 4))
        );
        expectUses(2);
        assertEq(runs(parent, claims, proofs), "answer 4");
        proofs[1] = bytes.concat(proofs[1], hex"00");
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(parent, claims, proofs);
    }

    function test_a_strict_agent_behind_a_tool_that_does_not_say_so_stops_the_run() public {
        TestAgent inner = strictOn(echo);
        TestAgent parent = openOn(new CatchingTool(inner));
        (Claim[] memory claims, bytes[] memory proofs) = plan(
            parent,
            "go",
            append(list(output(CALL, 0), output(CALL, 0), output(ANSWER, 3)), output(ANSWER, 4))
        );
        expectUses(0);
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ProofsNotKept.selector, 1, inner));
        runs(parent, claims, proofs);
    }

    // Proofs that are shared

    function test_a_proof_that_covers_a_later_decision_comes_too_late() public {
        setBatches(model, 2, 4);
        TestAgent agent = strictOn(echo);
        (Claim[] memory claims, bytes[] memory xs) = planned(agent);
        bytes memory shared = truthOfRows(by2, 2, xs, outputsOf(claims));
        expectUses(0);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(agent, claims, list(shared, ""));
    }

    function test_it_serves_agents_that_act_first() public {
        setBatches(model, 2, 4);
        TestAgent agent = openOn(echo);
        (Claim[] memory claims, bytes[] memory xs) = planned(agent);
        bytes memory shared = truthOfRows(by2, 2, xs, outputsOf(claims));
        assertEq(runs(agent, claims, list(shared, "")), "answer 5");
    }

    /// @dev Two decisions of an agent that acts first, and its strict parent's answer after them.
    function test_a_proof_covers_decisions_that_are_made_when_it_is_needed() public {
        setBatches(model, 2, 4);
        TestAgent parent = strictOn(openOn(echo));
        Claim[] memory claims;
        bytes[] memory xs;
        bytes[] memory ys =
            append(list(output(CALL, 0), output(CALL, 0), output(ANSWER, 3)), output(ANSWER, 4));
        for (uint256 i = 0; i < 4; ++i) {
            Missing memory m = missing(parent, "go", claims);
            claims = append(claims, Claim(model, keccak256(m.features), ys[i]));
            xs = append(xs, m.features);
        }
        bytes memory rest = truthOfRows(by4, 4, last(xs, 3), last(ys, 3));
        bytes[] memory proofs = append(list(truth(xs[0], ys[0]), rest, ""), "");
        assertEq(runs(parent, claims, proofs), "answer 4");
        bytes memory all = truthOfRows(by4, 4, xs, ys);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(parent, claims, append(list(all, "", ""), ""));
    }

    function planned(TestAgent agent) private returns (Claim[] memory claims, bytes[] memory xs) {
        bytes[] memory ys = list(output(CALL, 0), output(ANSWER, 5));
        for (uint256 i = 0; i < 2; ++i) {
            Missing memory m = missing(agent, "go", claims);
            claims = append(claims, Claim(model, keccak256(m.features), ys[i]));
            xs = append(xs, m.features);
        }
    }

    function outputsOf(Claim[] memory claims) private pure returns (bytes[] memory ys) {
        for (uint256 i = 0; i < claims.length; ++i) {
            ys = append(ys, claims[i].output);
        }
    }

    // Whoever else asks for proofs

    function test_a_callee_may_have_proofs_verified_and_so_stop_a_run_but_not_turn_it() public {
        MeddlingTool meddler = new MeddlingTool();
        meddler.arm(address(executor), abi.encodeCall(executor.verifySoFar, ()));
        TestAgent agent = strictOn(meddler);
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        assertEq(runs(agent, claims, proofs), "answer 5");
        agent = openOn(meddler);
        (claims, proofs) = plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ProofsNotKept.selector, 0, meddler));
        runs(agent, claims, proofs);
    }

    function test_outside_of_a_frame_all_is_proven() public {
        assertTrue(executor.verifySoFar());
        TestAgent agent = strictOn(echo);
        (Claim[] memory claims, bytes[] memory xs) = planned(agent);
        for (uint256 i = 0; i < 2; ++i) {
            executor.recordDecision(model, xs[i], claims[i].output, truth(xs[i], claims[i].output));
        }
        (, string memory answer) = agent.run(inputOf("go"), address(0));
        assertEq(answer, "answer 5");
    }

    function test_the_executor_alone_hands_itself_proofs() public {
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.CallerIsNotTheExecutor.selector, address(this))
        );
        executor.verifyKept(new Claim[](0), new bytes[](0));
        MeddlingTool meddler = new MeddlingTool();
        meddler.arm(
            address(executor), abi.encodeCall(executor.verifyKept, (new Claim[](1), new bytes[](1)))
        );
        TestAgent agent = strictOn(meddler);
        (Claim[] memory claims,) = plan(agent, "go", list(output(CALL, 0)));
        assertEq(
            simulationOf(agent, "go", claims),
            abi.encodeWithSelector(IAgentExecutor.CallerIsNotTheExecutor.selector, meddler)
        );
    }

    /// @dev Neither a false proof nor one that comes too late lets the sender choose what a tool that
    ///   catches failures goes on with: the claim that failed is for the catcher's decision, too.
    function test_a_proof_that_is_refused_in_between_cannot_be_caught() public {
        TestAgent inner = strictOn(echo);
        TestAgent parent = strictOn(new CatchingTool(inner));
        (Claim[] memory claims, bytes[] memory proofs) = plan(
            parent,
            "go",
            append(list(output(CALL, 0), output(CALL, 0), output(ANSWER, 3)), output(ANSWER, 4))
        );
        for (uint256 i = 0; i < 4; ++i) {
            bytes memory true_ = proofs[i];
            proofs[i] = "";
            vm.expectRevert(FakeVerifier.ProofRefused.selector);
            runs(parent, claims, proofs);
            proofs[i] = true_;
        }
        assertEq(runs(parent, claims, proofs), "answer 4");
    }
}
