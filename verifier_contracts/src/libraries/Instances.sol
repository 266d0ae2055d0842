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

    /// @notice Room that writing needs behind the last word: features are written in groups of sixteen,
    ///   outputs in groups of four.
    uint256 internal constant SLACK = 480;

    // With its sign bit turned, a value v of n bits is v + 2**(n-1), never negative; adding p - 2**(n-1)
    // modulo p makes the element of it. This costs half of what a case for each sign does.
    uint256 private constant FEATURE_SIGNS =
        0x8000800080008000800080008000800080008000800080008000800080008000;
    uint256 private constant OUTPUT_SIGNS =
        0x8000000000000000800000000000000080000000000000008000000000000000;
    uint256 private constant FEATURE_ZERO = P - (1 << 15);
    uint256 private constant OUTPUT_ZERO = P - (1 << 63);

    /// @notice Writes int16 features, 2 bytes each, as words from memory address `to` on.
    /// @dev The caller has checked that `features` holds whole values and has allocated their words.
    ///   Half of a typical input are zeros, in a row: sixteen of them are one copy of what lies behind
    ///   the calldata, a tenth of the cost.
    /// @return end The address behind the last word; up to SLACK bytes behind it are overwritten.
    function writeFeatures(uint256 to, bytes memory features) internal pure returns (uint256 end) {
        (uint256 p, uint256 zero, uint256 signs) = (P, FEATURE_ZERO, FEATURE_SIGNS);
        assembly ("memory-safe") {
            let source := add(features, 32)
            end := add(to, shl(4, mload(features)))
            for {} lt(to, end) {} {
                let w := mload(source)
                switch w
                case 0 { calldatacopy(to, calldatasize(), 512) }
                default {
                    w := xor(w, signs)
                    mstore(to, addmod(shr(240, w), zero, p))
                    mstore(add(to, 32), addmod(and(shr(224, w), 0xffff), zero, p))
                    mstore(add(to, 64), addmod(and(shr(208, w), 0xffff), zero, p))
                    mstore(add(to, 96), addmod(and(shr(192, w), 0xffff), zero, p))
                    mstore(add(to, 128), addmod(and(shr(176, w), 0xffff), zero, p))
                    mstore(add(to, 160), addmod(and(shr(160, w), 0xffff), zero, p))
                    mstore(add(to, 192), addmod(and(shr(144, w), 0xffff), zero, p))
                    mstore(add(to, 224), addmod(and(shr(128, w), 0xffff), zero, p))
                    mstore(add(to, 256), addmod(and(shr(112, w), 0xffff), zero, p))
                    mstore(add(to, 288), addmod(and(shr(96, w), 0xffff), zero, p))
                    mstore(add(to, 320), addmod(and(shr(80, w), 0xffff), zero, p))
                    mstore(add(to, 352), addmod(and(shr(64, w), 0xffff), zero, p))
                    mstore(add(to, 384), addmod(and(shr(48, w), 0xffff), zero, p))
                    mstore(add(to, 416), addmod(and(shr(32, w), 0xffff), zero, p))
                    mstore(add(to, 448), addmod(and(shr(16, w), 0xffff), zero, p))
                    mstore(add(to, 480), addmod(and(w, 0xffff), zero, p))
                }
                source := add(source, 32)
                to := add(to, 512)
            }
        }
    }

    /// @notice Writes int64 outputs, 8 bytes each, as words from memory address `to` on.
    /// @dev The caller has checked that `output` holds whole values and has allocated their words.
    /// @return end The address behind the last word; up to SLACK bytes behind it are overwritten.
    function writeOutputs(uint256 to, bytes memory output) internal pure returns (uint256 end) {
        (uint256 p, uint256 zero, uint256 signs) = (P, OUTPUT_ZERO, OUTPUT_SIGNS);
        assembly ("memory-safe") {
            let source := add(output, 32)
            end := add(to, shl(2, mload(output)))
            for {} lt(to, end) {} {
                let w := xor(mload(source), signs)
                mstore(to, addmod(shr(192, w), zero, p))
                mstore(add(to, 32), addmod(and(shr(128, w), 0xffffffffffffffff), zero, p))
                mstore(add(to, 64), addmod(and(shr(64, w), 0xffffffffffffffff), zero, p))
                mstore(add(to, 96), addmod(and(w, 0xffffffffffffffff), zero, p))
                source := add(source, 32)
                to := add(to, 128)
            }
        }
    }
}
