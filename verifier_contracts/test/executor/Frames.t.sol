// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgent} from "../../src/interfaces/erc/IERCAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {CarelessAgent} from "../fakes/CarelessAgent.sol";
import {EchoTool, FrameOpener, MeddlingTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev Frames with one agent: what completes, and every neighbour of it that must not.
contract FramesTest is World {
    EchoTool internal echo = new EchoTool();
    TestAgent internal agent = agentWith(echo);

    function twoDecisions() internal returns (Claim[] memory claims, bytes[] memory proofs) {
        return plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
    }

    function runs(Claim[] memory claims, bytes[] memory proofs)
        internal
        returns (string memory answer)
    {
        (, answer) = agent.runWithProofs(
            inputOf("go"), address(0), claims, proofs, termsFor(claims)
        );
    }

    function test_run_with_proofs_acts_and_answers() public virtual {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        string[] memory steps = new string[](1);
        steps[0] = "Thought: use it\nObservation: go\n";
        bytes32 obeyed = registry.commitmentHash(model);
        vm.expectEmit(address(echo));
        emit EchoTool.Used(address(agent));
        vm.expectEmit(address(agent));
        emit IERCAgent.AgentRunResult(1, address(this), steps, "answer 5");
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectEmit(address(executor));
            emit IAgentExecutor.DecisionVerified(
                model, address(agent), obeyed, claims[i].featuresHash, keccak256(claims[i].output)
            );
        }
        assertEq(runs(claims, proofs), "answer 5");
    }

    function test_a_run_needs_as_many_claims_as_decisions() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        Claim[] memory one = append(new Claim[](0), claims[0]);
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.ClaimMissing.selector, 1, agent, model)
        );
        runs(one, list(proofs[0]));
    }

    function test_no_claim_may_be_left_over() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ClaimsLeftOver.selector, 2, 3));
        runs(append(claims, claims[1]), append(proofs, proofs[1]));
    }

    function test_claims_are_taken_in_order() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        (claims[0], claims[1]) = (claims[1], claims[0]);
        (proofs[0], proofs[1]) = (proofs[1], proofs[0]);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAgentExecutor.ClaimForOtherFeatures.selector,
                0,
                agent,
                claims[1].featuresHash,
                claims[0].featuresHash
            )
        );
        runs(claims, proofs);
    }

    function test_a_claim_for_another_model_is_refused() public {
        uint256 other = registerFakeModel(verifier);
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        claims[1].modelId = other;
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.ClaimForOtherModel.selector, 1, model, other)
        );
        runs(claims, proofs);
    }

    function test_a_false_output_is_refused_by_the_verifier() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        claims[1].output = output(ANSWER, 6);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(claims, proofs);
    }

    function test_a_proof_of_another_claim_is_refused() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        proofs[1] = proofs[0];
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(claims, proofs);
    }

    function test_every_claim_needs_a_proof() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ProofCountMismatch.selector, 2, 1));
        runs(claims, list(proofs[0]));
    }

    function test_an_output_wider_than_64_bits_is_refused() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        claims[1].output = new bytes(16 * OUTPUTS);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAgentExecutor.MalformedOutput.selector, 1, 8 * OUTPUTS, 16 * OUTPUTS
            )
        );
        runs(claims, proofs);
    }

    function test_claims_made_for_another_prompt_are_refused() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        agent.runWithProofs(inputOf("stop"), address(0), claims, proofs, termsFor(claims));
    }

    function test_nothing_of_a_frame_is_left_behind() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        runs(claims, proofs);
        // In the same transaction: no claim can be used again, and there is no frame to use one in.
        vm.expectPartialRevert(IAgentExecutor.DecisionUnavailable.selector);
        agent.run(inputOf("go"), address(0));
        vm.expectPartialRevert(IAgentExecutor.ClaimMissing.selector);
        runs(new Claim[](0), new bytes[](0));
        assertEq(runs(claims, proofs), "answer 5");
    }

    function test_a_frame_that_fails_is_not_left_open() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        try agent.runWithProofs(inputOf("go"), address(0), claims, list("", ""), termsFor(claims)) {
            revert("accepted empty proofs");
        } catch {}
        vm.expectPartialRevert(IAgentExecutor.DecisionUnavailable.selector);
        agent.run(inputOf("go"), address(0));
        assertEq(runs(claims, proofs), "answer 5");
    }

    function test_a_frame_cannot_be_opened_inside_a_frame() public {
        MeddlingTool meddler = new MeddlingTool();
        agent = agentWith(meddler);
        FrameOpener inner = new FrameOpener(executor, echo);
        meddler.arm(
            address(inner),
            abi.encodeCall(
                FrameOpener.open,
                (inputOf("x"), new Claim[](0), new bytes[](0), termsFor(new Claim[](0)))
            )
        );
        bytes memory x = missing(agent, "go", new Claim[](0)).features;
        Claim[] memory claims = append(new Claim[](0), Claim(model, keccak256(x), output(CALL, 0)));
        bytes[] memory proofs = list(truth(x, output(CALL, 0)));
        vm.expectRevert(IAgentExecutor.FrameAlreadyOpen.selector);
        runs(claims, proofs);
    }

    function test_a_stranger_cannot_send_a_copied_submission() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        address stranger = makeAddr("stranger");
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(TestAgent.NotServed.selector, stranger));
        agent.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function test_a_strangers_frame_does_not_make_an_agent_serve_him() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        FrameOpener stranger = new FrameOpener(executor, agent);
        vm.expectRevert(abi.encodeWithSelector(TestAgent.NotServed.selector, stranger));
        stranger.open(inputOf("go"), claims, proofs, termsFor(claims));
    }

    function test_a_strangers_frame_proves_what_an_open_agent_does_in_it() public {
        TestAgent open =
            new TestAgent(executor, vm.toString(model), address(0), new IERCAgentTool[](0), 5);
        (Claim[] memory claims, bytes[] memory proofs) = plan(open, "go", list(output(ANSWER, 5)));
        FrameOpener anyone = new FrameOpener(executor, open);
        assertEq(anyone.open(inputOf("go"), claims, proofs, termsFor(claims)), "answer 5");
        claims[0].output = output(ANSWER, 6);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        anyone.open(inputOf("go"), claims, proofs, termsFor(claims));
    }

    function test_only_the_executor_may_call_back() public {
        vm.expectRevert(
            abi.encodeWithSelector(IProvenAgent.CallerIsNotTheExecutor.selector, address(this))
        );
        agent.onFrame(abi.encode(address(this), "go"));
    }

    function test_a_model_updated_inside_the_frame_is_verified_as_it_was_used() public {
        CarelessAgent careless = new CarelessAgent(executor);
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        vm.prank(address(careless));
        uint256 own = registry.registerBoundModel(commitment, binding);
        FakeVerifier obliging = new FakeVerifier();
        binding.verifier = address(obliging);
        (bytes memory features, bytes memory y) = (careless.featuresBy(encoder), output(ANSWER, 6));
        obliging.admit(instancesOf(features, y));
        Claim[] memory claims = append(new Claim[](0), Claim(own, keccak256(features), y));
        bytes[] memory proofs = list(verifier.proofOf(instancesOf(features, y)));
        careless.setUpdate(abi.encodeCall(registry.updateBoundModel, (own, commitment, binding)));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        careless.open(claims, proofs, termsFor(claims, address(careless)));
        truth(features, y);
        assertEq(careless.open(claims, proofs, termsFor(claims, address(careless))), "answer 6");
    }
}
