// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IGroth16Verifier} from "../interfaces/IGroth16Verifier.sol";

/// @title Features and output as the public words of a Groth16 proof
/// @notice Features stand in words as they are, 15 to a word of 16 bits each and more of fewer, and so do
///   outputs, 3 to a word, where they take one word or two. Where they take more, two stand for them: a challenge, which is a hash of
///   key, features and outputs, and the value there of the polynomial whose coefficients are those
///   words. All are below the scalar field's order. See docs/groth16.md.
/// @dev An integer of n bits stands in a word with its sign bit turned, as v + 2**(n-1).
library PublicWords {
    /// @notice Order of BN254's scalar field.
    uint256 internal constant R =
        21_888_242_871_839_275_222_246_405_745_257_275_088_548_364_400_416_034_343_698_204_186_575_808_495_617;

    uint256 internal constant FEATURE_BYTES = 2;
    uint256 internal constant OUTPUT_BYTES = 8;
    /// @notice Of a feature, where its key says no other width.
    uint256 internal constant FEATURE_BITS = 16;
    uint256 private constant WORD_BITS = 253;
    uint256 private constant OUTPUTS_PER_WORD = 3;
    uint256 private constant MOST_OUTPUT_WORDS = 2;
    // Of fifteen features, and of three outputs.
    uint256 private constant FEATURE_SIGNS =
        0x800080008000800080008000800080008000800080008000800080008000;
    uint256 private constant OUTPUT_SIGNS = 0x800000000000000080000000000000008000000000000000;

    /// @notice How many words there are for so many features, of `bits` bits each, and outputs; 65,535 at
    ///   most of each.
    function count(uint256 inputs, uint256 bits, uint256 outputs) internal pure returns (uint256) {
        unchecked {
            uint256 perWord = WORD_BITS / bits;
            uint256 features = (inputs + perWord - 1) / perWord;
            return features + (outputs <= OUTPUTS_PER_WORD ? 1 : MOST_OUTPUT_WORDS);
        }
    }

    /// @notice Writes all words of a claim from memory address `to` on. Reverts for a feature of more than
    ///   `bits` bits.
    /// @param numbers Where the key's code hash lies, behind it the features, behind them the outputs
    ///   and 32 bytes of anything.
    /// @param features Their bytes: a multiple of 2.
    /// @param outputs Their bytes: a multiple of 8.
    function write(uint256 to, uint256 numbers, uint256 features, uint256 bits, uint256 outputs)
        internal
        pure
    {
        unchecked {
            uint256 middle = numbers + 32 + features;
            to = bits == FEATURE_BITS
                ? _writeFeatures(to, numbers + 32, middle)
                : _writeNarrow(to, numbers + 32, middle, bits);
            if (outputs <= MOST_OUTPUT_WORDS * OUTPUTS_PER_WORD * OUTPUT_BYTES) {
                _writeOutputs(to, middle, middle + outputs);
            } else {
                _writeFold(to, numbers, middle, middle + outputs);
            }
        }
    }

    /// @return Behind the words.
    function _writeFeatures(uint256 to, uint256 from, uint256 end) private pure returns (uint256) {
        uint256 signs = FEATURE_SIGNS;
        assembly ("memory-safe") {
            for { let last := sub(end, 30) } iszero(gt(from, last)) { from := add(from, 30) } {
                mstore(to, xor(shr(16, mload(from)), signs))
                to := add(to, 32)
            }
            let rest := shl(3, sub(end, from))
            if rest {
                mstore(to, xor(shr(sub(256, rest), mload(from)), shr(sub(240, rest), signs)))
                to := add(to, 32)
            }
        }
        return to;
    }

    /// @return Behind the words.
    function _writeNarrow(uint256 to, uint256 from, uint256 end, uint256 bits)
        private
        pure
        returns (uint256)
    {
        uint256 perWord = WORD_BITS / bits;
        uint256 half = 1 << (bits - 1);
        uint256 all = 0; // the bits of all parts
        assembly ("memory-safe") {
            for {} lt(from, end) { to := add(to, 32) } {
                let last := add(from, shl(1, perWord))
                if gt(last, end) { last := end }
                let word := 0
                for {} lt(from, last) { from := add(from, 2) } {
                    let part := and(add(shr(240, mload(from)), half), 0xffff)
                    all := or(all, part)
                    word := or(shl(bits, word), part)
                }
                mstore(to, word)
            }
        }
        if (all >> bits != 0) revert IGroth16Verifier.FeatureTooWide(bits);
        return to;
    }

    function _writeOutputs(uint256 to, uint256 from, uint256 end) private pure {
        uint256 signs = OUTPUT_SIGNS;
        assembly ("memory-safe") {
            for { let last := sub(end, 24) } iszero(gt(from, last)) { from := add(from, 24) } {
                mstore(to, xor(shr(64, mload(from)), signs))
                to := add(to, 32)
            }
            let rest := shl(3, sub(end, from))
            if rest {
                mstore(to, xor(shr(sub(256, rest), mload(from)), shr(sub(192, rest), signs)))
            }
        }
    }

    function _writeFold(uint256 to, uint256 numbers, uint256 from, uint256 end) private pure {
        (uint256 signs, uint256 r) = (OUTPUT_SIGNS, R);
        assembly ("memory-safe") {
            let challenge := shr(3, keccak256(numbers, sub(end, numbers)))
            let fold := 0
            for { let last := sub(end, 24) } iszero(gt(from, last)) { from := add(from, 24) } {
                fold := addmod(mulmod(fold, challenge, r), xor(shr(64, mload(from)), signs), r)
            }
            let rest := shl(3, sub(end, from))
            if rest {
                let word := xor(shr(sub(256, rest), mload(from)), shr(sub(192, rest), signs))
                fold := addmod(mulmod(fold, challenge, r), word, r)
            }
            mstore(to, challenge)
            mstore(add(to, 32), fold)
        }
    }
}
