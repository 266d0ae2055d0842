// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";

/// @notice The vocabulary's contracts in memory: their number of buckets, then their addresses.
type Vocabulary is uint256;

/// @title Words, first and last letters looked up in the vocabulary's contracts
/// @dev Code is a zero byte, then 767 buckets of 32 bytes. A bucket is three entries of 10 bytes, from
///   its first byte on: fingerprint (3 bytes), meaning (1), code (6, not zero). A key may be in either of
///   two buckets. See `models/instructions/codetable.py`.
library Codebook {
    /// @notice Buckets in one contract.
    uint256 internal constant BUCKETS_PER_CHUNK = 767;
    uint256 internal constant CODE_MASK = (1 << 48) - 1;
    uint256 private constant MEANING_SHIFT = 48;
    /// @dev Of a bucket without its two unused bytes: fingerprints, and the bit above each.
    uint256 private constant COPIES = (1 << 216) | (1 << 136) | (1 << 56);
    uint256 private constant LANES = 0xffffff * COPIES;
    uint256 private constant FLAGS = COPIES << 24;
    uint256 private constant STAR = 0x2a;
    uint256 private constant STARTED = 4;

    /// @notice Sees `count` contracts, whose addresses lie behind the word at `pos`, as a vocabulary.
    function open(uint256 pos, uint256 count) internal pure returns (Vocabulary) {
        assembly ("memory-safe") {
            mstore(pos, mul(count, BUCKETS_PER_CHUNK))
        }
        return Vocabulary.wrap(pos);
    }

    /// @notice The code, with the meaning above it, of the lower-case word or mark at [start, end);
    ///   zero if it is not listed.
    function find(Vocabulary vocabulary, uint256 start, uint256 end)
        internal
        view
        returns (uint256)
    {
        uint256 h;
        assembly ("memory-safe") {
            h := keccak256(start, sub(end, start))
        }
        return _find(vocabulary, h);
    }

    /// @notice The code of an unlisted word at [start, end) by its first or its last letters; zero if
    ///   those are not listed either, if it is short, or a mark.
    function findParts(Vocabulary vocabulary, uint256 start, uint256 end)
        internal
        view
        returns (uint256 code)
    {
        unchecked {
            if (end - start < STARTED || !Ascii.isIn(Ascii.LETTER_SET, start)) return 0;
        }
        uint256 h;
        assembly ("memory-safe") {
            mstore(0, mload(start))
            mstore8(4, STAR)
            h := keccak256(0, 5)
        }
        code = _find(vocabulary, h) & CODE_MASK;
        if (code != 0) return code;
        assembly ("memory-safe") {
            mstore(0, mload(sub(end, 4)))
            mstore8(0, STAR)
            h := keccak256(0, 4)
        }
        return _find(vocabulary, h) & CODE_MASK;
    }

    /// @notice The meaning that stands above a code.
    function meaningOf(uint256 found) internal pure returns (uint256) {
        return (found >> MEANING_SHIFT) & 0xff;
    }

    /// @dev Looks through the first bucket, then through the second; a bucket's three fingerprints
    ///   are compared at once.
    function _find(Vocabulary vocabulary, uint256 h) private view returns (uint256 found) {
        uint256 copies = COPIES;
        uint256 lanes = LANES;
        uint256 flags = FLAGS;
        assembly ("memory-safe") {
            let fingerprints := mul(and(h, 0xffffff), copies)
            let buckets := mload(vocabulary)
            for { let shift := 32 } lt(shift, 97) { shift := add(shift, 64) } {
                let bucket := mod(and(shr(shift, h), 0xffffffffffffffff), buckets)
                extcodecopy(
                    mload(add(add(vocabulary, 32), shl(5, div(bucket, BUCKETS_PER_CHUNK)))),
                    0,
                    add(1, shl(5, mod(bucket, BUCKETS_PER_CHUNK))),
                    32
                )
                bucket := shr(16, mload(0))
                // The flag above a lane stays 0 where its fingerprint is the key's.
                let other := and(add(and(xor(bucket, fingerprints), lanes), lanes), flags)
                if xor(other, flags) {
                    for { let at := 160 } lt(at, 161) { at := sub(at, 80) } {
                        if iszero(and(shr(add(at, 80), other), 1)) {
                            found := and(shr(at, bucket), 0xffffffffffffff)
                            if and(found, CODE_MASK) { break }
                        }
                        found := 0
                    }
                    if found { break }
                }
            }
        }
    }
}
