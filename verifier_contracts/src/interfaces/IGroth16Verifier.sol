// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice That a model's outputs for these features are these, and the proof of it.
struct Groth16Claim {
    /// @notice Where the key of the model's circuit is the code.
    address key;
    /// @notice A, B, C as the pairing precompile takes them: 256 bytes.
    bytes proof;
    /// @notice x, 2 bytes each, two's complement.
    bytes features;
    /// @notice y, 8 bytes each, two's complement.
    bytes output;
}

/// @title Verifies Groth16 proofs, of one key or of several, all of them with one pairing
/// @notice Keeps nothing and trusts nobody: what a proof is about is the key's, and which key is a
///   model's, the registry says. `docs/groth16.md` argues why the proofs hold together only if each
///   of them holds.
interface IGroth16Verifier {
    /// @notice Nothing to verify.
    error NoClaims();

    /// @notice No key's code: another contract, an account, or a key that was cut.
    error NotAKey(address account);

    /// @notice The key comes from a development set-up, whose maker can prove anything. Build the
    ///   circuit with the key of a ceremony.
    error DevelopmentKey(address key, uint256 chainId);

    /// @notice Not a proof of this system. Of another model's?
    error WrongProofSize(uint256 index, uint256 expected, uint256 received);

    /// @notice Numbers of another model?
    error WrongFeaturesSize(uint256 index, uint256 expected, uint256 received);

    /// @notice Numbers of another model?
    error WrongOutputSize(uint256 index, uint256 expected, uint256 received);

    /// @notice A feature that is wider than the key's circuit takes: no proof can be about it. Of
    ///   another model?
    error FeatureTooWide(uint256 bits);

    /// @notice A point of G1, here or one that is added to it, is not on the curve or not below the field's
    ///   order, or the gas ran out.
    error PointRefused(uint256 x, uint256 y);

    /// @notice A point is not on its curve, not below the field's order or not in its group, or the
    ///   gas ran out.
    error PairingRefused();

    /// @notice At least one of the proofs is false: of other features, another output or another key.
    error ProofsFalse(uint256 count);

    /// @notice Reverts unless every claim's proof is valid for its features and output under its key.
    function verify(Groth16Claim[] calldata claims) external view;
}
