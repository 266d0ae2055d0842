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
    /// @param rows Memory position of six words of each: four of lanes of 16 bits, whose numbers are too large by the
    ///   fifth; the sixth is eight times the sum of those.
    struct Words {
        uint256 count;
        uint256 spans;
        uint256 base;
        uint256 rows;
    }

    uint256 private constant ROW_BYTES = 192;
    uint256 private constant ONES =
        0x0001000100010001000100010001000100010001000100010001000100010001;

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
            uint256 bytes_ = ROW_BYTES * words.count;
            assembly ("memory-safe") {
                rows := and(add(end, 95), not(31))
                mstore(0x40, add(rows, bytes_))
            }
            words.rows = rows;
            for (uint256 i = 0; i < words.count; ++i) {
                sum.clear();
                sum.addCut(words.spans + 32 * i, 1);
                _keep(sum, rows + ROW_BYTES * i);
            }
            _sumUp(sum, words);
        }
    }

    /// @notice How many words begin in front of a place in the prompt.
    function startingBefore(Words memory words, uint256 place) internal pure returns (uint256) {
        unchecked {
            return _count(words, (words.base + place) << 32);
        }
    }

    /// @notice How many words end in front of a place.
    function endingBefore(Words memory words, uint256 place) internal pure returns (uint256 count) {
        unchecked {
            uint256 limit = words.base + place;
            count = _count(words, limit << 32);
            // words begin where they do not end: at most one begins in front and ends later
            if (count != 0 && uint32(_span(words, count - 1)) >= limit) --count;
        }
    }

    /// @notice A word of at most 32 bytes at the end of a word; of a longer one zero.
    function textAt(Words memory words, uint256 i) internal pure returns (uint256 text) {
        unchecked {
            uint256 span = _span(words, i);
            uint256 start = span >> 32;
            uint256 length = (span & 0xffffffff) - start;
            if (length > 31) return 0;
            assembly ("memory-safe") {
                text := shr(sub(256, shl(3, length)), mload(start))
            }
        }
    }

    /// @dev How many spans are below a word.
    function _count(Words memory words, uint256 limit) private pure returns (uint256 low) {
        assembly ("memory-safe") {
            let high := mload(words)
            let spans := mload(add(words, 32))
            for {} lt(low, high) {} {
                let middle := shr(1, add(low, high))
                switch lt(mload(add(spans, shl(5, middle))), limit)
                case 0 { high := middle }
                default { low := add(middle, 1) }
            }
        }
    }

    function _span(Words memory words, uint256 i) private pure returns (uint256 span) {
        assembly ("memory-safe") {
            span := mload(add(mload(add(words, 32)), shl(5, i)))
        }
    }

    function _keep(WordSum memory sum, uint256 row) private pure {
        assembly ("memory-safe") {
            let from0 := mload(add(sum, 256))
            let from1 := mload(add(sum, 288))
            let from2 := mload(add(sum, 320))
            let from3 := mload(add(sum, 352))
            mstore(row, from0)
            mstore(add(row, 32), from1)
            mstore(add(row, 64), from2)
            mstore(add(row, 96), from3)
            mstore(add(row, 128), mload(add(sum, 224)))
            let all := add(add(from0, from1), add(from2, from3))
            mstore(add(row, 160), shl(3, shr(240, mul(all, ONES))))
        }
    }

    function _sumUp(WordSum memory sum, Words memory words) private pure {
        sum.clear();
        unchecked {
            for (uint256 i = 0; i < words.count; ++i) {
                uint256 row = words.rows + ROW_BYTES * i;
                assembly ("memory-safe") {
                    mstore(add(sum, 256), add(mload(add(sum, 256)), mload(row)))
                    mstore(add(sum, 288), add(mload(add(sum, 288)), mload(add(row, 32))))
                    mstore(add(sum, 320), add(mload(add(sum, 320)), mload(add(row, 64))))
                    mstore(add(sum, 352), add(mload(add(sum, 352)), mload(add(row, 96))))
                    mstore(add(sum, 224), add(mload(add(sum, 224)), mload(add(row, 128))))
                }
            }
            sum.words = words.count;
        }
    }
}
