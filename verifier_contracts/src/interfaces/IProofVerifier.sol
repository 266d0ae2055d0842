// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title A proof system behind one function
/// @dev Generated ezkl verifiers carry this selector themselves. They are only sound when called
///   with canonical ABI encoding, so call them through this type and never forward foreign
///   calldata.
interface IProofVerifier {
    /// @notice Reverts unless `proof` is valid for exactly these instances.
    /// @param instances Public inputs, then outputs; a negative v is p - |v|, p the BN254 scalar
    ///   field order.
    function verify(bytes calldata proof, uint256[] calldata instances) external view;
}
