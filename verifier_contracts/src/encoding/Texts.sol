// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Spans of calldata in one word: position << 32 | length
/// @notice What the decoder handles of prompt and observation, without copying it first.
library Texts {
    /// @notice The encoder's second result does not fit the context.
    error ForeignParse(uint256 start, uint256 end, uint256 length);

    /// @notice [start, end) of `whole`.
    function slice(string calldata whole, uint256 start, uint256 end)
        internal
        pure
        returns (uint256 span)
    {
        if (start > end || end > bytes(whole).length) {
            revert ForeignParse(start, end, bytes(whole).length);
        }
        assembly ("memory-safe") {
            span := or(shl(32, add(whole.offset, start)), sub(end, start))
        }
    }

    /// @notice Number of bytes.
    function lengthOf(uint256 span) internal pure returns (uint256) {
        return uint32(span);
    }

    /// @notice The 32 bytes from `offset` on; behind the span's end they are anything.
    function word(uint256 span, uint256 offset) internal pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := calldataload(add(shr(32, span), offset))
        }
    }

    /// @notice A copy in memory.
    function copy(uint256 span) internal pure returns (string memory text) {
        assembly ("memory-safe") {
            let length := and(span, 0xffffffff)
            text := mload(0x40)
            mstore(text, length)
            calldatacopy(add(text, 32), shr(32, span), length)
            mstore(add(text, add(length, 32)), 0)
            mstore(0x40, and(add(text, add(length, 95)), not(31)))
        }
    }
}
