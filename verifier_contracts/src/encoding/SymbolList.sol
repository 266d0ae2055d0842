// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice A symbol book's entries in memory: a filter word, the end of the list, the entries.
type BookEntries is uint256;

/// @title Words looked up in a symbol book that was loaded once
/// @dev An entry is a word: symbol (11 bytes, lower case, zero-padded), decimals (1), token (20).
library SymbolList {
    uint256 internal constant MAX_LENGTH = 11;
    uint256 private constant SYMBOL_SHIFT = 168;
    /// @dev A word may be listed only if the filter has bit (first two characters mod 211).
    uint256 internal constant FILTER_BITS = 211;

    /// @notice Loads what `ISymbolBook.pointer()` points to. The filter has a bit for the first two
    ///   characters of each symbol, so that most words are turned away without a search.
    function load(address pointer) internal view returns (BookEntries list) {
        assembly ("memory-safe") {
            list := mload(0x40)
            let size := extcodesize(pointer)
            size := and(sub(size, gt(size, 0)), not(31)) // behind the leading zero, whole entries
            let pos := add(list, 64)
            let end := add(pos, size)
            extcodecopy(pointer, pos, 1, size)
            mstore(0x40, end)
            let filter := 0
            for {} lt(pos, end) { pos := add(pos, 32) } {
                filter := or(filter, shl(mod(shr(240, mload(pos)), FILTER_BITS), 1))
            }
            mstore(list, filter)
            mstore(add(list, 32), end)
        }
    }

    /// @notice The entry of the lower-case word at [start, end) in memory; zero if not listed.
    function findWord(BookEntries list, uint256 start, uint256 end)
        internal
        pure
        returns (uint256 entry)
    {
        assembly ("memory-safe") {
            let length := sub(end, start)
            if lt(sub(length, 2), 10) {
                let word := mload(start)
                if and(shr(mod(shr(240, word), FILTER_BITS), mload(list)), 1) {
                    word := shr(sub(256, shl(3, length)), word)
                    word := shl(shl(3, sub(MAX_LENGTH, length)), word)
                    let last := mload(add(list, 32))
                    for { let pos := add(list, 64) } lt(pos, last) { pos := add(pos, 32) } {
                        entry := mload(pos)
                        if eq(shr(SYMBOL_SHIFT, entry), word) { break }
                        entry := 0
                    }
                }
            }
        }
    }

    /// @notice The entry of `token`; zero if not listed.
    function findToken(BookEntries list, address token) internal pure returns (uint256 entry) {
        assembly ("memory-safe") {
            let last := mload(add(list, 32))
            for { let pos := add(list, 64) } lt(pos, last) { pos := add(pos, 32) } {
                entry := mload(pos)
                if iszero(shl(96, xor(entry, token))) { break }
                entry := 0
            }
        }
    }

    /// @notice How many entries there are.
    function lengthOf(BookEntries list) internal pure returns (uint256 length) {
        assembly ("memory-safe") {
            length := shr(5, sub(mload(add(list, 32)), add(list, 64)))
        }
    }

    /// @notice Entry `i` of those that are there.
    function entryAt(BookEntries list, uint256 i) internal pure returns (uint256 entry) {
        assembly ("memory-safe") {
            entry := mload(add(add(list, 64), shl(5, i)))
        }
    }

    /// @notice An entry's symbol.
    function symbolOf(uint256 entry) internal pure returns (string memory symbol) {
        bytes memory padded = abi.encodePacked(bytes11(bytes32(entry)));
        uint256 length = 0;
        while (length < MAX_LENGTH && padded[length] != 0) ++length;
        assembly ("memory-safe") {
            mstore(padded, length)
        }
        return string(padded);
    }

    /// @notice The filter word.
    function filterOf(BookEntries list) internal pure returns (uint256 filter) {
        assembly ("memory-safe") {
            filter := mload(list)
        }
    }

    /// @notice An entry's token.
    function tokenOf(uint256 entry) internal pure returns (address) {
        return address(uint160(entry));
    }

    /// @notice An entry's decimals.
    function decimalsOf(uint256 entry) internal pure returns (uint8) {
        return uint8(entry >> 160);
    }
}
