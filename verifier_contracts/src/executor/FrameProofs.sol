// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {Groth16Claim, IGroth16Verifier} from "../interfaces/IGroth16Verifier.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {BatchRows} from "../libraries/BatchRows.sol";
import {Groth16Keys} from "../verifiers/Groth16Keys.sol";
import {Groth16Verifier} from "../verifiers/Groth16Verifier.sol";
import {FrameState, UsedClaim} from "./FrameState.sol";
import {ProofCheck} from "./ProofCheck.sol";
import {ProofCoverage} from "./ProofCoverage.sol";

/// @title Verifies the proofs of a frame's claims, several claims to a proof where it covers several
/// @notice Where a model's verifier is the key of Groth16 proofs, our own verifier has the proof, and
///   all such proofs of a frame together.
/// @dev Verifiers are called statically, so none of them can act inside the frame.
abstract contract FrameProofs is FrameState {
    IModelRegistry internal immutable _registry;
    /// @dev Made with the executor, so that nobody can give it another one.
    IGroth16Verifier private immutable _groth16 = new Groth16Verifier();

    constructor(IModelRegistry registry_) {
        _registry = registry_;
    }

    /// @dev For frames in which every claim was used. Reverts unless all of them are proven.
    function _verifyClaims(Claim[] calldata claims, bytes[] calldata proofs) internal {
        bool[] memory covered = new bool[](claims.length);
        Groth16Claim[] memory ofKeys;
        for (uint256 i = 0; i < claims.length; ++i) {
            if (covered[i]) continue;
            uint256[] memory members = ProofCoverage.coveredBy(i, claims, proofs, covered);
            if (members.length == 1) ofKeys = _verifyOne(i, claims[i], proofs[i], ofKeys);
            else _verifyTogether(members, claims, proofs[i]);
        }
        if (ofKeys.length != 0) _groth16.verify(ofKeys);
    }

    /// @dev Reverts unless `proof` shows that the model's output for `features` is `output`.
    function _checkOne(
        address verifier,
        bytes calldata proof,
        bytes memory features,
        bytes memory output
    ) internal view {
        if (Groth16Keys.isKey(verifier)) {
            Groth16Claim[] memory alone = new Groth16Claim[](1);
            alone[0] = Groth16Claim(verifier, proof, features, output);
            _groth16.verify(alone);
        } else {
            ProofCheck.check(verifier, proof, features, output);
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
        _checkOne(verifier, proof, BatchRows.fill(features, size), BatchRows.fill(outputs, size));
    }

    /// @return The claims of keys so far, with this one if it is of a key.
    function _verifyOne(
        uint256 index,
        Claim calldata claim,
        bytes calldata proof,
        Groth16Claim[] memory ofKeys
    ) private returns (Groth16Claim[] memory) {
        UsedClaim memory used = _usedClaimAt(index);
        _emitVerified(claim, used);
        if (Groth16Keys.isKey(used.verifier)) {
            return _with(ofKeys, Groth16Claim(used.verifier, proof, used.features, claim.output));
        }
        ProofCheck.check(used.verifier, proof, used.features, claim.output);
        return ofKeys;
    }

    function _with(Groth16Claim[] memory some, Groth16Claim memory one)
        private
        view
        returns (Groth16Claim[] memory)
    {
        uint256 count = some.length;
        if (count == 0) some = new Groth16Claim[](_claimsGiven());
        assembly ("memory-safe") {
            mstore(some, add(count, 1))
        }
        some[count] = one;
        return some;
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
