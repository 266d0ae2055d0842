// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {BookEntries, SymbolList} from "../encoding/SymbolList.sol";

/// @title An agent's books in memory, for `SymbolList` to look words up in
library Books {
    /// @dev Of zeros behind the entries, which are read four at a time.
    uint256 private constant MARGIN = 96;

    /// @notice Loads what a book's `pointer()` points to, without the time for a filter: every word is
    ///   searched for.
    function load(address pointer) internal view returns (BookEntries list) {
        uint256 margin = MARGIN;
        assembly ("memory-safe") {
            list := mload(0x40)
            let size := extcodesize(pointer)
            size := and(sub(size, gt(size, 0)), not(31)) // behind the leading zero, whole entries
            let pos := add(list, 64)
            let end := add(pos, size)
            extcodecopy(pointer, pos, 1, size)
            calldatacopy(end, calldatasize(), margin)
            mstore(list, not(0))
            mstore(add(list, 32), end)
            mstore(0x40, add(end, margin))
        }
    }

    /// @notice A list without entries.
    function none() internal pure returns (BookEntries list) {
        assembly ("memory-safe") {
            list := mload(0x40)
            mstore(list, 0)
            mstore(add(list, 32), add(list, 64))
            mstore(0x40, add(list, 64))
        }
    }

    /// @notice Whether a list with this filter may have the word at `start`.
    function mayList(uint256 filter_, uint256 start) internal pure returns (bool may) {
        uint256 bits = SymbolList.FILTER_BITS;
        assembly ("memory-safe") {
            may := and(shr(mod(shr(240, mload(start)), bits), filter_), 1)
        }
    }

    /// @notice As `SymbolList.findWord`, in a list that was loaded here.
    function findWord(BookEntries list, uint256 start, uint256 end)
        internal
        pure
        returns (uint256 entry)
    {
        uint256 bits = SymbolList.FILTER_BITS;
        assembly ("memory-safe") {
            let length := sub(end, start)
            if lt(sub(length, 2), 10) {
                let word := mload(start)
                if and(shr(mod(shr(240, word), bits), mload(list)), 1) {
                    word := shr(sub(256, shl(3, length)), word)
                    word := shl(shl(3, sub(11, length)), word)
                    let last := mload(add(list, 32))
                    for { let pos := add(list, 64) } lt(pos, last) { pos := add(pos, 128) } {
                        entry := mload(pos)
                        if eq(shr(168, entry), word) { break }
                        entry := mload(add(pos, 32))
                        if eq(shr(168, entry), word) { break }
                        entry := mload(add(pos, 64))
                        if eq(shr(168, entry), word) { break }
                        entry := mload(add(pos, 96))
                        if eq(shr(168, entry), word) { break }
                        entry := 0
                    }
                }
            }
        }
    }

    /// @notice Gives the list a filter: a bit for the first two characters of each name, as `SymbolList`
    ///   has it, and maybe a few more.
    function filter(BookEntries list) internal pure returns (uint256 found) {
        uint256 bits = SymbolList.FILTER_BITS;
        assembly ("memory-safe") {
            let end := mload(add(list, 32))
            for { let pos := add(list, 64) } lt(pos, end) { pos := add(pos, 128) } {
                found := or(found, shl(mod(shr(240, mload(pos)), bits), 1))
                found := or(found, shl(mod(shr(240, mload(add(pos, 32))), bits), 1))
                found := or(found, shl(mod(shr(240, mload(add(pos, 64))), bits), 1))
                found := or(found, shl(mod(shr(240, mload(add(pos, 96))), bits), 1))
            }
            mstore(list, found)
        }
    }
}
