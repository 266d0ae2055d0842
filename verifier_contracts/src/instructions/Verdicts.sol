// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title A network's three numbers, exactly as `models/instructions/packing.py`
library Verdicts {
    uint256 internal constant DECLINE = 0;
    uint256 internal constant ASK = 1;
    uint256 internal constant HELP = 2;
    uint256 internal constant VIEW = 3;
    uint256 internal constant ACT = 4;

    uint256 private constant OUTPUT_BYTES = 24;
    uint256 private constant TAGS_BITS = 45; // of a number

    /// @dev The lowest bit of each of 30 tags.
    uint256 private constant LOW_BITS = ((1 << 90) - 1) / 7;

    /// @notice No network of this form gives such numbers.
    error NotTags(uint256 first, uint256 second);

    /// @notice The output has another length than three numbers.
    error NotThreeNumbers(uint256 length);

    /// @param output Three int64, big-endian.
    /// @return margin By how much acting scores more than the best other verdict.
    /// @return other That verdict.
    /// @return tags 3 bits for each of 30 tokens, the first one highest.
    function read(bytes calldata output)
        internal
        pure
        returns (int256 margin, uint256 other, uint256 tags)
    {
        if (output.length != OUTPUT_BYTES) revert NotThreeNumbers(output.length);
        uint256 w;
        assembly ("memory-safe") {
            w := calldataload(output.offset)
        }
        margin = int64(uint64(w >> 192));
        uint256 first = uint64(w >> 128);
        uint256 second = uint64(w >> 64);
        other = first >> TAGS_BITS;
        tags = ((first & ((1 << TAGS_BITS) - 1)) << TAGS_BITS) | second;
        // A tag of 6 or 7 has its two high bits set.
        bool tooHigh = ((tags >> 1) & (tags >> 2) & LOW_BITS) != 0;
        if (other >= ACT || second >> TAGS_BITS != 0 || tooHigh) revert NotTags(first, second);
    }

    /// @notice The tags of the output that `IDecoder.decode` was called with, once it has been read: it does
    ///   not stay on the stack for that.
    function tagsOfDecoding() internal pure returns (uint256) {
        unchecked {
            uint256 w;
            assembly ("memory-safe") {
                // behind the selector and the third argument's place, past its length
                w := calldataload(add(36, calldataload(68)))
            }
            uint256 first = uint64(w >> 128);
            return ((first & ((1 << TAGS_BITS) - 1)) << TAGS_BITS) | uint64(w >> 64);
        }
    }
}
