// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title The tool that a prompt is closest to, exactly as the network finds it
library ToolScores {
    uint256 private constant VECTOR_BYTES = 64;

    /// @param first, second The prompt's 64 numbers of int8.
    /// @param tools Those of each tool, one behind the other.
    /// @return found The place of the largest inner product, the first one of equals.
    function best(bytes32 first, bytes32 second, bytes memory tools)
        internal
        pure
        returns (uint256 found)
    {
        unchecked {
            int256 most = type(int256).min;
            uint256 count = tools.length / VECTOR_BYTES;
            for (uint256 i = 0; i < count; ++i) {
                bytes32 one;
                bytes32 other;
                assembly ("memory-safe") {
                    let pos := add(add(tools, 32), shl(6, i))
                    one := mload(pos)
                    other := mload(add(pos, 32))
                }
                int256 score = _product(first, one) + _product(second, other);
                if (score > most) (most, found) = (score, i);
            }
        }
    }

    function _product(bytes32 one, bytes32 other) private pure returns (int256 sum) {
        assembly ("memory-safe") {
            for { let i := 0 } lt(i, 32) { i := add(i, 1) } {
                let a := signextend(0, byte(i, one))
                sum := add(sum, mul(a, signextend(0, byte(i, other))))
            }
        }
    }
}
