// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {WordCuts} from "./WordCuts.sol";
import {WordSum, WordSums} from "./WordSums.sol";

/// @title A prompt's words, each with its row
library PromptWords {
    using WordSums for WordSum;

    /// @param count How many words.
    /// @param spans Memory position of start << 32 | end of each, positions in memory.
    /// @param base Where the prompt begins there.
    /// @param rows Memory position of six words of each: see `WordSums.addRows`.
    /// @param begun Memory position: for each place in the prompt and the one behind it, how many words begin in
    ///   front, two bytes each.
    struct Words {
        uint256 count;
        uint256 spans;
        uint256 base;
        uint256 rows;
        uint256 begun;
    }

    /// @notice The words of `text`, whose rows come to `sum`.
    function read(WordSum memory sum, bytes memory text)
        internal
        view
        returns (Words memory words)
    {
        unchecked {
            uint256 end;
            (words.spans, words.count, end) = WordCuts.cut(text);
            uint256 length = text.length < WordCuts.MOST_BYTES ? text.length : WordCuts.MOST_BYTES;
            words.base = end - length;
            uint256 rows;
            uint256 size = WordSums.ROW_BYTES * words.count;
            assembly ("memory-safe") {
                rows := and(add(end, 95), not(31))
                mstore(0x40, add(rows, size))
            }
            words.rows = rows;
            sum.clear();
            sum.words = words.count;
            sum.addRows(words.spans, words.count, rows);
            _count(words, length);
        }
    }

    /// @notice How many words begin in front of a place in the prompt.
    function startingBefore(Words memory words, uint256 place)
        internal
        pure
        returns (uint256 count)
    {
        assembly ("memory-safe") {
            count := shr(240, mload(add(mload(add(words, 128)), shl(1, place))))
        }
    }

    /// @notice How many words end in front of a place or right there.
    /// @param count How many begin in front of it.
    function endingBy(Words memory words, uint256 place, uint256 count)
        internal
        pure
        returns (uint256)
    {
        // at most the last of these ends later
        assembly ("memory-safe") {
            if count {
                let span := mload(add(mload(add(words, 32)), shl(5, sub(count, 1))))
                count := sub(count, gt(and(span, 0xffffffff), add(mload(add(words, 64)), place)))
            }
        }
        return count;
    }

    /// @notice A word of at most 32 bytes at the end of a word; of a longer one zero.
    function textAt(Words memory words, uint256 i) internal pure returns (uint256 text) {
        assembly ("memory-safe") {
            let span := mload(add(mload(add(words, 32)), shl(5, i)))
            let start := shr(32, span)
            text := shr(sub(256, shl(3, sub(and(span, 0xffffffff), start))), mload(start))
        }
    }

    /// @dev Makes `begun`: each word's number from right behind where it begins up to where the next one does.
    function _count(Words memory words, uint256 length) private pure {
        if (words.begun != 0) return;
        assembly ("memory-safe") {
            let begun := mload(0x40)
            let size := add(shl(1, length), 64)
            calldatacopy(begun, calldatasize(), size)
            mstore(add(words, 128), begun)
            mstore(0x40, and(add(begun, add(size, 31)), not(31)))
            let last := add(begun, shl(1, add(length, 1)))
            let copies := 0x0001000100010001000100010001000100010001000100010001000100010001
            let base := mload(add(words, 64))
            let span := mload(add(words, 32))
            let end := add(span, shl(5, mload(words)))
            begun := sub(add(begun, 2), shl(1, base))
            let which := 0
            let pos := add(begun, shl(1, shr(32, mload(span))))
            for {} lt(span, end) {} {
                which := add(which, copies)
                mstore(pos, which) // what is behind the next word's place is overwritten
                span := add(span, 32)
                let next := last
                if lt(span, end) { next := add(begun, shl(1, shr(32, mload(span)))) }
                for { pos := add(pos, 32) } lt(pos, next) { pos := add(pos, 32) } {
                    mstore(pos, which)
                }
                pos := next
            }
        }
    }
}
