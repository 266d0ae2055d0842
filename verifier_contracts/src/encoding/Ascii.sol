// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @dev The highest bit of each byte, its "flag". These three are for assembly, too.
uint256 constant FLAGS = 0x8080808080808080808080808080808080808080808080808080808080808080;
/// @dev Added to a lower-cased byte, sets its flag if the byte is a or behind it.
uint256 constant FROM_A = 0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f;
/// @dev Added to a lower-cased byte, sets its flag if the byte is behind z.
uint256 constant BEHIND_Z = 0x0505050505050505050505050505050505050505050505050505050505050505;

/// @dev Byte k of its product with 2 ** (8 k + 7), the flag of the kth byte from the end, is the
///   first one: k, for k below 31. The index of a word's last flag costs far less than that of its
///   first.
uint256 constant FLAG_INDEX = 0x0000020406080a0c0e10121416181a1c1e20222426282a2c2e30323436383a3c;

/// @title Tests on 32 characters at a time
/// @notice A "flag" is the highest bit of a byte. All functions but `zeroBytes` need bytes below
///   0x80, which is what the tokenizer has made sure of; then sums of bytes cannot carry over.
library Ascii {
    uint256 internal constant ONES =
        0x0101010101010101010101010101010101010101010101010101010101010101;
    uint256 internal constant LOW_BITS = 0x7f * ONES;
    uint256 internal constant SPACES = 0x20 * ONES;
    uint256 internal constant QUOTES = 0x22 * ONES;

    /// @dev Sets of characters: bit c of the set is character c.
    uint256 internal constant DIGIT_SET = 0x3ff << 0x30;
    uint256 internal constant LETTER_SET = (0x3ffffff << 0x41) | (0x3ffffff << 0x61);
    uint256 internal constant ALNUM_SET = DIGIT_SET | LETTER_SET;
    /// @dev ( [ { ' :
    uint256 internal constant LEAD_SET =
        (1 << 0x28) | (1 << 0x5b) | (1 << 0x7b) | (1 << 0x27) | (1 << 0x3a);
    /// @dev , ; . ! :
    uint256 internal constant BREAK_SET =
        (1 << 0x2c) | (1 << 0x3b) | (1 << 0x2e) | (1 << 0x21) | (1 << 0x3a);
    /// @dev The breaks and ? ) ] } '
    uint256 internal constant TRAIL_SET =
        BREAK_SET | (1 << 0x3f) | (1 << 0x29) | (1 << 0x5d) | (1 << 0x7d) | (1 << 0x27);

    uint256 private constant NIBBLES = 0x0f * ONES;
    uint256 private constant EVERY_2ND =
        0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
    uint256 private constant EVERY_4TH =
        0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
    uint256 private constant EVERY_8TH =
        0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
    uint256 private constant EVERY_16TH =
        0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;

    /// @notice Whether `set` has the character at memory position `pos`.
    function isIn(uint256 set, uint256 pos) internal pure returns (bool yes) {
        assembly ("memory-safe") {
            yes := and(shr(byte(0, mload(pos)), set), 1)
        }
    }

    /// @notice Whether one of the characters at [at, end) is in `set`.
    function anyIn(uint256 set, uint256 pos, uint256 end) internal pure returns (bool) {
        unchecked {
            for (; pos < end; ++pos) {
                if (isIn(set, pos)) return true;
            }
        }
        return false;
    }

    /// @notice Flags of the bytes that are not printable: below 0x20 or above 0x7e. Any bytes.
    function unprintable(uint256 w) internal pure returns (uint256) {
        unchecked {
            uint256 low = w & LOW_BITS;
            return (w | (low + ONES) | ~(low + 0x60 * ONES)) & FLAGS;
        }
    }

    /// @notice `w` with A-Z as a-z.
    function lower(uint256 w) internal pure returns (uint256) {
        unchecked {
            return w | (((w + 0x3f * ONES) & ~(w + 0x25 * ONES) & FLAGS) >> 2);
        }
    }

    /// @notice Flags of the letters of lower-cased `w`.
    function letters(uint256 w) internal pure returns (uint256) {
        unchecked {
            return (w + FROM_A) & ~(w + BEHIND_Z) & FLAGS;
        }
    }

    /// @notice Flags of what is no letter of lower-cased `w`.
    function others(uint256 w) internal pure returns (uint256) {
        unchecked {
            return (~(w + FROM_A) | (w + BEHIND_Z)) & FLAGS;
        }
    }

    /// @notice Flags of the digits.
    function digits(uint256 w) internal pure returns (uint256) {
        unchecked {
            return (w + 0x50 * ONES) & ~(w + 0x46 * ONES) & FLAGS;
        }
    }

    /// @notice Flags of the letters a to f of lower-cased `w`.
    function hexLetters(uint256 w) internal pure returns (uint256) {
        unchecked {
            return (w + FROM_A) & ~(w + 0x19 * ONES) & FLAGS;
        }
    }

    /// @notice Flags of the spaces and double quotes.
    function separators(uint256 w) internal pure returns (uint256) {
        unchecked {
            return ~(((w ^ SPACES) + LOW_BITS) & ((w ^ QUOTES) + LOW_BITS)) & FLAGS;
        }
    }

    /// @notice Flags of the bytes that are zero. Any bytes.
    function zeroBytes(uint256 w) internal pure returns (uint256) {
        unchecked {
            return ~(((w & LOW_BITS) + LOW_BITS) | w | LOW_BITS);
        }
    }

    /// @notice Index of the first byte whose flag is set; 31 when none is.
    function first(uint256 flags) internal pure returns (uint256 i) {
        assembly ("memory-safe") {
            i := shl(4, iszero(shr(128, flags)))
            i := or(i, shl(3, iszero(shr(192, shl(shl(3, i), flags)))))
            i := or(i, shl(2, iszero(shr(224, shl(shl(3, i), flags)))))
            i := or(i, shl(1, iszero(shr(240, shl(shl(3, i), flags)))))
            i := or(i, iszero(shr(248, shl(shl(3, i), flags))))
        }
    }

    /// @notice `w` backwards: its last byte first.
    function reverse(uint256 w) internal pure returns (uint256) {
        unchecked {
            w = ((w >> 8) & EVERY_2ND) | ((w & EVERY_2ND) << 8);
            w = ((w >> 16) & EVERY_4TH) | ((w & EVERY_4TH) << 16);
            w = ((w >> 32) & EVERY_8TH) | ((w & EVERY_8TH) << 32);
            w = ((w >> 64) & EVERY_16TH) | ((w & EVERY_16TH) << 64);
            return (w >> 128) | (w << 128);
        }
    }

    /// @notice How many bytes follow the last one whose flag is set; 0 when none is, or the first.
    function behindLast(uint256 flags) internal pure returns (uint256 i) {
        assembly ("memory-safe") {
            i := byte(0, mul(FLAG_INDEX, and(flags, sub(0, flags))))
        }
    }

    /// @notice `w` with all but its first `n` bytes cleared; `n` of 32 or more keeps all.
    function head(uint256 w, uint256 n) internal pure returns (uint256) {
        unchecked {
            return w & ~(type(uint256).max >> (n << 3));
        }
    }

    /// @notice The 32 nibbles of a number below 2**128 as 32 bytes.
    function spreadNibbles(uint256 x) internal pure returns (uint256) {
        unchecked {
            x = (x | (x << 64)) & EVERY_16TH;
            x = (x | (x << 32)) & EVERY_8TH;
            x = (x | (x << 16)) & EVERY_4TH;
            x = (x | (x << 8)) & EVERY_2ND;
            return (x | (x << 4)) & NIBBLES;
        }
    }

    /// @notice The 128-bit number that 32 hex digits of either case stand for.
    function parseHex(uint256 w) internal pure returns (uint256 x) {
        unchecked {
            x = (w & NIBBLES) + ((w >> 6) & ONES) * 9;
            x = (x | (x >> 4)) & EVERY_2ND;
            x = (x | (x >> 8)) & EVERY_4TH;
            x = (x | (x >> 16)) & EVERY_8TH;
            x = (x | (x >> 32)) & EVERY_16TH;
            return (x | (x >> 64)) & type(uint128).max;
        }
    }
}
