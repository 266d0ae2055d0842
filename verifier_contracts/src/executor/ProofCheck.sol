// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IProofVerifier} from "../interfaces/IProofVerifier.sol";
import {Instances} from "../libraries/Instances.sol";

/// @title Builds the instances of a proof and has it verified
library ProofCheck {
    /// @notice Reverts, with the verifier's own data, unless `proof` shows that the model's output for
    ///   `features` is `output`. The verifier is called statically.
    /// @dev Leaves no memory behind: a frame makes one of these calls, of some 10 kB, per claim.
    function check(
        address verifier,
        bytes calldata proof,
        bytes memory features,
        bytes memory output
    ) internal view {
        if (verifier.code.length == 0) {
            revert IAgentExecutor.VerifierGone(verifier);
        }
        bytes memory callData = encodeCall(proof, features, output);
        assembly ("memory-safe") {
            let success := staticcall(gas(), verifier, add(callData, 32), mload(callData), 0, 0)
            if iszero(success) {
                returndatacopy(callData, 0, returndatasize())
                revert(callData, returndatasize())
            }
            mstore(0x40, callData)
        }
    }

    /// @notice The same as abi.encodeCall(IProofVerifier.verify, (proof, instances)), which is the one
    ///   encoding for which generated verifiers are sound, with the instances written in place.
    /// @dev A circuit for several decisions takes all their features, then all their outputs: hand in
    ///   rows one behind the other (`BatchRows`).
    function encodeCall(bytes calldata proof, bytes memory features, bytes memory output)
        internal
        pure
        returns (bytes memory callData)
    {
        bytes4 selector = IProofVerifier.verify.selector;
        uint256 slack = Instances.SLACK;
        uint256 count =
            features.length / Instances.FEATURE_BYTES + output.length / Instances.OUTPUT_BYTES;
        uint256 instances;
        assembly ("memory-safe") {
            callData := mload(0x40)
            let head := add(callData, 36) // behind the length and the selector
            let padded := and(add(proof.length, 31), not(31))
            mstore(add(callData, 32), selector)
            mstore(head, 0x40)
            mstore(add(head, 0x20), add(0x60, padded))
            mstore(add(head, 0x40), proof.length)
            instances := add(add(head, 0x60), padded)
            mstore(sub(instances, 32), 0) // clean padding, overwritten by the proof where there is none
            calldatacopy(add(head, 0x60), proof.offset, proof.length)
            mstore(instances, count)
            instances := add(instances, 32)
            let end := add(instances, shl(5, count))
            mstore(callData, sub(end, add(callData, 32)))
            mstore(0x40, and(add(add(end, slack), 31), not(31)))
        }
        instances = Instances.writeFeatures(instances, features);
        Instances.writeOutputs(instances, output);
    }
}
