// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {
    ExecutableModel,
    IModelRegistry,
    ModelBinding
} from "../../src/interfaces/IModelRegistry.sol";
import {IERCZKMLRegistry, ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {FakeDecoder} from "../fakes/FakeDecoder.sol";
import {FakeEncoder} from "../fakes/FakeEncoder.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {World} from "../support/World.sol";

contract ModelRegistryTest is World {
    ModelCommitment private plain = ModelCommitment("m", "c", "v", 0x01020304, "ipfs://x");

    function test_numbers_count_up_from_one() public {
        assertEq(model, 1);
        assertEq(registry.registerModel(plain), 2);
    }

    function test_what_is_registered_is_read() public {
        vm.prank(makeAddr("maker"));
        uint256 id = registry.registerModel(plain);
        (ModelCommitment memory read, bool deprecated, address owner) = registry.getModel(id);
        assertEq(keccak256(abi.encode(read)), keccak256(abi.encode(plain)));
        assertFalse(deprecated);
        assertEq(owner, makeAddr("maker"));
    }

    function test_registration_update_and_deprecation_are_logged() public {
        vm.expectEmit(address(registry));
        emit IERCZKMLRegistry.ModelRegistered(2, address(this), plain);
        registry.registerModel(plain);
        ModelCommitment memory next = plain;
        next.uri = "ipfs://y";
        vm.expectEmit(address(registry));
        emit IERCZKMLRegistry.ModelUpdated(2, plain, next);
        registry.updateModel(2, next);
        vm.expectEmit(address(registry));
        emit IERCZKMLRegistry.ModelDeprecated(2);
        registry.deprecateModel(2);
        (, bool deprecated,) = registry.getModel(2);
        assertTrue(deprecated);
    }

    function test_every_binding_is_logged_with_the_hash_that_agents_pin() public {
        ModelBinding memory binding = bindingWith(address(verifier));
        uint256 state = vm.snapshotState();
        bytes32 hash =
            registry.commitmentHash(registry.registerBoundModel(commitmentFor(binding), binding));
        vm.revertToState(state);
        vm.expectEmit(address(registry));
        emit IModelRegistry.ModelBound(2, hash, binding);
        registry.registerBoundModel(commitmentFor(binding), binding);
        vm.expectEmit(address(registry));
        emit IModelRegistry.ModelBound(2, hash, binding);
        registry.updateBoundModel(2, commitmentFor(binding), binding);
    }

    function test_only_the_owner_updates_and_deprecates() public {
        uint256 id = registry.registerModel(plain);
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        address stranger = makeAddr("stranger");
        bytes memory refusal =
            abi.encodeWithSelector(IERCZKMLRegistry.NotModelOwner.selector, id, stranger);
        vm.startPrank(stranger);
        vm.expectRevert(refusal);
        registry.updateModel(id, plain);
        vm.expectRevert(refusal);
        registry.updateBoundModel(id, commitment, binding);
        vm.expectRevert(refusal);
        registry.deprecateModel(id);
    }

    function test_an_unknown_number_is_an_error() public {
        bytes memory unknown = abi.encodeWithSelector(IERCZKMLRegistry.ModelNotFound.selector, 0);
        vm.expectRevert(unknown);
        registry.getModel(0);
        vm.expectRevert(unknown);
        registry.bindingOf(0);
        vm.expectRevert(unknown);
        registry.commitmentHash(0);
        vm.expectRevert(unknown);
        registry.updateModel(0, plain);
        vm.expectRevert(unknown);
        registry.getBinding(0);
        vm.expectRevert(unknown);
        registry.batchVerifiers(0);
    }

    function test_an_unbound_model_cannot_be_executed() public {
        uint256 id = registry.registerModel(plain);
        bytes memory unbound = abi.encodeWithSelector(IModelRegistry.ModelNotBound.selector, id);
        vm.expectRevert(unbound);
        registry.bindingOf(id);
        vm.expectRevert(unbound);
        registry.commitmentHash(id);
        vm.expectRevert(unbound);
        registry.getBinding(id);
        vm.expectRevert(unbound);
        registry.checkCode(id);
    }

    function test_an_unbound_model_can_be_bound_later() public {
        uint256 id = registry.registerModel(plain);
        ModelBinding memory binding = bindingWith(address(verifier));
        registry.updateBoundModel(id, commitmentFor(binding), binding);
        assertEq(registry.bindingOf(id).verifier, address(verifier));
    }

    function test_a_binding_is_read_whole_and_as_executors_need_it() public {
        ModelBinding memory read = registry.getBinding(model);
        assertEq(keccak256(abi.encode(read)), keccak256(abi.encode(bindingWith(address(verifier)))));
        ExecutableModel memory m = registry.bindingOf(model);
        assertEq(m.verifier, address(verifier));
        assertEq(m.encoder, address(encoder));
        assertEq(m.decoder, address(decoder));
        assertEq(m.inputs, INPUTS);
        assertEq(m.outputs, OUTPUTS);
        assertEq(m.commitmentHash, registry.commitmentHash(model));
    }

    function test_a_bound_model_is_not_updated_without_its_binding() public {
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.ModelIsBound.selector, model));
        registry.updateModel(model, plain);
    }

    function test_the_verifier_has_to_be_the_committed_one() public {
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        binding.verifier = address(encoder);
        vm.expectRevert(
            abi.encodeWithSelector(
                IModelRegistry.VerifierMismatch.selector,
                address(verifier).codehash,
                address(encoder).codehash
            )
        );
        registry.registerBoundModel(commitment, binding);
    }

    function test_the_model_hash_covers_files_encoder_decoder_and_components() public {
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        binding.onnxDigest = "other";
        expectHashMismatch(commitment, binding);
        binding = bindingWith(address(verifier));
        binding.manifestDigest = "other";
        expectHashMismatch(commitment, binding);
        binding = bindingWith(address(verifier));
        binding.encoder = address(new FakeEncoder(INPUTS + 1));
        expectHashMismatch(commitment, binding);
        binding = bindingWith(address(verifier));
        binding.decoder = address(encoder);
        expectHashMismatch(commitment, binding);
        binding = bindingWith(address(verifier));
        binding.components = new address[](1);
        binding.components[0] = address(decoder);
        expectHashMismatch(commitment, binding);
    }

    function test_the_model_hash_is_the_documented_one() public view {
        ModelBinding memory binding = bindingWith(address(verifier));
        binding.components = new address[](1);
        binding.components[0] = address(this);
        bytes32[] memory components = new bytes32[](1);
        components[0] = address(this).codehash;
        assertEq(
            registry.modelHashOf(binding),
            keccak256(
                abi.encode(
                    keccak256("zkagent-model-v1"),
                    bytes32("onnx"),
                    bytes32("manifest"),
                    address(encoder).codehash,
                    address(decoder).codehash,
                    components
                )
            )
        );
    }

    function test_every_field_changes_the_commitment_hash() public {
        bytes32 first = registry.commitmentHash(model);
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        assertEq(hashAfter(commitment, binding), first);
        commitment.uri = "ipfs://elsewhere";
        assertTrue(hashAfter(commitment, binding) != first);
        commitment = commitmentFor(binding);
        commitment.circuitHash = "another";
        assertTrue(hashAfter(commitment, binding) != first);
        commitment = commitmentFor(binding);
        binding.inputs = 3;
        assertTrue(hashAfter(commitment, binding) != first);
        binding = bindingWith(address(new FakeVerifier())); // same code, elsewhere
        assertTrue(hashAfter(commitment, binding) != first);
    }

    function test_other_proof_systems_are_not_bound() public {
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        commitment.proofSystemId = bytes4(keccak256("plonk-bn254-v1"));
        vm.expectRevert(
            abi.encodeWithSelector(
                IModelRegistry.UnsupportedProofSystem.selector, commitment.proofSystemId
            )
        );
        registry.registerBoundModel(commitment, binding);
    }

    function test_evaluation_is_bound_like_a_proof_but_is_another_commitment() public {
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        commitment.proofSystemId = bytes4(keccak256("evm-int-v1"));
        uint256 id = registry.registerBoundModel(commitment, binding);
        assertEq(registry.bindingOf(id).verifier, address(verifier));
        assertTrue(registry.commitmentHash(id) != registry.commitmentHash(model));
    }

    function test_a_model_has_inputs_and_outputs() public {
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        binding.outputs = 0;
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.EmptyModel.selector, INPUTS, 0));
        registry.registerBoundModel(commitment, binding);
        (binding.inputs, binding.outputs) = (0, OUTPUTS);
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.EmptyModel.selector, 0, OUTPUTS));
        registry.registerBoundModel(commitment, binding);
        (binding.inputs, binding.outputs) = (1, 1);
        registry.registerBoundModel(commitmentFor(binding), binding);
    }

    function test_bound_contracts_have_code_that_cannot_move() public {
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        address account = makeAddr("account");
        binding.encoder = account;
        bytes memory refusal = abi.encodeWithSelector(IModelRegistry.NoFixedCode.selector, account);
        vm.expectRevert(refusal);
        registry.registerBoundModel(commitment, binding);
        vm.etch(account, abi.encodePacked(hex"ef0100", address(encoder))); // EIP-7702
        vm.expectRevert(refusal);
        registry.registerBoundModel(commitment, binding);
    }

    function test_code_that_was_replaced_is_found_out() public {
        registry.checkCode(model);
        vm.etch(address(encoder), address(decoder).code);
        vm.expectPartialRevert(IModelRegistry.ModelHashMismatch.selector);
        registry.checkCode(model);
    }

    function test_a_deprecated_model_is_neither_executed_nor_updated() public {
        registry.deprecateModel(model);
        bytes memory gone =
            abi.encodeWithSelector(IERCZKMLRegistry.ModelIsDeprecated.selector, model);
        vm.expectRevert(gone);
        registry.bindingOf(model);
        vm.expectRevert(gone);
        registry.commitmentHash(model);
        vm.expectRevert(gone);
        registry.deprecateModel(model);
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        vm.expectRevert(gone);
        registry.updateBoundModel(model, commitment, binding);
    }

    function expectHashMismatch(ModelCommitment memory commitment, ModelBinding memory binding)
        private
    {
        bytes32 computed = registry.modelHashOf(binding);
        vm.expectRevert(
            abi.encodeWithSelector(
                IModelRegistry.ModelHashMismatch.selector, commitment.modelHash, computed
            )
        );
        registry.registerBoundModel(commitment, binding);
    }

    function hashAfter(ModelCommitment memory commitment, ModelBinding memory binding)
        private
        returns (bytes32)
    {
        registry.updateBoundModel(model, commitment, binding);
        return registry.commitmentHash(model);
    }
}
