// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IGroth16Verifier} from "../../src/interfaces/IGroth16Verifier.sol";
import {BatchVerifier, IModelRegistry, ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Groth16World} from "../support/Groth16World.sol";
import {World} from "../support/World.sol";

/// @dev Frames with decisions of two models that have Groth16 keys, and of one that has a verifier of
///   its own: the parent's, whose two tools are agents of the others.
contract Groth16FramesTest is World, Groth16World {
    bytes4 private constant GROTH16 = bytes4(keccak256("groth16-bn254-v1"));

    address private key = makeKey(INPUTS, OUTPUTS, "key");
    address private otherKey = makeKey(INPUTS, OUTPUTS, "other key");
    uint256 private keyed;
    uint256 private otherKeyed;
    TestAgent private inner;
    TestAgent private parent;
    bytes[] private x;
    bytes[] private proofs;
    Claim[] private claims;

    function setUp() public {
        (keyed, otherKeyed) = (register(key, GROTH16), register(otherKey, GROTH16));
        IERCAgentTool[] memory tools = new IERCAgentTool[](2);
        inner = agentOf(keyed);
        (tools[0], tools[1]) = (inner, agentOf(otherKeyed));
        parent = agentWith(tools, address(this));
        for (int64 i = 0; i < 4; ++i) {
            decide(output(CALL, i % 2));
            decide(output(ANSWER, i)); // by the agent that was called
        }
        decide(output(ANSWER, 7));
    }

    function agentOf(uint256 id) private returns (TestAgent) {
        return new TestAgent(executor, vm.toString(id), address(0), new IERCAgentTool[](0), 5);
    }

    function register(address key_, bytes4 system) private returns (uint256) {
        ModelBinding memory binding = bindingWith(key_);
        ModelCommitment memory commitment = commitmentFor(binding);
        commitment.proofSystemId = system;
        return registry.registerBoundModel(commitment, binding);
    }

    function decide(bytes memory y) private {
        Missing memory m = missing(parent, "go", claims);
        claims.push(Claim(m.modelId, keccak256(m.features), y));
        x.push(m.features);
        proofs.push(proofOf(m.modelId, m.features, y));
    }

    function proofOf(uint256 id, bytes memory features, bytes memory y)
        private
        returns (bytes memory)
    {
        if (id == model) return truth(features, y);
        return prove(id == keyed ? key : otherKey, features, y, vm.toString(claims.length)).proof;
    }

    function runs() private returns (string memory answer) {
        (, answer) =
            parent.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function groth16Of() private view returns (address) {
        return vm.computeCreateAddress(address(executor), 1);
    }

    function test_proofs_of_both_systems_and_all_keys_verify_a_run() public {
        vm.expectCall(groth16Of(), abi.encodeWithSelector(IGroth16Verifier.verify.selector), 1);
        for (uint256 i = 0; i < claims.length; ++i) {
            uint256 id = claims[i].modelId;
            vm.expectEmit(true, false, true, false, address(executor));
            emit IAgentExecutor.DecisionVerified(
                id, address(0), registry.commitmentHash(id), claims[i].featuresHash, 0
            );
        }
        assertEq(runs(), "answer 7");
    }

    function test_one_false_output_of_any_system_or_key_is_refused() public {
        for (uint256 i = 0; i < claims.length; ++i) {
            uint256 last = 8 * OUTPUTS - 1;
            claims[i].output[last] ^= 0x01;
            bytes memory refusal = claims[i].modelId == model
                ? abi.encodeWithSelector(FakeVerifier.ProofRefused.selector)
                : abi.encodeWithSelector(IGroth16Verifier.ProofsFalse.selector, 4);
            vm.expectRevert(refusal);
            runs();
            claims[i].output[last] ^= 0x01;
        }
        assertEq(runs(), "answer 7");
    }

    function test_a_proof_of_another_claim_is_refused() public {
        assertEq(claims[1].modelId, keyed);
        assertEq(claims[5].modelId, keyed);
        (proofs[1], proofs[5]) = (proofs[5], proofs[1]);
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.ProofsFalse.selector, 4));
        runs();
        (proofs[1], proofs[3], proofs[5]) = (proofs[5], proofs[1], proofs[3]);
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.ProofsFalse.selector, 4));
        runs();
    }

    function test_a_proof_covers_one_claim_alone() public {
        proofs[5] = "";
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.NoBatchVerifier.selector, keyed, 2, 1)
        );
        runs();
        proofs[1] = ""; // so that both are the claims' own
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.WrongProofSize.selector, 0, 256, 0));
        runs();
    }

    function test_a_key_of_another_size_than_the_model_is_refused() public {
        vm.etch(key, keyCode(INPUTS - 1, OUTPUTS, 0, "key"));
        uint256 small = register(key, GROTH16);
        vm.expectRevert(
            abi.encodeWithSelector(
                IGroth16Verifier.WrongFeaturesSize.selector, 0, 2 * INPUTS - 2, 2 * INPUTS
            )
        );
        executor.recordDecision(small, x[1], claims[1].output, proofs[1]);
    }

    function test_a_decision_is_recorded_with_its_proof_alone() public {
        executor.recordDecision(keyed, x[1], claims[1].output, proofs[1]);
        assertEq(executor.recordedOutput(keyed, x[1]), claims[1].output);
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.ProofsFalse.selector, 1));
        executor.recordDecision(keyed, x[5], claims[5].output, proofs[1]);
        executor.recordDecisions(keyed, list(x[5]), list(claims[5].output), proofs[5]);
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.NoBatchVerifier.selector, keyed, 2, 1)
        );
        executor.recordDecisions(
            keyed, list(x[1], x[5]), list(claims[1].output, claims[5].output), proofs[1]
        );
    }

    function test_keys_are_registered_for_their_system_and_nothing_else_is() public {
        bytes4[2] memory others =
            [bytes4(keccak256("ezkl-halo2-kzg-bn254-v1")), bytes4(keccak256("evm-int-v1"))];
        for (uint256 i = 0; i < 2; ++i) {
            ModelBinding memory bound = bindingWith(key);
            ModelCommitment memory commitment = commitmentFor(bound);
            commitment.proofSystemId = others[i];
            vm.expectRevert(
                abi.encodeWithSelector(IModelRegistry.KeyMismatch.selector, others[i], key)
            );
            registry.registerBoundModel(commitment, bound);
        }
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory called = commitmentFor(binding);
        called.proofSystemId = GROTH16;
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.KeyMismatch.selector, GROTH16, verifier)
        );
        registry.registerBoundModel(called, binding);
    }

    function test_a_key_is_no_batch_verifier_and_has_none() public {
        BatchVerifier[] memory batches = new BatchVerifier[](1);
        batches[0] = BatchVerifier(2, key, "circuit", key.codehash);
        bytes4 ezkl = bytes4(keccak256("ezkl-halo2-kzg-bn254-v1"));
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.KeyMismatch.selector, ezkl, key));
        registry.setBatchVerifiers(model, batches);
        batches[0] = BatchVerifier(2, address(verifier), "c", address(verifier).codehash);
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.UnsupportedProofSystem.selector, GROTH16)
        );
        registry.setBatchVerifiers(keyed, batches);
    }

    /// @dev Whatever a registry says: one that names a key where a verifier belongs.
    function test_a_key_that_a_registry_names_for_several_decisions_is_not_called() public {
        vm.mockCall(
            address(registry),
            abi.encodeCall(IModelRegistry.batchVerifierFor, (model, 2)),
            abi.encode(key, 2, registry.commitmentHash(model))
        );
        vm.expectRevert(abi.encodeWithSelector(IGroth16Verifier.WrongProofSize.selector, 0, 256, 0));
        executor.recordDecisions(
            model, list(x[0], x[2]), list(claims[0].output, claims[2].output), ""
        );
    }
}
