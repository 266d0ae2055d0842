// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";

/// @dev Of a bucket without its two unused bytes, for assembly: the last bit of each fingerprint, all of
///   its bits, and the bit above them.
uint256 constant COPIES = 0x0000000001000000000000000000010000000000000000000100000000000000;
uint256 constant LANES = 0x0000ffffff00000000000000ffffff00000000000000ffffff00000000000000;
uint256 constant LANE_FLAGS = 0x0001000000000000000000010000000000000000000100000000000000000000;

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
    uint256 private constant STAR = 0x2a;
    uint256 private constant STARTED = 4;

    /// @notice Sees `count` contracts, whose addresses lie behind the word at `pos`, as a vocabulary.
    function open(uint256 pos, uint256 count) internal pure returns (Vocabulary) {
        assembly ("memory-safe") {
            mstore(pos, mul(count, BUCKETS_PER_CHUNK))
        }
        return Vocabulary.wrap(pos);
    }

    /// @notice Adds code and meaning to the pieces at [pos, last) that are listed words or marks; to
    ///   marks, the code alone. See `PieceWord`.
    /// @dev Looks through a key's first bucket, then through its second; compares a bucket's three
    ///   fingerprints at once.
    function lookUp(Vocabulary vocabulary, uint256 pos, uint256 last) internal view {
        assembly ("memory-safe") {
            for {} lt(pos, last) { pos := add(pos, 32) } {
                let piece := mload(pos)
                if and(piece, 0x10000000000000000) { continue } // a run
                let h := and(shr(32, piece), 0xffffffff)
                h := keccak256(h, sub(and(piece, 0xffffffff), h))
                let fingerprints := mul(and(h, 0xffffff), COPIES)
                for { let rest := shr(32, h) } 1 {} {
                    let bucket := mod(and(rest, 0xffffffffffffffff), mload(vocabulary))
                    let chunk := div(bucket, BUCKETS_PER_CHUNK)
                    extcodecopy(
                        mload(add(add(vocabulary, 32), shl(5, chunk))),
                        0,
                        add(1, shl(5, sub(bucket, mul(chunk, BUCKETS_PER_CHUNK)))),
                        32
                    )
                    bucket := shr(16, mload(0))
                    // The flag above a lane becomes 1 where its fingerprint is not the key's.
                    let same := add(and(xor(bucket, fingerprints), LANES), LANES)
                    same := and(not(same), LANE_FLAGS)
                    let found := 0
                    for {} same {} {
                        let place := mul(80, add(gt(same, shl(200, 1)), gt(same, shl(120, 1))))
                        found := and(shr(place, bucket), 0xffffffffffffff)
                        if and(found, CODE_MASK) { break }
                        found := 0 // an empty place
                        same := xor(same, shl(add(place, 80), 1))
                    }
                    if found {
                        if and(piece, 0x20000000000000000) { found := and(found, CODE_MASK) }
                        mstore(pos, or(piece, shl(96, found)))
                        break
                    }
                    // Then the second bucket, which the highest bit tells.
                    if shr(255, rest) { break }
                    rest := or(shr(64, rest), shl(255, 1))
                }
            }
        }
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
        // Two pieces in free memory, and what they are pieces of.
        uint256 pieces;
        uint256 last;
        assembly ("memory-safe") {
            pieces := mload(0x40)
            last := add(pieces, 64)
            mstore(last, mload(start))
            mstore8(add(last, 4), STAR)
            mstore(pieces, or(shl(32, last), add(last, 5)))
            let key := add(pieces, 96)
            mstore(key, mload(sub(end, 4)))
            mstore8(key, STAR)
            mstore(add(pieces, 32), or(shl(32, key), add(key, 4)))
        }
        code = _codeOf(vocabulary, pieces);
        unchecked {
            if (code == 0) code = _codeOf(vocabulary, last - 32);
        }
    }

    /// @dev The code of the piece at `pos`; zero if it is not listed.
    function _codeOf(Vocabulary vocabulary, uint256 pos) private view returns (uint256 code) {
        unchecked {
            lookUp(vocabulary, pos, pos + 32);
        }
        assembly ("memory-safe") {
            code := and(shr(96, mload(pos)), CODE_MASK)
        }
    }
}
