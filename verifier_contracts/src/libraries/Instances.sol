// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Packed integers to the field elements that a proof is about
/// @notice A negative v is p - |v|. Features (int16) and outputs (int64) are far narrower than the
///   field, so no two values share an element. Never widen them to where v and v - p both fit.
library Instances {
    /// @notice Order of BN254's scalar field.
    uint256 internal constant P =
        21_888_242_871_839_275_222_246_405_745_257_275_088_548_364_400_416_034_343_698_204_186_575_808_495_617;

    uint256 internal constant FEATURE_BYTES = 2;
    uint256 internal constant OUTPUT_BYTES = 8;

    /// @notice Room that writing needs behind the last word: both functions work in groups of four.
    uint256 internal constant SLACK = 96;

    /// @notice Writes int16 features, 2 bytes each, as words from memory address `to` on.
    /// @dev The caller has checked that `features` holds whole values and has allocated their words.
    /// @return end The address behind the last word; up to SLACK bytes behind it are overwritten.
    function writeFeatures(uint256 to, bytes memory features) internal pure returns (uint256 end) {
        assembly ("memory-safe") {
            let source := add(features, 32)
            end := add(to, shl(4, mload(features)))
            for {} lt(to, end) {} {
                let w := mload(source)
                let v := signextend(1, shr(240, w))
                mstore(to, add(v, and(P, sar(255, v)))) // P + v when v is negative
                v := signextend(1, shr(224, w))
                mstore(add(to, 32), add(v, and(P, sar(255, v))))
                v := signextend(1, shr(208, w))
                mstore(add(to, 64), add(v, and(P, sar(255, v))))
                v := signextend(1, shr(192, w))
                mstore(add(to, 96), add(v, and(P, sar(255, v))))
                source := add(source, 8)
                to := add(to, 128)
            }
        }
    }

    /// @notice Writes int64 outputs, 8 bytes each, as words from memory address `to` on.
    /// @dev The caller has checked that `output` holds whole values and has allocated their words.
    /// @return end The address behind the last word; up to SLACK bytes behind it are overwritten.
    function writeOutputs(uint256 to, bytes memory output) internal pure returns (uint256 end) {
        assembly ("memory-safe") {
            let source := add(output, 32)
            end := add(to, shl(2, mload(output)))
            for {} lt(to, end) {} {
                let w := mload(source)
                let v := sar(192, w)
                mstore(to, add(v, and(P, sar(255, v))))
                v := signextend(7, shr(128, w))
                mstore(add(to, 32), add(v, and(P, sar(255, v))))
                v := signextend(7, shr(64, w))
                mstore(add(to, 64), add(v, and(P, sar(255, v))))
                v := signextend(7, w)
                mstore(add(to, 96), add(v, and(P, sar(255, v))))
                source := add(source, 32)
                to := add(to, 128)
            }
        }
    }
}
