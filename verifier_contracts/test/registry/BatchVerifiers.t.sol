// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {BatchVerifier, IModelRegistry, ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCZKMLRegistry} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {Batches} from "../support/Batches.sol";

contract BatchVerifiersTest is Batches {
    BatchVerifier[] private none;

    function one(BatchVerifier memory only) private pure returns (BatchVerifier[] memory all) {
        all = new BatchVerifier[](1);
        all[0] = only;
    }

    function test_what_is_set_is_read_and_replaced() public {
        setBatches(model, 2, 4);
        BatchVerifier[] memory read = registry.batchVerifiers(model);
        assertEq(read.length, 2);
        assertEq(
            keccak256(abi.encode(read[0], read[1])), keccak256(abi.encode(batchOf(2), batchOf(4)))
        );
        setBatches(model, 4);
        assertEq(registry.batchVerifiers(model).length, 1);
    }

    function test_the_smallest_that_holds_the_decisions_is_named() public {
        setBatches(model, 2, 4);
        for (uint256 decisions = 2; decisions <= 4; ++decisions) {
            (address by, uint256 size, bytes32 commitment) =
                registry.batchVerifierFor(model, decisions);
            assertEq(by, address(decisions == 2 ? by2 : by4));
            assertEq(size, decisions == 2 ? 2 : 4);
            assertEq(commitment, registry.commitmentHash(model));
        }
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.NoBatchVerifier.selector, model, 5, 4)
        );
        registry.batchVerifierFor(model, 5);
    }

    function test_each_field_changes_the_commitment_hash() public {
        bytes32 bare = registry.commitmentHash(model);
        setBatches(model, 4);
        bytes32 set = registry.commitmentHash(model);
        assertEq(set, keccak256(abi.encode(keccak256("zkagent-batches-v1"), bare, one(batchOf(4)))));
        BatchVerifier memory changed = batchOf(4);
        changed.size = 3;
        assertTrue(hashWith(changed) != set);
        changed = batchOf(4);
        changed.circuitHash = "another";
        assertTrue(hashWith(changed) != set);
        changed = batchOf(4);
        changed.verifier = address(new FakeVerifier()); // same code, elsewhere
        assertTrue(hashWith(changed) != set);
        assertEq(hashWith(batchOf(4)), set);
        vm.expectEmit(address(registry));
        emit IModelRegistry.BatchVerifiersSet(model, bare, none);
        registry.setBatchVerifiers(model, none);
        assertEq(registry.commitmentHash(model), bare);
    }

    function hashWith(BatchVerifier memory batch) private returns (bytes32) {
        registry.setBatchVerifiers(model, one(batch));
        return registry.commitmentHash(model);
    }

    function test_only_the_owner_sets_them() public {
        address stranger = makeAddr("stranger");
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(IERCZKMLRegistry.NotModelOwner.selector, model, stranger)
        );
        registry.setBatchVerifiers(model, none);
    }

    function test_sizes_ascend_from_two() public {
        BatchVerifier[] memory turned = new BatchVerifier[](2);
        (turned[0], turned[1]) = (batchOf(4), batchOf(2));
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.BatchSizeOutOfOrder.selector, 4, 2));
        registry.setBatchVerifiers(model, turned);
        turned[1] = batchOf(4);
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.BatchSizeOutOfOrder.selector, 4, 4));
        registry.setBatchVerifiers(model, turned);
        for (uint16 size = 0; size < 2; ++size) {
            turned[0].size = size;
            vm.expectRevert(
                abi.encodeWithSelector(IModelRegistry.BatchSizeOutOfOrder.selector, 1, size)
            );
            registry.setBatchVerifiers(model, turned);
        }
    }

    function test_the_code_has_to_be_the_stated_one_and_stay() public {
        BatchVerifier memory wrong = batchOf(4);
        wrong.codeHash = address(encoder).codehash;
        vm.expectRevert(
            abi.encodeWithSelector(
                IModelRegistry.VerifierMismatch.selector, wrong.codeHash, address(by4).codehash
            )
        );
        registry.setBatchVerifiers(model, one(wrong));
        wrong = batchOf(4);
        wrong.verifier = makeAddr("account");
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.NoFixedCode.selector, wrong.verifier));
        registry.setBatchVerifiers(model, one(wrong));
        setBatches(model, 4);
        registry.checkCode(model);
        vm.etch(address(by4), address(encoder).code);
        vm.expectPartialRevert(IModelRegistry.VerifierMismatch.selector);
        registry.checkCode(model);
    }

    function test_an_update_of_the_binding_removes_them() public {
        setBatches(model, 2, 4);
        ModelBinding memory binding = bindingWith(address(verifier));
        registry.updateBoundModel(model, commitmentFor(binding), binding);
        assertEq(registry.batchVerifiers(model).length, 0);
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.NoBatchVerifier.selector, model, 2, 1)
        );
        registry.batchVerifierFor(model, 2);
    }

    function test_models_that_cannot_be_executed_have_none() public {
        uint256 unbound = registry.registerModel(commitmentFor(bindingWith(address(verifier))));
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.ModelNotBound.selector, unbound));
        registry.setBatchVerifiers(unbound, none);
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.ModelNotBound.selector, unbound));
        registry.batchVerifierFor(unbound, 2);
        setBatches(model, 4);
        registry.deprecateModel(model);
        vm.expectRevert(abi.encodeWithSelector(IERCZKMLRegistry.ModelIsDeprecated.selector, model));
        registry.batchVerifierFor(model, 2);
        vm.expectRevert(abi.encodeWithSelector(IERCZKMLRegistry.ModelIsDeprecated.selector, model));
        registry.setBatchVerifiers(model, none);
    }
}
