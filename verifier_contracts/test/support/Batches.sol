// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {BatchVerifier, ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {World} from "./World.sol";

/// @dev A world with fake verifiers for two and for four decisions.
abstract contract Batches is World {
    FakeVerifier internal by2 = new FakeVerifier();
    FakeVerifier internal by4 = new FakeVerifier();

    function setBatches(uint256 id, uint16 a) internal {
        BatchVerifier[] memory batches = new BatchVerifier[](1);
        batches[0] = batchOf(a);
        registry.setBatchVerifiers(id, batches);
    }

    function setBatches(uint256 id, uint16 a, uint16 b) internal {
        BatchVerifier[] memory batches = new BatchVerifier[](2);
        (batches[0], batches[1]) = (batchOf(a), batchOf(b));
        registry.setBatchVerifiers(id, batches);
    }

    function batchOf(uint16 size) internal view returns (BatchVerifier memory) {
        address by = address(size == 2 ? by2 : by4);
        return BatchVerifier(size, by, "batch circuit", by.codehash);
    }

    function registerFor(address owner) internal returns (uint256 id) {
        ModelBinding memory binding = bindingWith(address(verifier));
        ModelCommitment memory commitment = commitmentFor(binding);
        vm.prank(owner);
        id = registry.registerBoundModel(commitment, binding);
    }

    /// @dev Makes the outputs true for the features, row by row; what is missing is the last row again.
    ///   Written otherwise than the contracts do it: the plain reference.
    function truthOfRows(
        FakeVerifier by,
        uint256 size,
        bytes[] memory features,
        bytes[] memory outputs
    ) internal returns (bytes memory proof) {
        bytes memory x;
        bytes memory y;
        for (uint256 i = 0; i < size; ++i) {
            x = bytes.concat(x, features[i < features.length ? i : features.length - 1]);
            y = bytes.concat(y, outputs[i < outputs.length ? i : outputs.length - 1]);
        }
        return by.admit(instancesOf(x, y));
    }

    function first(bytes[] memory all, uint256 count) internal pure returns (bytes[] memory some) {
        for (uint256 i = 0; i < count; ++i) {
            some = append(some, all[i]);
        }
    }

    function last(bytes[] memory all, uint256 count) internal pure returns (bytes[] memory some) {
        for (uint256 i = all.length - count; i < all.length; ++i) {
            some = append(some, all[i]);
        }
    }
}
