// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {FakeDecoder} from "../fakes/FakeDecoder.sol";
import {CatchingTool, InsistingTool} from "../fakes/FakeTools.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev An agent used by an agent, directly or behind a tool that catches failures: whoever sends the
///   claims must not be able to choose the branch that the tool takes.
contract NestedRunsTest is World {
    TestAgent private inner = agentWith(new IERCAgentTool[](0), address(0));
    TestAgent private parent = agentWith(inner);
    TestAgent private catcher = agentWith(new CatchingTool(inner));

    function runs(TestAgent agent, Claim[] memory claims, bytes[] memory proofs)
        private
        returns (string memory answer)
    {
        (, answer) =
            agent.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function drop(Claim[] memory claims, bytes[] memory proofs, uint256 index)
        private
        pure
        returns (Claim[] memory fewer, bytes[] memory fewerProofs)
    {
        for (uint256 i = 0; i < claims.length; ++i) {
            if (i == index) continue;
            fewer = append(fewer, claims[i]);
            fewerProofs = append(fewerProofs, proofs[i]);
        }
    }

    function test_a_nested_agent_decides_in_its_parents_frame() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(parent, "go", list(output(CALL, 0), output(ANSWER, 3), output(REPORT, 0)));
        assertEq(runs(parent, claims, proofs), "Thought: use it\nObservation: answer 3\n");
    }

    function test_a_nested_agent_sees_its_own_context() public {
        Claim[] memory claims;
        bytes memory first = missing(parent, "go", claims).features;
        claims = append(claims, Claim(model, keccak256(first), output(CALL, 0)));
        Missing memory second = missing(parent, "go", claims);
        assertEq(second.agent, address(inner));
        assertEq(second.index, 1);
    }

    function test_a_nested_agents_failure_fails_the_run_unchanged() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(parent, "go", list(output(CALL, 0), output(REFUSE, 9)));
        vm.expectRevert(abi.encodeWithSelector(FakeDecoder.Refused.selector, int64(9)));
        runs(parent, claims, proofs);
    }

    function test_a_catching_tool_works_while_nothing_fails() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(catcher, "go", list(output(CALL, 0), output(ANSWER, 3), output(REPORT, 0)));
        string memory expected = "Thought: use it\nObservation: inner says answer 3\n";
        assertEq(runs(catcher, claims, proofs), expected);
    }

    function test_leaving_out_a_nested_claim_does_not_choose_the_catching_branch() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(catcher, "go", list(output(CALL, 0), output(ANSWER, 3), output(REPORT, 0)));
        (claims, proofs) = drop(claims, proofs, 1);
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        runs(catcher, claims, proofs);
        (claims, proofs) = drop(claims, proofs, 1);
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.ClaimMissing.selector, 1, inner, model)
        );
        runs(catcher, claims, proofs);
    }

    /// @dev The sender's best attempt: a false output makes the nested run revert, the tool catches it,
    ///   and the next claim is a true one for the context in which the nested run "failed".
    function test_a_false_output_cannot_choose_the_catching_branch() public {
        (Claim[] memory claims,) = plan(catcher, "go", list(output(CALL, 0)));
        bytes memory innerFeatures = missing(catcher, "go", claims).features;
        truth(innerFeatures, output(ANSWER, 3));
        bytes memory failing = output(REFUSE, 0);
        bytes memory afterFailure = featuresAfter("inner failed");
        Claim[] memory forged = append(claims, Claim(model, keccak256(innerFeatures), failing));
        forged = append(forged, Claim(model, keccak256(afterFailure), output(ANSWER, 8)));
        bytes[] memory proofs = list(
            truth(missing(catcher, "go", new Claim[](0)).features, claims[0].output),
            verifier.proofOf(instancesOf(innerFeatures, failing)),
            truth(afterFailure, output(ANSWER, 8))
        );
        // The false claim stays the next one after the failure, and is for other features.
        vm.expectRevert(
            abi.encodeWithSelector(
                IAgentExecutor.ClaimForOtherFeatures.selector,
                1,
                catcher,
                keccak256(afterFailure),
                keccak256(innerFeatures)
            )
        );
        runs(catcher, forged, proofs);
        // And without it, the nested run meets a claim that is not its own.
        (forged, proofs) = drop(forged, proofs, 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAgentExecutor.ClaimForOtherFeatures.selector,
                1,
                inner,
                keccak256(innerFeatures),
                keccak256(afterFailure)
            )
        );
        runs(catcher, forged, proofs);
    }

    function test_once_poisoned_every_decision_is_an_empty_answer() public {
        (Claim[] memory claims, bytes[] memory proofs) = plan(catcher, "go", list(output(CALL, 0)));
        // The catcher's own second decision would be index 1 too: the first problem is the one told.
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.ClaimMissing.selector, 1, inner, model)
        );
        runs(catcher, claims, proofs);
    }

    function test_a_simulation_finds_what_a_contract_on_the_way_rejects() public {
        TestAgent picky = agentWith(new InsistingTool(inner));
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(picky, "go", list(output(CALL, 0), output(ANSWER, 3), output(ANSWER, 4)));
        assertEq(runs(picky, claims, proofs), "answer 4");
    }

    function test_a_nested_agent_that_serves_others_refuses() public {
        address owner = makeAddr("owner");
        TestAgent private_ = agentWith(new IERCAgentTool[](0), owner);
        TestAgent outer = agentWith(private_);
        (Claim[] memory claims, bytes[] memory proofs) = plan(outer, "go", list(output(CALL, 0)));
        vm.expectRevert(abi.encodeWithSelector(TestAgent.NotServed.selector, outer));
        runs(outer, claims, proofs);
    }

    /// @dev What the encoder derives for the catcher after its tool gave this observation.
    function featuresAfter(string memory observation) private view returns (bytes memory features) {
        string[] memory reasoning = new string[](1);
        reasoning[0] = string.concat("Thought: use it\nObservation: ", observation, "\n");
        (IERCAgentTool[] memory tools,) = catcher.tools();
        (features,) =
            encoder.encode(Context(address(catcher), catcher.basePrompt(), tools, reasoning, "go"));
    }
}
