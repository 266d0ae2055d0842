// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IProofVerifier} from "./IProofVerifier.sol";

/// @title A model that the EVM evaluates itself, where others are proven
/// @notice Implemented by generated contracts. Takes a verifier's place: proof system `evm-int-v1`.
///   `verify` holds for an empty proof and the instances x, f(x). All arithmetic is exact.
interface IEvmModel is IProofVerifier {
    /// @notice Nothing is proven here: the proof must be empty. A proof of this model's circuit?
    error ProofNotEmpty(uint256 length);

    /// @notice Not the length of x and y, or of x alone: numbers of another model?
    error WrongCount(uint256 expected, uint256 received);

    /// @notice An instance is not below the field's order.
    error NotCanonical(uint256 index, uint256 value);

    /// @notice An input needs more bits than the contract was generated for.
    error InputOutOfRange(uint256 index, int256 value);

    /// @notice Not what the model computes: a wrong claim. `index` counts outputs.
    error OutputMismatch(uint256 index, int256 expected, uint256 received);

    /// @notice Not the contracts that the code was generated with, at construction or since: their
    ///   maker can have put others into their place.
    error WrongPart(uint256 index, bytes32 expected, bytes32 received);

    /// @notice y = f(x).
    function evaluate(int256[] calldata x) external view returns (int256[] memory y);
}
