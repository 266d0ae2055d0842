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

    /// @notice Writes int16 features, 2 bytes each, as words from memory address `to` on.
    /// @return end The address behind the last word.
    function writeFeatures(uint256 to, bytes memory features) internal pure returns (uint256 end) {
        return _write(to, features, FEATURE_BYTES);
    }

    /// @notice Writes int64 outputs, 8 bytes each, as words from memory address `to` on.
    /// @return end The address behind the last word.
    function writeOutputs(uint256 to, bytes memory output) internal pure returns (uint256 end) {
        return _write(to, output, OUTPUT_BYTES);
    }

    /// @dev The caller has checked that `packed` holds whole values and has allocated their words.
    function _write(uint256 to, bytes memory packed, uint256 width)
        private
        pure
        returns (uint256 end)
    {
        assembly ("memory-safe") {
            let signByte := sub(width, 1)
            let shift := sub(256, shl(3, width))
            let source := add(packed, 32)
            for { let sourceEnd := add(source, mload(packed)) } lt(source, sourceEnd) {
                source := add(source, width)
            } {
                let v := signextend(signByte, shr(shift, mload(source)))
                mstore(to, add(v, mul(P, shr(255, v)))) // P + v when v is negative
                to := add(to, 32)
            }
            end := to
        }
    }
}
