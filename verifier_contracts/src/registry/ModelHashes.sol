// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {BatchVerifier, IModelRegistry, ModelBinding} from "../interfaces/IModelRegistry.sol";
import {ModelCommitment} from "../interfaces/erc/IERCZKMLRegistry.sol";

/// @title The hashes that tie a model's files and contracts together
library ModelHashes {
    bytes32 private constant MODEL_DOMAIN = keccak256("zkagent-model-v1");
    bytes32 private constant COMMITMENT_DOMAIN = keccak256("zkagent-commitment-v1");
    bytes32 private constant BATCHES_DOMAIN = keccak256("zkagent-batches-v1");
    bytes3 private constant DELEGATION = 0xef0100;

    /// @notice `modelHash` of ERC-7992: files by digest, contracts by code. Reads the code at hand.
    function modelHash(ModelBinding memory binding) internal view returns (bytes32) {
        bytes32[] memory components = new bytes32[](binding.components.length);
        for (uint256 i = 0; i < components.length; ++i) {
            components[i] = fixedCodeHash(binding.components[i]);
        }
        return keccak256(
            abi.encode(
                MODEL_DOMAIN,
                binding.onnxDigest,
                binding.manifestDigest,
                fixedCodeHash(binding.encoder),
                fixedCodeHash(binding.decoder),
                components
            )
        );
    }

    /// @notice What agents pin.
    function commitmentHash(
        ModelCommitment memory commitment,
        ModelBinding memory binding,
        BatchVerifier[] memory batches
    ) internal pure returns (bytes32 hash) {
        hash = keccak256(abi.encode(COMMITMENT_DOMAIN, commitment, binding));
        if (batches.length != 0) hash = keccak256(abi.encode(BATCHES_DOMAIN, hash, batches));
    }

    /// @notice Code hash of a contract that is there.
    /// @dev An EIP-7702 account has code too, but its key can point it elsewhere at any time.
    function fixedCodeHash(address account) internal view returns (bytes32) {
        bytes32 start;
        assembly ("memory-safe") {
            extcodecopy(account, 0, 0, 3)
            start := mload(0)
        }
        if (account.code.length == 0 || bytes3(start) == DELEGATION) {
            revert IModelRegistry.NoFixedCode(account);
        }
        return account.codehash;
    }
}
