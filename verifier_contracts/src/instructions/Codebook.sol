// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @dev Of a bucket, for assembly: the last bit of each fingerprint, all of its bits, and the bit above
///   them.
uint256 constant COPIES = 0x0000000001000000000000000000010000000000000000000100000000000000;
uint256 constant LANES = 0x0000ffffff00000000000000ffffff00000000000000ffffff00000000000000;
uint256 constant LANE_FLAGS = 0x0001000000000000000000010000000000000000000100000000000000000000;
/// @dev Buckets in one contract.
uint256 constant BUCKETS = 767;

/// @notice The addresses of the vocabulary's contracts in memory, nine words: that of all first buckets, then
///   eight for second ones: all others, from the second one on again; the first if there is no other.
type Vocabulary is uint256;

/// @title Words, first and last letters looked up in the vocabulary's contracts
/// @dev Code is a zero byte, then 767 buckets of 32 bytes. A bucket is a byte that says which keys, by bits
///   24 to 26 of their hash, may be in their second bucket, three entries of 10 bytes, the first one last:
///   fingerprint (3 bytes), code (6), meaning (1); and an unused byte. So what begins one byte before it
///   is a word whose lanes of 80 bits are the entries. A key's first bucket is in the first contract, where
///   the most frequent words are; its second one in the other of number (bits 125 to 127); see
///   `models/instructions/codetable.py`.
///   Comparing three fingerprints at once: the sum of a lane's difference and of all ones has the flag
///   above the lane unless the difference is zero. A bucket divided by the lowest of the flags that are
///   missing, less 80 bits, ends with the entry.
library Codebook {
    uint256 internal constant BUCKETS_PER_CHUNK = BUCKETS;
    uint256 internal constant MOST_CHUNKS = 8;
    uint256 internal constant CODE_SHIFT = 208;
    uint256 internal constant CODE_MASK = (1 << 48) - 1;
    uint256 private constant STAR = 0x2a;

    /// @notice Sees one contract as a vocabulary, which takes the nine words of memory from `pos` on.
    function open(uint256 pos, address chunk) internal pure returns (Vocabulary) {
        assembly ("memory-safe") {
            for { let end := add(pos, 288) } lt(pos, end) { pos := add(pos, 32) } {
                mstore(pos, chunk)
            }
            pos := sub(pos, 288)
        }
        return Vocabulary.wrap(pos);
    }

    /// @notice Code (48 bits) and meaning (8) of the key at [start, end) in memory, in the highest bits;
    ///   zero if it is not listed.
    function find(Vocabulary vocabulary, uint256 start, uint256 end)
        internal
        view
        returns (uint256 found)
    {
        assembly ("memory-safe") {
            let h := keccak256(start, sub(end, start))
            let fingerprints := mul(and(h, 0xffffff), COPIES)
            let chunk := mload(vocabulary)
            for { let rest := shr(24, h) } 1 { rest := shr(96, rest) } {
                extcodecopy(chunk, 0, shl(5, mod(shr(8, rest), BUCKETS)), 32)
                let bucket := mload(0)
                let same := add(and(xor(bucket, fingerprints), LANES), LANES)
                same := and(not(same), LANE_FLAGS)
                found := shl(200, div(bucket, shr(80, and(same, sub(0, same)))))
                // A second time only where keys like this one have overflowed.
                if or(found, eq(rest, shr(120, h))) { break }
                if iszero(and(shr(add(240, and(rest, 7)), bucket), 1)) { break }
                chunk := mload(add(vocabulary, add(32, and(shr(120, h), 0xe0))))
            }
        }
    }

    /// @notice The same of an unlisted word of at least four letters by its first or its last letters.
    /// @param keys 64 bytes of memory for two keys.
    function findParts(Vocabulary vocabulary, uint256 start, uint256 end, uint256 keys)
        internal
        view
        returns (uint256 found)
    {
        unchecked {
            assembly ("memory-safe") {
                mstore(keys, mload(start))
                mstore8(add(keys, 4), STAR)
                mstore(add(keys, 32), mload(sub(end, 4)))
                mstore8(add(keys, 32), STAR)
            }
            found = find(vocabulary, keys, keys + 5);
            if (found == 0) found = find(vocabulary, keys + 32, keys + 36);
        }
    }
}
