// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IGroth16Verifier} from "../interfaces/IGroth16Verifier.sol";

/// @title The curve's precompiles (EIP-196, EIP-197) on points in memory
/// @notice All of them fail for a coordinate that is not below the field's order and for a point that
///   is not on its curve, the pairing also for one of G2 outside of the group. On a chain that lacks
///   them calls succeed and return nothing, which counts as failure here.
/// @dev What a call takes lies behind the free memory pointer for as long.
library Bn254 {
    uint256 private constant PAIR_BYTES = 192;

    /// @notice Writes `factor` times the point at `from` to `to`, which may be the same place.
    function multiply(uint256 from, uint256 factor, uint256 to) internal view {
        bool success;
        assembly ("memory-safe") {
            let given := mload(0x40)
            mcopy(given, from, 64)
            mstore(add(given, 64), factor)
            success := staticcall(gas(), 7, given, 96, to, 64)
            success := and(success, eq(returndatasize(), 64))
        }
        if (!success) _refuse(from);
    }

    /// @notice Adds `factor` times the point at `from` to the one at `sum`.
    function addMultiple(uint256 from, uint256 factor, uint256 sum) internal view {
        uint256 factors;
        assembly ("memory-safe") {
            factors := add(mload(0x40), 96)
            mstore(factors, factor)
        }
        addMultiples(from, factors, 1, sum);
    }

    /// @notice Adds the points from `from` on, each times its factor, to the one at `sum`.
    /// @param factors Where they lie, one behind the other.
    function addMultiples(uint256 from, uint256 factors, uint256 count, uint256 sum) internal view {
        bool success;
        assembly ("memory-safe") {
            let given := mload(0x40)
            success := 1
            for { let end := add(factors, shl(5, count)) } and(success, lt(factors, end)) {} {
                mcopy(given, from, 64)
                mstore(add(given, 64), mload(factors))
                success := staticcall(gas(), 7, given, 96, given, 64)
                success := and(success, eq(returndatasize(), 64))
                if success {
                    mcopy(add(given, 64), sum, 64)
                    success := staticcall(gas(), 6, given, 128, sum, 64)
                    success := and(success, eq(returndatasize(), 64))
                }
                factors := add(factors, 32)
                from := add(from, 64)
            }
        }
        unchecked {
            if (!success) _refuse(from - 64);
        }
    }

    /// @notice Whether the product of the pairings of `count` pairs is one.
    function isOne(uint256 pairs, uint256 count) internal view returns (bool one) {
        bool success;
        assembly ("memory-safe") {
            success := staticcall(gas(), 8, pairs, mul(PAIR_BYTES, count), 0, 32)
            success := and(success, eq(returndatasize(), 32))
            one := eq(mload(0), 1)
        }
        if (!success) revert IGroth16Verifier.PairingRefused();
    }

    function _refuse(uint256 point) private pure {
        uint256 x;
        uint256 y;
        assembly ("memory-safe") {
            x := mload(point)
            y := mload(add(point, 32))
        }
        revert IGroth16Verifier.PointRefused(x, y);
    }
}
