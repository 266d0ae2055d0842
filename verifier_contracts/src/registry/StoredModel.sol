// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {ExecutableModel} from "../interfaces/IModelRegistry.sol";

/// @title What executors need of a model, kept as the code of one contract
/// @notice Words: those of `ExecutableModel`; the hash over the code hashes of all contracts that
///   execute the model; their addresses, which are verifier, encoder, decoder and the components. To
///   reach this one account costs less than reading as many words of storage.
library StoredModel {
    uint256 private constant MODEL_BYTES = 192;
    uint256 private constant COMMITMENT_OFFSET = 160;

    /// @notice Takes the code of all these contracts as it is now.
    /// @return pointer Where `read` finds it.
    function write(ExecutableModel memory model, address[] memory components)
        internal
        returns (address pointer)
    {
        bytes32[] memory codeHashes = new bytes32[](3 + components.length);
        codeHashes[0] = model.verifier.codehash;
        codeHashes[1] = model.encoder.codehash;
        codeHashes[2] = model.decoder.codehash;
        for (uint256 i = 0; i < components.length; ++i) {
            codeHashes[3 + i] = components[i].codehash;
        }
        bytes32 hash = keccak256(abi.encodePacked(codeHashes));
        bytes memory words = abi.encode(model, hash, model.verifier, model.encoder, model.decoder);
        return SSTORE2.write(abi.encodePacked(words, components));
    }

    /// @return model What was written.
    /// @return unchanged Whether all contracts that execute it have the code that they had then.
    function read(address pointer)
        internal
        view
        returns (ExecutableModel memory model, bool unchanged)
    {
        uint256 modelBytes = MODEL_BYTES;
        assembly ("memory-safe") {
            model := mload(0x40)
            let size := sub(extcodesize(pointer), 1)
            extcodecopy(pointer, model, 1, size)
            let hash := add(model, modelBytes)
            let first := add(hash, 32)
            let end := add(model, size)
            for { let place := first } lt(place, end) { place := add(place, 32) } {
                mstore(place, extcodehash(mload(place)))
            }
            unchanged := eq(keccak256(first, sub(end, first)), mload(hash))
            mstore(0x40, hash)
        }
    }

    /// @notice The commitment hash alone.
    function commitmentHash(address pointer) internal view returns (bytes32 hash) {
        uint256 offset = 1 + COMMITMENT_OFFSET; // behind the code's leading zero byte
        assembly ("memory-safe") {
            extcodecopy(pointer, 0, offset, 32)
            hash := mload(0)
        }
    }
}
