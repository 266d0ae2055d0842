// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {Groth16Claim, IGroth16Verifier} from "../../src/interfaces/IGroth16Verifier.sol";
import {IModelRegistry, ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IProofVerifier} from "../../src/interfaces/IProofVerifier.sol";
import {ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {LightModel} from "../fakes/LightModel.sol";
import {PromptModel} from "../fakes/PromptModel.sol";
import {Groth16World} from "../support/Groth16World.sol";
import {PromptWorld} from "../support/PromptWorld.sol";

/// @dev Claims that say the same have one proof, and every neighbour that must not pass.
contract SharedProofsTest is PromptWorld, Groth16World {
    function setUp() public {
        threeDecisions();
    }

    function expectVerifications(uint64 count) private {
        bytes memory call_ = abi.encodeWithSelector(IProofVerifier.verify.selector);
        vm.expectCall(address(verifier), call_, count);
    }

    function other(uint256 index) private {
        claims[index].output[8 * OUTPUTS - 1] ^= 0x01;
    }

    function test_one_proof_serves_claims_that_say_the_same() public {
        expectVerifications(1);
        bytes32 obeyed = registry.commitmentHash(id);
        bytes32 y = keccak256(claims[0].output);
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectEmit(address(executor));
            emit IAgentExecutor.DecisionVerified(
                id, address(agent), obeyed, claims[0].featuresHash, y
            );
        }
        assertEq(runs(list(proofs[0], "", "")), "done");
    }

    function test_the_proof_has_to_be_with_the_first_of_them() public {
        for (uint256 i = 1; i < 3; ++i) {
            bytes[] memory late = list("", "", "");
            late[i] = proofs[0];
            vm.expectRevert(FakeVerifier.ProofRefused.selector);
            runs(late);
        }
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list("", "", ""));
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ProofCountMismatch.selector, 3, 1));
        runs(list(proofs[0]));
    }

    /// @dev No proof that is sent is passed over.
    function test_a_proof_more_is_verified_too() public {
        expectVerifications(3 + 2 + 3);
        assertEq(runs(proofs), "done");
        assertEq(runs(list(proofs[0], "", proofs[0])), "done");
        bytes memory false_ = bytes.concat(proofs[0], hex"00");
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(proofs[0], proofs[0], false_));
    }

    function test_another_output_for_the_same_features_is_not_covered() public {
        for (uint256 i = 0; i < 3; ++i) {
            other(i);
            vm.expectPartialRevert(IModelRegistry.NoBatchVerifier.selector);
            runs(list(proofs[0], "", ""));
            other(i);
        }
        assertEq(runs(list(proofs[0], "", "")), "done");
    }

    /// @dev With verifiers for several rows, it is a row more, and has to be true.
    function test_another_output_for_the_same_features_is_a_row_more() public {
        setBatches(id, 2, 4);
        agent.acceptModel(registry.commitmentHash(id));
        other(1);
        bytes memory lies = by2.proofOf(rowsOf(0, 1));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list(lies, "", ""));
        by2.admit(rowsOf(0, 1));
        assertEq(runs(list(lies, "", "")), "done");
    }

    function rowsOf(uint256 i, uint256 j) private view returns (uint256[] memory) {
        return instancesOf(
            bytes.concat(features[i], features[j]), bytes.concat(claims[i].output, claims[j].output)
        );
    }

    function test_more_claims_than_decisions_are_refused() public {
        claims.push(claims[0]);
        terms.calls.push(terms.calls[0]);
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ClaimsLeftOver.selector, 3, 4));
        runs(append(list(proofs[0], "", ""), ""));
        claims.pop();
        claims.pop();
        terms.calls.pop();
        terms.calls.pop();
        vm.expectPartialRevert(IAgentExecutor.ClaimMissing.selector);
        runs(list(proofs[0], ""));
    }

    function test_a_proof_of_an_earlier_frame_covers_nothing() public {
        runs(list(proofs[0], "", ""));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(list("", "", ""));
    }

    /// @dev An agent and one that is its tool, of models whose features depend on the prompt alone: both
    ///   call once and answer then, so that all four claims have the same features and output.
    function nest(bool oneModel) private {
        PromptModel blind = new PromptModel(book, INPUTS, false);
        ModelBinding memory binding = bindingOf(blind);
        uint256 outer = registry.registerBoundModel(commitmentFor(binding), binding);
        if (!oneModel) binding.onnxDigest = "another file";
        uint256 nested = registry.registerBoundModel(commitmentFor(binding), binding);
        agent = agentOf(outer, agentOf(oneModel ? outer : nested, tool));
        delete claims;
        delete features;
        delete proofs;
        delete terms;
        for (uint256 i = 0; i < 4; ++i) {
            decide(agent, "go", 1, i / 2); // the outer one, twice the nested one, the outer one
        }
        for (uint256 i = 1; i < 4; ++i) {
            assertEq(claims[i].featuresHash, claims[0].featuresHash);
            assertEq(claims[i].output, claims[0].output);
        }
    }

    function test_another_model_with_the_same_features_and_output_needs_its_own() public {
        nest(false);
        assertNotEq(claims[0].modelId, claims[1].modelId);
        bytes[] memory given = append(list(proofs[0], "", ""), "");
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(given);
        given[1] = proofs[1];
        assertEq(runs(given), "done");
    }

    /// @dev A proof is about features and an output, whoever decides by them.
    function test_another_agent_of_the_model_is_covered_where_its_features_are_the_same() public {
        nest(true);
        bytes[] memory given = append(list(proofs[0], "", ""), "");
        expectVerifications(1);
        assertEq(runs(given), "done");
        claims[1].featuresHash ^= bytes32(uint256(1));
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        runs(given);
    }

    function registerAs(address by, string memory system) private {
        ModelBinding memory binding = bindingOf(light);
        binding.verifier = by;
        ModelCommitment memory commitment = commitmentFor(binding);
        commitment.proofSystemId = bytes4(keccak256(bytes(system)));
        registry.updateBoundModel(id, commitment, binding);
        agent.acceptModel(registry.commitmentHash(id));
    }

    function test_what_is_evaluated_is_evaluated_once() public {
        address taking = address(new LightModel(0, address(0)));
        registerAs(taking, "evm-int-v1");
        bytes memory verification = abi.encodeWithSelector(IProofVerifier.verify.selector);
        vm.expectCall(taking, verification, 1 + 2 + 2);
        runs(list("", "", ""));
        other(1);
        runs(list("", "", ""));
        other(1);
        other(0);
        runs(list("", "", ""));
    }

    function test_one_groth16_proof_is_verified_once() public {
        address key = makeKey(INPUTS, OUTPUTS, "key");
        registerAs(key, "groth16-bn254-v1");
        Groth16Claim memory proven = prove(key, features[0], claims[0].output, "salt");
        address by = vm.computeCreateAddress(address(executor), 1);
        vm.expectCall(by, abi.encodeCall(IGroth16Verifier.verify, (one(proven))), 1);
        assertEq(runs(list(proven.proof, "", "")), "done");
        other(2);
        vm.expectPartialRevert(IModelRegistry.NoBatchVerifier.selector);
        runs(list(proven.proof, "", ""));
        other(2);
        other(0);
        other(1);
        other(2); // all of them alike, and none of them true
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.ProofsFalse.selector, 1));
        runs(list(proven.proof, "", ""));
    }
}
