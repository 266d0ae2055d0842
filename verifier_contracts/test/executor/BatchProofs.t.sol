// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {BatchVerifier, IModelRegistry} from "../../src/interfaces/IModelRegistry.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {CarelessAgent} from "../fakes/CarelessAgent.sol";
import {EchoTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Batches} from "../support/Batches.sol";

/// @dev One proof for several claims: what it covers, and every neighbour that must not pass.
contract BatchProofsTest is Batches {
    TestAgent private agent;
    Claim[] private claims;
    bytes[] private features;
    bytes[] private outputs;

    function setUp() public {
        setBatches(model, 2, 4);
        agent = agentWith(new EchoTool());
        decide(output(CALL, 0));
        decide(output(CALL, 0));
        decide(output(ANSWER, 5));
    }

    function decide(bytes memory y) private {
        Missing memory m = missing(agent, "go", claims);
        claims.push(Claim(m.modelId, keccak256(m.features), y));
        features.push(m.features);
        outputs.push(y);
    }

    function runs(bytes[] memory proofs) private returns (string memory answer) {
        (, answer) =
            agent.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function proofOfFirst(uint256 count) private returns (bytes memory) {
        return truthOfRows(by4, 4, first(features, count), first(outputs, count));
    }

    function test_one_proof_covers_all_decisions_of_a_run() public {
        bytes memory proof = proofOfFirst(3);
        bytes32 obeyed = registry.commitmentHash(model);
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectEmit(address(executor));
            emit IAgentExecutor.DecisionVerified(
                model, address(agent), obeyed, claims[i].featuresHash, keccak256(outputs[i])
            );
        }
        assertEq(runs(list(proof, "", "")), "answer 5");
    }

    function test_the_smallest_verifier_that_holds_them_is_asked() public {
        bytes memory shared = truthOfRows(by2, 2, first(features, 2), first(outputs, 2));
        assertEq(runs(list(shared, "", truth(features[2], outputs[2]))), "answer 5");
    }

    function test_a_larger_verifier_than_the_decisions_need_is_not_asked() public {
        bytes memory filledUp = proofOfFirst(2);
        bytes memory own = truth(features[2], outputs[2]);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(filledUp, "", own));
    }

    function test_a_proof_may_cover_later_claims_only() public {
        bytes memory shared = truthOfRows(by2, 2, last(features, 2), last(outputs, 2));
        assertEq(runs(list(truth(features[0], outputs[0]), shared, "")), "answer 5");
    }

    function test_a_claim_that_no_proof_covers_is_refused() public {
        bytes memory shared = truthOfRows(by2, 2, last(features, 2), last(outputs, 2));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list("", shared, ""));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list("", "", ""));
        bytes memory ofTwo = truthOfRows(by2, 2, first(features, 2), first(outputs, 2));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(ofTwo, "", ""));
        bytes memory all = proofOfFirst(3);
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ProofCountMismatch.selector, 3, 1));
        runs(list(all));
    }

    function test_a_claim_is_not_covered_twice() public {
        bytes memory all = proofOfFirst(3);
        bytes memory own = truth(features[1], outputs[1]);
        vm.expectRevert(FakeVerifier.ProofRefused.selector); // now `all` is for the first claim alone
        runs(list(all, own, ""));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(all, all, ""));
    }

    function test_rows_are_in_the_order_of_the_decisions() public {
        (features[0], features[1]) = (features[1], features[0]);
        (outputs[0], outputs[1]) = (outputs[1], outputs[0]);
        bytes memory turned = proofOfFirst(3);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(turned, "", ""));
    }

    function test_one_wrong_output_is_refused() public {
        bytes memory proof = proofOfFirst(3);
        for (uint256 i = 0; i < 3; ++i) {
            bytes memory y = claims[i].output;
            claims[i].output[8 * OUTPUTS - 1] = 0x01;
            vm.expectRevert(FakeVerifier.ProofRefused.selector);
            runs(list(proof, "", ""));
            claims[i].output = y;
        }
        assertEq(runs(list(proof, "", "")), "answer 5");
    }

    function test_a_proof_with_other_padding_is_refused() public {
        features.push(features[0]);
        outputs.push(outputs[0]);
        bytes memory firstRepeated = proofOfFirst(4);
        (features[3], outputs[3]) = (new bytes(2 * INPUTS), new bytes(8 * OUTPUTS));
        bytes memory zeros = proofOfFirst(4);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(firstRepeated, "", ""));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(zeros, "", ""));
    }

    function test_more_decisions_than_any_verifier_takes_are_refused() public {
        setBatches(model, 2);
        agent.acceptModel(registry.commitmentHash(model));
        bytes memory proof = proofOfFirst(3);
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.NoBatchVerifier.selector, model, 3, 2)
        );
        runs(list(proof, "", ""));
        registry.setBatchVerifiers(model, new BatchVerifier[](0));
        agent.acceptModel(registry.commitmentHash(model));
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.NoBatchVerifier.selector, model, 3, 1)
        );
        runs(list(proof, "", ""));
    }

    function test_a_proof_for_a_size_that_is_not_registered_is_refused() public {
        FakeVerifier by3 = new FakeVerifier();
        bytes memory proof = truthOfRows(by3, 3, features, outputs);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(proof, "", ""));
    }

    function test_a_batch_verifier_that_the_agent_did_not_accept_stops_it() public {
        setBatches(model, 4);
        bytes memory proof = proofOfFirst(3);
        vm.expectPartialRevert(IProvenAgent.ModelCommitmentChanged.selector);
        runs(list(proof, "", ""));
    }

    function test_batch_verifiers_set_inside_the_frame_do_not_count() public {
        CarelessAgent careless = new CarelessAgent(executor);
        uint256 own = registerFor(address(careless));
        bytes memory x = careless.featuresBy(encoder);
        (bytes memory y, bytes memory z) = (output(ANSWER, 6), output(ANSWER, 7));
        FakeVerifier obliging = new FakeVerifier();
        BatchVerifier[] memory set = new BatchVerifier[](1);
        set[0] = BatchVerifier(2, address(obliging), "", address(obliging).codehash);
        careless.setUpdate(abi.encodeCall(registry.setBatchVerifiers, (own, set)));
        careless.setDecisions(2);
        Claim[] memory both = append(new Claim[](0), Claim(own, keccak256(x), y));
        both = append(both, Claim(own, keccak256(x), z));
        bytes memory proof = truthOfRows(obliging, 2, list(x, x), list(y, z));
        vm.expectPartialRevert(IAgentExecutor.ModelChangedInFrame.selector);
        careless.open(both, list(proof, ""), termsFor(both, address(careless)));
    }
}
