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

    /// @notice Writes int16 features, 2 bytes each, to `instances[from..]`.
    function writeFeatures(uint256[] memory instances, uint256 from, bytes memory features)
        internal
        pure
    {
        _write(instances, from, features, FEATURE_BYTES);
    }

    /// @notice Writes int64 outputs, 8 bytes each, to `instances[from..]`.
    function writeOutputs(uint256[] memory instances, uint256 from, bytes memory output)
        internal
        pure
    {
        _write(instances, from, output, OUTPUT_BYTES);
    }

    /// @dev The caller has checked that `packed` is whole and fits.
    function _write(uint256[] memory instances, uint256 from, bytes memory packed, uint256 width)
        private
        pure
    {
        assembly ("memory-safe") {
            let signByte := sub(width, 1)
            let shift := sub(256, shl(3, width))
            let target := add(add(instances, 32), shl(5, from))
            let source := add(packed, 32)
            for { let end := add(source, mload(packed)) } lt(source, end) {
                source := add(source, width)
            } {
                let v := signextend(signByte, shr(shift, mload(source)))
                mstore(target, add(v, mul(P, shr(255, v)))) // P + v when v is negative
                target := add(target, 32)
            }
        }
    }
}
