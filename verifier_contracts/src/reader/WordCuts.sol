// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Words of any text, exactly as `models/reader/words.py`, 32 bytes at a time
/// @notice `ToolWords` says the same a byte at a time, for a multiple of the gas.
/// @dev A flag is the highest bit of a byte. No sum of a byte's lower seven bits and what is added to them
///   leaves the byte.
library WordCuts {
    uint256 internal constant MOST_BYTES = 2000;
    uint256 internal constant MOST_WORDS = 256;

    uint256 private constant HIGH =
        0x8080808080808080808080808080808080808080808080808080808080808080;
    uint256 private constant LOW =
        0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f;
    uint256 private constant CASE =
        0x2020202020202020202020202020202020202020202020202020202020202020;
    /// @dev What makes bytes from "a" on overflow into the flag; from behind "z", from "0", behind "9".
    uint256 private constant FROM_A =
        0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f;
    uint256 private constant BEHIND_Z =
        0x0505050505050505050505050505050505050505050505050505050505050505;
    uint256 private constant FROM_ZERO =
        0x5050505050505050505050505050505050505050505050505050505050505050;
    uint256 private constant BEHIND_NINE =
        0x4646464646464646464646464646464646464646464646464646464646464646;
    uint256 private constant APOSTROPHES =
        0x2727272727272727272727272727272727272727272727272727272727272727;
    /// @dev By 2^(8 k + 6) and 2^(8 k + 7) modulo 67, which are all different: k.
    uint256 private constant PLACES0 =
        0x0018180410011d0210091a171d121b06080009111a070f0b15030a161b0d0605;
    uint256 private constant PLACES1 =
        0x081c000401021117120e07190f130b161505030c0a1f0e19131e0d0c1f001e14;
    uint256 private constant PLACES2 =
        0x00141c0000000000000000000000000000000000000000000000000000000000;
    uint256 private constant BYTES =
        0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
    uint256 private constant PAIRS =
        0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
    uint256 private constant FOURS =
        0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
    uint256 private constant EIGHTS =
        0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;

    /// @notice The same as an array, whose memory is taken.
    function split(bytes memory text) internal pure returns (uint256[] memory words) {
        assembly ("memory-safe") {
            words := mload(0x40)
            mstore(0x40, add(words, 32))
        }
        (, uint256 count, uint256 end) = cut(text);
        assembly ("memory-safe") {
            mstore(words, count)
            mstore(0x40, and(add(end, 95), not(31)))
        }
    }

    /// @notice The words of a lower-case copy of `text`, in free memory, of which nothing is taken.
    /// @return words Memory position of the words: start << 32 | end of each, memory positions.
    /// @return count How many they are.
    /// @return end Where the copy ends: up to 64 bytes behind that are written to.
    function cut(bytes memory text)
        internal
        pure
        returns (uint256 words, uint256 count, uint256 end)
    {
        assembly ("memory-safe") {
            function letters(x) -> flags {
                let low := or(and(x, LOW), CASE)
                flags := and(add(low, FROM_A), not(add(low, BEHIND_Z)))
                flags := and(flags, and(not(x), HIGH))
            }
            function digits(x) -> flags {
                let low := and(x, LOW)
                flags := and(add(low, FROM_ZERO), not(add(low, BEHIND_NINE)))
                flags := and(flags, and(not(x), HIGH))
            }
            function apostrophes(x) -> flags {
                let other := xor(x, APOSTROPHES)
                flags := and(not(or(add(and(other, LOW), LOW), other)), HIGH)
            }
            // The first byte becomes the last.
            function backward(x) -> y {
                y := or(and(shr(8, x), BYTES), shl(8, and(x, BYTES)))
                y := or(and(shr(16, y), PAIRS), shl(16, and(y, PAIRS)))
                y := or(and(shr(32, y), FOURS), shl(32, and(y, FOURS)))
                y := or(and(shr(64, y), EIGHTS), shl(64, and(y, EIGHTS)))
                y := or(shr(128, y), shl(128, y))
            }
            // Kinds of the bytes at `pos`: of letters the highest bit, then of capitals, digits, apostrophes
            // between letters. before: those of the bytes in front.
            function kindsAt(pos, before) -> kinds, capitals {
                let x := mload(pos)
                kinds := letters(x)
                capitals := and(kinds, not(shl(2, x)))
                let behind := or(shr(8, kinds), and(shl(248, before), HIGH))
                let inner := and(apostrophes(x), and(behind, letters(mload(add(pos, 1)))))
                kinds := or(kinds, shr(1, capitals))
                kinds := or(kinds, or(shr(2, digits(x)), shr(3, inner)))
            }
            // Where words begin, the highest bit, and right behind them, the next one.
            function edgesAt(pos, kinds, before) -> edges {
                let next := mload(add(pos, 1))
                let small := and(letters(next), shl(2, next))
                before := or(shr(8, kinds), shl(248, before))
                let parts := and(shl(1, kinds), or(not(shl(1, before)), small))
                let joined := and(and(kinds, before), not(parts))
                joined := or(joined, and(shl(2, kinds), shl(2, before)))
                joined := or(joined, or(shl(3, kinds), shl(3, before)))
                edges := and(and(or(kinds, shl(2, kinds)), not(joined)), HIGH)
                before := or(before, or(shl(2, before), shl(3, before)))
                edges := or(edges, shr(1, and(and(before, not(joined)), HIGH)))
            }

            let length := mload(text)
            if gt(length, MOST_BYTES) { length := MOST_BYTES }
            words := mload(0x40)
            // no more words than bytes
            let most := MOST_WORDS
            if lt(length, most) { most := length }
            let places := add(words, shl(5, most))
            mstore(places, PLACES0)
            mstore(add(places, 32), PLACES1)
            mstore(add(places, 64), PLACES2)
            let pos := add(places, 96)
            end := add(pos, length)
            mcopy(pos, add(text, 32), length)
            mstore(end, 0)
            mstore(add(end, 32), 0)
            let before := 0
            let start := 0
            for {} iszero(gt(pos, end)) { pos := add(pos, 32) } {
                let kinds, capitals := kindsAt(pos, before)
                let edges := backward(edgesAt(pos, kinds, before))
                before := kinds
                mstore(pos, or(mload(pos), shr(2, capitals)))
                for {} edges {} {
                    let edge := and(edges, sub(0, edges))
                    edges := xor(edges, edge)
                    let at := add(pos, byte(0, mload(add(places, mod(edge, 67)))))
                    switch and(edge, HIGH)
                    case 0 {
                        mstore(add(words, shl(5, count)), or(shl(32, start), at))
                        count := add(count, 1)
                        if eq(count, MOST_WORDS) {
                            edges := 0
                            pos := end
                        }
                    }
                    default { start := at }
                }
            }
        }
    }
}
