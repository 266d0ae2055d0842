// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Groth16Claim, IGroth16Verifier} from "../interfaces/IGroth16Verifier.sol";
import {Bn254} from "./Bn254.sol";
import {Groth16Keys} from "./Groth16Keys.sol";
import {PublicWords} from "./PublicWords.sol";

/// @title Our own Groth16 verifier: all claims by one product of pairings
/// @notice A claim with the exponent r puts e(rA, B) into the product, a key e(-s alpha, beta),
///   e(L, -gamma) and e(C, -delta): s is the sum of its claims' exponents, C that of rC, and L that of
///   the public words' points times r and the word. The first exponent is 1, the others are 128 bits
///   of a hash of all keys, proofs and public words. `docs/groth16.md` argues soundness.
/// @dev Keys and claims are places in memory: structs cost twice the gas. Unchecked: what is added are
///   such places, and sizes of what lies there or in calldata.
contract Groth16Verifier is IGroth16Verifier {
    bytes32 private constant DOMAIN = keccak256("zkagent-groth16-together-v1");
    uint256 private constant PROOF_BYTES = 256;
    uint256 private constant PAIR_BYTES = 192;
    uint256 private constant KEY_PAIRS = 3;

    // In memory, from a claim's place on: where its key is; then, as it is hashed, the key's code hash,
    // A, B, C and the public words.
    uint256 private constant HASHED = 32;
    uint256 private constant A = 64;
    uint256 private constant B = 128;
    uint256 private constant C = 256;
    uint256 private constant WORDS = 320;

    /// @inheritdoc IGroth16Verifier
    function verify(Groth16Claim[] calldata claims) external view {
        if (claims.length == 0) revert NoClaims();
        (uint256[] memory read, uint256[] memory keys, bytes32 seed) = _read(claims);
        unchecked {
            uint256 count = read.length + KEY_PAIRS * keys.length;
            uint256 pairs = _allocate(count * PAIR_BYTES);
            uint256 to = pairs + PAIR_BYTES;
            _writeFirst(read[0], pairs);
            for (uint256 i = 1; i < read.length; ++i) {
                _writeNext(read[i], _exponent(seed, i), to);
                to += PAIR_BYTES;
            }
            for (uint256 i = 0; i < keys.length; ++i) {
                _writeKeyPairs(keys[i], to);
                to += KEY_PAIRS * PAIR_BYTES;
            }
            if (!Bn254.isOne(pairs, count)) revert ProofsFalse(claims.length);
        }
    }

    /// @return read Each claim.
    /// @return keys Each key once.
    /// @return seed A hash of all claims.
    function _read(Groth16Claim[] calldata claims)
        private
        view
        returns (uint256[] memory read, uint256[] memory keys, bytes32 seed)
    {
        (read, keys) = (new uint256[](claims.length), new uint256[](claims.length));
        bytes32[] memory hashes = new bytes32[](1 + claims.length);
        hashes[0] = DOMAIN;
        uint256 count = 0;
        unchecked {
            for (uint256 i = 0; i < claims.length; ++i) {
                Groth16Claim calldata claim = claims[i];
                uint256 key = _find(claim.key, keys, count);
                if (key == 0) {
                    key = Groth16Keys.load(claim.key);
                    keys[count++] = key;
                }
                read[i] = _readClaim(i, claim, key);
                hashes[1 + i] = _hash(read[i], key);
            }
        }
        assembly ("memory-safe") {
            mstore(keys, count)
            seed := keccak256(add(hashes, 32), shl(5, mload(hashes)))
        }
    }

    /// @return key Its place; 0 where it is not among the first `count`.
    function _find(address account, uint256[] memory keys, uint256 count)
        private
        pure
        returns (uint256 key)
    {
        unchecked {
            for (uint256 i = 0; i < count; ++i) {
                if (_load(keys[i] + Groth16Keys.ACCOUNT) == uint160(account)) return keys[i];
            }
        }
    }

    /// @return place Where it lies.
    function _readClaim(uint256 index, Groth16Claim calldata claim, uint256 key)
        private
        pure
        returns (uint256 place)
    {
        (bytes calldata proof, bytes calldata features) = (claim.proof, claim.features);
        bytes calldata output = claim.output;
        unchecked {
            _checkSizes(index, proof.length, features.length, output.length, key);
            uint256 codeHash = _load(key + Groth16Keys.CODE_HASH);
            place = _allocate(WORDS + 32 * _load(key + Groth16Keys.WORDS));
            uint256 numbers = _allocate(64 + features.length + output.length);
            assembly ("memory-safe") {
                mstore(place, key)
                mstore(add(place, HASHED), codeHash)
                calldatacopy(add(place, A), proof.offset, PROOF_BYTES)
                mstore(numbers, codeHash)
                let start := add(numbers, 32)
                calldatacopy(start, features.offset, features.length)
                calldatacopy(add(start, features.length), output.offset, output.length)
            }
            uint256 bits = _load(key + Groth16Keys.FEATURE_BITS);
            PublicWords.write(place + WORDS, numbers, features.length, bits, output.length);
        }
    }

    function _checkSizes(
        uint256 index,
        uint256 proof,
        uint256 features,
        uint256 output,
        uint256 key
    ) private pure {
        unchecked {
            if (proof != PROOF_BYTES) revert WrongProofSize(index, PROOF_BYTES, proof);
            uint256 expected = _load(key + Groth16Keys.FEATURE_BYTES);
            if (features != expected) revert WrongFeaturesSize(index, expected, features);
            expected = _load(key + Groth16Keys.OUTPUT_BYTES);
            if (output != expected) revert WrongOutputSize(index, expected, output);
        }
    }

    /// @dev Its exponent is 1: points and words are taken as they are. That A and C are on the curve,
    ///   the pairing or an addition finds out.
    function _writeFirst(uint256 claim, uint256 to) private pure {
        (uint256 sums, uint256 c, uint256 words) = _sumsOf(claim);
        assembly ("memory-safe") {
            mcopy(to, add(claim, A), PAIR_BYTES)
            mcopy(c, add(claim, C), 64)
            mstore(sums, 1)
            mcopy(add(sums, 32), add(claim, WORDS), shl(5, words))
        }
    }

    function _writeNext(uint256 claim, uint256 exponent, uint256 to) private view {
        (uint256 sums, uint256 c, uint256 words) = _sumsOf(claim);
        unchecked {
            Bn254.multiply(claim + A, exponent, to);
            assembly ("memory-safe") {
                mcopy(add(to, 64), add(claim, B), 128)
            }
            if (_load(sums) == 0) Bn254.multiply(claim + C, exponent, c);
            else Bn254.addMultiple(claim + C, exponent, c);
            _addWords(claim + WORDS, exponent, sums, words);
        }
    }

    /// @dev Adds the exponent, and each of `count` words times the exponent, to the sums.
    function _addWords(uint256 from, uint256 exponent, uint256 sums, uint256 count) private pure {
        uint256 r = PublicWords.R;
        assembly ("memory-safe") {
            mstore(sums, addmod(mload(sums), exponent, r))
            let end := add(sums, shl(5, count))
            let gap := sub(from, add(sums, 32))
            for {} lt(sums, end) {} {
                sums := add(sums, 32)
                let word := mload(add(sums, gap))
                mstore(sums, addmod(mload(sums), mulmod(word, exponent, r), r))
            }
        }
    }

    function _writeKeyPairs(uint256 key, uint256 to) private view {
        unchecked {
            uint256 sums = _load(key + Groth16Keys.SUMS);
            (uint256 points, uint256 c) = (key + Groth16Keys.POINTS, key + Groth16Keys.C);
            (uint256 wordPoints, uint256 ones) = (key + Groth16Keys.WORD_POINTS, _load(sums));
            assembly ("memory-safe") {
                mcopy(to, points, 192)
                mcopy(add(to, 192), wordPoints, 64)
                mcopy(add(to, 256), add(points, 192), 128)
                mcopy(add(to, 384), c, 64)
                mcopy(add(to, 448), add(points, 320), 128)
            }
            uint256 sum = to + PAIR_BYTES;
            if (ones != 1) {
                Bn254.multiply(to, ones, to);
                Bn254.multiply(sum, ones, sum);
            }
            uint256 words = _load(key + Groth16Keys.WORDS);
            Bn254.addMultiples(wordPoints + 64, sums + 32, words, sum);
        }
    }

    /// @return sums Where the sums of its key lie.
    /// @return c Where the sum of its key's points C lies.
    /// @return words How many words its key has.
    function _sumsOf(uint256 claim) private pure returns (uint256 sums, uint256 c, uint256 words) {
        unchecked {
            uint256 key = _load(claim);
            return
                (_load(key + Groth16Keys.SUMS), key + Groth16Keys.C, _load(key + Groth16Keys.WORDS));
        }
    }

    function _hash(uint256 claim, uint256 key) private pure returns (bytes32 hash) {
        unchecked {
            uint256 size = WORDS - HASHED + 32 * _load(key + Groth16Keys.WORDS);
            assembly ("memory-safe") {
                hash := keccak256(add(claim, HASHED), size)
            }
        }
    }

    function _exponent(bytes32 seed, uint256 index) private pure returns (uint256 exponent) {
        assembly ("memory-safe") {
            mstore(0, seed)
            mstore(32, index)
            exponent := shr(128, keccak256(0, 64))
        }
    }

    function _load(uint256 place) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(place)
        }
    }

    function _allocate(uint256 size) private pure returns (uint256 start) {
        assembly ("memory-safe") {
            start := mload(0x40)
            mstore(0x40, and(add(add(start, size), 31), not(31)))
        }
    }
}
