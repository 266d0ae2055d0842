// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {BatchRows} from "../libraries/BatchRows.sol";
import {FrameState, UsedClaim} from "./FrameState.sol";
import {ProofCheck} from "./ProofCheck.sol";
import {ProofCoverage} from "./ProofCoverage.sol";

/// @title Verifies the proofs of a frame's claims, several claims to a proof where it covers several
/// @dev Verifiers are called statically, so none of them can act inside the frame.
abstract contract FrameProofs is FrameState {
    IModelRegistry internal immutable _registry;

    constructor(IModelRegistry registry_) {
        _registry = registry_;
    }

    /// @dev For frames in which every claim was used. Reverts unless all of them are proven.
    function _verifyClaims(Claim[] calldata claims, bytes[] calldata proofs) internal {
        bool[] memory covered = new bool[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            if (covered[i]) continue;
            uint256[] memory members = ProofCoverage.coveredBy(i, claims, proofs, covered);
            if (members.length == 1) _verifyOne(i, claims[i], proofs[i]);
            else _verifyTogether(members, claims, proofs[i]);
        }
    }

    /// @dev Reverts unless `proof` shows that outputs are the model's for features, row by row. All rows
    ///   have the lengths of the model, and there are 1 to `size`.
    function _checkRows(
        address verifier,
        uint256 size,
        bytes calldata proof,
        bytes[] memory features,
        bytes[] memory outputs
    ) internal view {
        ProofCheck.check(
            verifier, proof, BatchRows.fill(features, size), BatchRows.fill(outputs, size)
        );
    }

    function _verifyOne(uint256 index, Claim calldata claim, bytes calldata proof) private {
        UsedClaim memory used = _usedClaimAt(index);
        ProofCheck.check(used.verifier, proof, used.features, claim.output);
        _emitVerified(claim, used);
    }

    /// @dev The batch verifier is looked up now, so the model has to be what it was when it was used.
    function _verifyTogether(
        uint256[] memory members,
        Claim[] calldata claims,
        bytes calldata proof
    ) private {
        uint256 modelId = claims[members[0]].modelId;
        (address verifier, uint256 size, bytes32 commitment) =
            _registry.batchVerifierFor(modelId, members.length);
        bytes[] memory features = new bytes[](members.length);
        bytes[] memory outputs = new bytes[](members.length);
        for (uint256 i = 0; i < members.length; ++i) {
            UsedClaim memory used = _usedClaimAt(members[i]);
            if (used.commitmentHash != commitment) {
                revert IAgentExecutor.ModelChangedInFrame(modelId, used.commitmentHash, commitment);
            }
            features[i] = used.features;
            outputs[i] = claims[members[i]].output;
            _emitVerified(claims[members[i]], used);
        }
        _checkRows(verifier, size, proof, features, outputs);
    }

    function _emitVerified(Claim calldata claim, UsedClaim memory used) private {
        emit IAgentExecutor.DecisionVerified(
            claim.modelId,
            used.agent,
            used.commitmentHash,
            claim.featuresHash,
            keccak256(claim.output)
        );
    }
}
