// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii, FLAGS} from "./Ascii.sol";

/// @title The 40 hex digits of an address: their EIP-55 checksum and their value
/// @notice `w` are the first 32 digits; `v` begins with the other eight, what follows is ignored.
library Checksum {
    uint256 private constant TAIL_FLAGS =
        0x8080808080808080000000000000000000000000000000000000000000000000;
    uint256 private constant EIGHTS = 0x08 * Ascii.ONES;

    /// @notice Whether they are hex digits of either case.
    function isHex(uint256 w, uint256 v) internal pure returns (bool) {
        (w, v) = (Ascii.lower(w), Ascii.lower(_tail(v)));
        return Ascii.digits(w) | Ascii.hexLetters(w) == FLAGS
            && Ascii.digits(v) | Ascii.hexLetters(v) == TAIL_FLAGS;
    }

    /// @notice Whether the hex digits that lie at memory position `pos`, and in lower case at
    ///   `lower`, satisfy EIP-55; digits all in one case carry no checksum and pass.
    function isValid(uint256 pos, uint256 lower) internal pure returns (bool) {
        unchecked {
            (uint256 w, uint256 v) = _load(lower);
            (uint256 capitals, uint256 tailCapitals) = _load(pos);
            capitals = (capitals ^ w) << 2; // flags of the capitals
            tailCapitals = (tailCapitals ^ v) << 2;
            uint256 letters = Ascii.letters(w);
            uint256 tailLetters = Ascii.letters(v);
            if (capitals | tailCapitals == 0) return true;
            if (capitals == letters && tailCapitals == tailLetters) return true;
            uint256 digest;
            assembly ("memory-safe") {
                digest := keccak256(lower, 40)
            }
            return capitals == _flagsOfEights(digest >> 128) & letters
                && tailCapitals == _flagsOfEights(digest & type(uint128).max) & tailLetters;
        }
    }

    /// @notice The address that the hex digits, of either case, stand for.
    function parse(uint256 w, uint256 v) internal pure returns (address) {
        return address(uint160((Ascii.parseHex(w) << 32) | (Ascii.parseHex(_tail(v)) >> 96)));
    }

    /// @dev Flags where a nibble is 8 or more.
    function _flagsOfEights(uint256 nibbles) private pure returns (uint256) {
        return (Ascii.spreadNibbles(nibbles) & EIGHTS) << 4;
    }

    function _load(uint256 pos) private pure returns (uint256 w, uint256 v) {
        assembly ("memory-safe") {
            w := mload(pos)
            v := mload(add(pos, 32))
        }
        v = _tail(v);
    }

    function _tail(uint256 v) private pure returns (uint256) {
        return (v >> 192) << 192;
    }
}
