// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @dev Of a bucket, for assembly: the last bit of each fingerprint, all of its bits, and the bit above
///   them.
uint256 constant COPIES = 0x0000000001000000000000000000010000000000000000000100000000000000;
uint256 constant LANES = 0x0000ffffff00000000000000ffffff00000000000000ffffff00000000000000;
uint256 constant LANE_FLAGS = 0x0001000000000000000000010000000000000000000100000000000000000000;
/// @dev Buckets in one contract.
uint256 constant BUCKETS = 767;

/// @notice The vocabulary's contracts in memory: their number of buckets, then their addresses.
type Vocabulary is uint256;

/// @title Words, first and last letters looked up in the vocabulary's contracts
/// @dev Code is a zero byte, then 767 buckets of 32 bytes. A bucket is two bytes that say which keys, by
///   bits 24 to 27 of their hash, may be in their second bucket, and three entries of 10 bytes, the
///   first one last: fingerprint (3 bytes), code (6), meaning (1). See
///   `models/instructions/codetable.py`. The sum of lanes and a difference has the flag above a lane
///   unless the difference there is zero; a bucket divided by the lowest flag of those missing, less 80
///   bits, ends with the entry.
library Codebook {
    uint256 internal constant BUCKETS_PER_CHUNK = BUCKETS;
    uint256 internal constant CODE_SHIFT = 208;
    uint256 internal constant CODE_MASK = (1 << 48) - 1;
    uint256 private constant STAR = 0x2a;

    /// @notice Sees `count` contracts, whose addresses lie behind the word at `pos`, as a vocabulary.
    function open(uint256 pos, uint256 count) internal pure returns (Vocabulary) {
        assembly ("memory-safe") {
            mstore(pos, mul(count, BUCKETS))
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
            for { let rest := shr(32, h) } 1 { rest := shr(64, rest) } {
                let bucket := mod(rest, mload(vocabulary))
                extcodecopy(
                    mload(add(add(vocabulary, 32), shl(5, div(bucket, BUCKETS)))),
                    0,
                    add(1, shl(5, mod(bucket, BUCKETS))),
                    32
                )
                bucket := mload(0)
                let same := add(and(xor(bucket, fingerprints), LANES), LANES)
                same := and(not(same), LANE_FLAGS)
                found := shl(200, div(bucket, shr(80, and(same, sub(0, same)))))
                // A second time only where keys like this one have overflowed.
                if or(found, eq(rest, shr(96, h))) { break }
                if iszero(and(shr(add(240, and(shr(24, h), 15)), bucket), 1)) { break }
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
