// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IProofVerifier} from "../interfaces/IProofVerifier.sol";
import {Instances} from "../libraries/Instances.sol";

/// @title Builds the instances of a proof and has it verified
library ProofCheck {
    /// @notice Reverts unless `proof` shows that the model's output for `features` is `output`.
    /// @dev A circuit for several decisions takes all their features, then all their outputs: write
    ///   those of each claim one behind the other in the same two steps.
    function check(
        address verifier,
        bytes calldata proof,
        bytes memory features,
        bytes memory output
    ) internal view {
        uint256 inputs = features.length / Instances.FEATURE_BYTES;
        uint256[] memory instances = new uint256[](inputs + output.length / Instances.OUTPUT_BYTES);
        Instances.writeFeatures(instances, 0, features);
        Instances.writeOutputs(instances, inputs, output);
        IProofVerifier(verifier).verify(proof, instances);
    }
}
