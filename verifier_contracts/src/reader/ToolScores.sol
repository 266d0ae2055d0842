// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title The tool that a prompt is closest to, exactly as the network finds it
library ToolScores {
    uint256 private constant VECTOR_BYTES = 64;

    /// @param first, second The prompt's 64 numbers of int8.
    /// @param tools Those of each of `count` tools, one behind the other.
    /// @return found The place of the largest inner product, the first one of equals.
    /// @dev All numbers are taken 128 too large, in lanes of 32 bits; of the products' sum, 128 times that of the
    ///   tool's, which the highest lane has of a product by ones, is too much, and what is the same for all tools.
    ///   64 products in a lane are below 2^22, so no lane carries over.
    function best(bytes32 first, bytes32 second, bytes memory tools, uint256 count)
        internal
        pure
        returns (uint256 found)
    {
        if (count == 1) return 0;
        assembly ("memory-safe") {
            let lanes := 0x000000ff000000ff000000ff000000ff000000ff000000ff000000ff000000ff
            let signs := 0x8080808080808080808080808080808080808080808080808080808080808080
            let ones := 0x0000000100000001000000010000000100000001000000010000000100000001
            function backward(x) -> y {
                let twos := 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff
                let fours := 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff
                y := or(and(shr(32, x), twos), shl(32, and(x, twos)))
                y := or(and(shr(64, y), fours), shl(64, and(y, fours)))
                y := or(shr(128, y), shl(128, y))
            }
            // Of the prompt, backward: four of the first half, then four of the second.
            let own := mload(0x40)
            first := xor(first, signs)
            second := xor(second, signs)
            for { let i := 0 } lt(i, 4) { i := add(i, 1) } {
                let at := add(own, shl(5, i))
                mstore(at, backward(and(shr(shl(3, i), first), lanes)))
                mstore(add(at, 128), backward(and(shr(shl(3, i), second), lanes)))
            }
            let most := 0
            let pos := add(tools, 32)
            for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                let score := 0x80000000 // above zero, whatever is taken away
                let x := xor(mload(pos), signs)
                let some := and(x, lanes)
                let all := some
                let sum := mul(some, mload(own))
                some := and(shr(8, x), lanes)
                all := add(all, some)
                sum := add(sum, mul(some, mload(add(own, 32))))
                some := and(shr(16, x), lanes)
                all := add(all, some)
                sum := add(sum, mul(some, mload(add(own, 64))))
                some := and(shr(24, x), lanes)
                all := add(all, some)
                sum := add(sum, mul(some, mload(add(own, 96))))
                x := xor(mload(add(pos, 32)), signs)
                some := and(x, lanes)
                all := add(all, some)
                sum := add(sum, mul(some, mload(add(own, 128))))
                some := and(shr(8, x), lanes)
                all := add(all, some)
                sum := add(sum, mul(some, mload(add(own, 160))))
                some := and(shr(16, x), lanes)
                all := add(all, some)
                sum := add(sum, mul(some, mload(add(own, 192))))
                some := and(shr(24, x), lanes)
                all := add(all, some)
                sum := add(sum, mul(some, mload(add(own, 224))))
                score := sub(add(score, shr(224, sum)), shl(7, shr(224, mul(all, ones))))
                if gt(score, most) {
                    most := score
                    found := i
                }
                pos := add(pos, VECTOR_BYTES)
            }
        }
    }
}
