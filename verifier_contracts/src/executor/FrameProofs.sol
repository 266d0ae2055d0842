// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {Groth16Claim, IGroth16Verifier} from "../interfaces/IGroth16Verifier.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {BatchRows} from "../libraries/BatchRows.sol";
import {Groth16Keys} from "../verifiers/Groth16Keys.sol";
import {Groth16Verifier} from "../verifiers/Groth16Verifier.sol";
import {FrameMode, FrameState} from "./FrameState.sol";
import {ProofCheck} from "./ProofCheck.sol";
import {ProofCoverage} from "./ProofCoverage.sol";

/// @title Verifies the proofs of a frame's claims, several claims to a proof where it covers several
/// @notice Where a model's verifier is the key of Groth16 proofs, our own verifier has the proof, and
///   all such proofs of a frame together.
/// @dev Verifiers are called statically, so none of them can act inside the frame.
abstract contract FrameProofs is IAgentExecutor, FrameState {
    IModelRegistry internal immutable _registry;
    /// @dev Made with the executor, so that nobody can give it another one.
    IGroth16Verifier private immutable _groth16 = new Groth16Verifier();

    constructor(IModelRegistry registry_) {
        _registry = registry_;
    }

    /// @inheritdoc IAgentExecutor
    /// @dev What a failure would undo, if somebody caught it, is the sender's choice: whether and when a
    ///   proof holds. So there is none: a false proof poisons the frame.
    function verifySoFar() external returns (bool) {
        if (_isPoisoned()) return false;
        uint256 frame = _frameWord();
        uint256 used = _usedIn(frame);
        if (_modeIn(frame) != FrameMode.PROVEN || used == _verifiedIn(frame)) return true;
        if (!_keepsProofsIn(frame)) {
            _poison(abi.encodeWithSelector(ProofsNotKept.selector, used - 1, msg.sender));
            return false;
        }
        (Claim[] memory claims, bytes[] memory proofs) = _keptUntil(used);
        try this.verifyKept(claims, proofs) {
            return true;
        } catch (bytes memory reason) {
            _poison(reason.length == 0 ? abi.encodeWithSelector(ProofRefused.selector) : reason);
            return false;
        }
    }

    /// @inheritdoc IAgentExecutor
    /// @dev Proofs are read as calldata, whoever hands them in.
    function verifyKept(Claim[] calldata claims, bytes[] calldata proofs) external {
        if (msg.sender != address(this)) revert CallerIsNotTheExecutor(msg.sender);
        _verifyClaims(claims, proofs);
        _markVerified(claims.length);
    }

    /// @dev For frames in which all of these claims were used. Reverts unless those that are not
    ///   verified yet are proven.
    function _verifyClaims(Claim[] calldata claims, bytes[] calldata proofs) internal {
        bool[] memory covered = _repeated(claims, proofs);
        Groth16Claim[] memory ofKeys;
        for (uint256 i = _verifiedIn(_frameWord()); i < claims.length; ++i) {
            _emitVerified(i, claims[i]);
            if (covered[i]) continue;
            uint256[] memory rows = ProofCoverage.coveredBy(i, claims, proofs, covered);
            if (rows.length == 1) ofKeys = _verifyOne(i, claims[i], proofs[i], ofKeys);
            else _verifyTogether(rows, claims, proofs[i]);
        }
        if (ofKeys.length != 0) _groth16.verify(ofKeys);
    }

    /// @dev The claims up to one, and the proofs of those that are not verified yet.
    function _keptUntil(uint256 end)
        private
        view
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        claims = new Claim[](end);
        proofs = new bytes[](end);
        for (uint256 i = 0; i < end; ++i) {
            claims[i] = _claimAt(i);
            if (i >= _verifiedIn(_frameWord())) proofs[i] = _keptProofAt(i);
        }
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

    /// @dev Marks claims without a proof that say what an earlier one says: the same features and output
    ///   under the same commitment, and so by the same verifier. Whoever proves that one proves them.
    function _repeated(Claim[] calldata claims, bytes[] calldata proofs)
        private
        view
        returns (bool[] memory repeated)
    {
        repeated = new bool[](claims.length);
        for (uint256 i = _verifiedIn(_frameWord()); i < claims.length; ++i) {
            if (proofs[i].length == 0) repeated[i] = _isRepeated(claims, i);
        }
    }

    function _isRepeated(Claim[] calldata claims, uint256 index) private view returns (bool) {
        bytes32 featuresHash = claims[index].featuresHash;
        for (uint256 i = 0; i < index; ++i) {
            if (claims[i].featuresHash != featuresHash) continue;
            if (keccak256(claims[i].output) != keccak256(claims[index].output)) continue;
            if (_obeyAlike(i, index)) return true;
        }
        return false;
    }

    function _obeyAlike(uint256 i, uint256 j) private view returns (bool) {
        (, bytes32 one) = _userOf(i);
        (, bytes32 other) = _userOf(j);
        return one == other;
    }

    /// @return The claims of keys so far, with this one if it is of a key.
    function _verifyOne(
        uint256 index,
        Claim calldata claim,
        bytes calldata proof,
        Groth16Claim[] memory ofKeys
    ) private view returns (Groth16Claim[] memory) {
        (address verifier, bytes memory features) = _provableAt(index);
        if (Groth16Keys.isKey(verifier)) {
            return _with(ofKeys, Groth16Claim(verifier, proof, features, claim.output));
        }
        ProofCheck.check(verifier, proof, features, claim.output);
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
    function _verifyTogether(uint256[] memory rows, Claim[] calldata claims, bytes calldata proof)
        private
        view
    {
        uint256 modelId = claims[rows[0]].modelId;
        (address verifier, uint256 size, bytes32 commitment) =
            _registry.batchVerifierFor(modelId, rows.length);
        bytes[] memory features = new bytes[](rows.length);
        bytes[] memory outputs = new bytes[](rows.length);
        for (uint256 i = 0; i < rows.length; ++i) {
            (, bytes32 used) = _userOf(rows[i]);
            if (used != commitment) {
                revert ModelChangedInFrame(modelId, used, commitment);
            }
            (, features[i]) = _provableAt(rows[i]);
            outputs[i] = claims[rows[i]].output;
        }
        _checkRows(verifier, size, proof, features, outputs);
    }

    /// @dev In the order of the decisions, which is not that of proofs.
    function _emitVerified(uint256 index, Claim calldata claim) private {
        (address agent, bytes32 commitmentHash) = _userOf(index);
        emit DecisionVerified(
            claim.modelId, agent, commitmentHash, claim.featuresHash, keccak256(claim.output)
        );
    }
}
