// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Found} from "./FoundCandidates.sol";

/// @title What a reader's encoder hands to its decoder
/// @notice Words: the tool's place; the prompt's mood | whether the tool only looks << 8; where the entries of the agent's
///   symbols and of its contacts are, zero of none; where the sheet is, and where the candidates of each of six
///   parameters are, in bytes from the first word on, zero if there are none. Then lists as in `FlatLists`,
///   then the sheet's length and the sheet, as `ToolSheets` packs it.
library Findings {
    /// @notice The prompt was not asked whether it asks for an act: the tool has no parameters, or too many.
    uint256 internal constant UNKNOWN_MOOD = 0xff;

    uint256 private constant HEAD_BYTES = 352;
    uint256 private constant LISTS_AT = 160;

    /// @param mood And whether the tool only looks, as above.
    function pack(
        uint256 tool,
        uint256 mood,
        address symbols,
        address contacts,
        Found memory found,
        bytes memory sheet
    ) internal pure returns (bytes memory packed) {
        uint256 head = HEAD_BYTES;
        assembly ("memory-safe") {
            packed := mload(0x40)
            let first := add(packed, 32)
            let free := add(first, head)
            calldatacopy(first, calldatasize(), head)
            mstore(first, tool)
            mstore(add(first, 32), mood)
            mstore(add(first, 64), symbols)
            mstore(add(first, 96), contacts)
            // Where what lay at `from` lies now, seen from the first word.
            let texts := add(mload(add(found, 32)), 32)
            let size := mload(sub(texts, 32))
            mcopy(free, texts, size)
            let literals := add(mload(add(found, 64)), 32)
            let textsEnd := add(texts, size)
            let textsBy := sub(sub(free, first), texts)
            free := add(free, size)
            size := mload(sub(literals, 32))
            mcopy(free, literals, size)
            let literalsBy := sub(sub(free, first), literals)
            free := add(free, size)
            let lists := mload(found)
            for { let i := mload(lists) } i { i := sub(i, 1) } {
                let list := mload(add(lists, shl(5, i)))
                let by := literalsBy
                if and(lt(list, textsEnd), iszero(lt(list, texts))) { by := textsBy }
                mstore(add(first, add(128, shl(5, i))), add(list, by))
            }
            mstore(add(first, 128), sub(free, first))
            size := add(mload(sheet), 32)
            mcopy(free, sheet, size)
            size := sub(add(free, size), first)
            mstore(packed, size)
            mstore(0x40, and(add(add(first, size), 31), not(31)))
        }
    }

    function toolOf(bytes memory packed) internal pure returns (uint256) {
        return _word(packed, 0);
    }

    function moodOf(bytes memory packed) internal pure returns (uint256) {
        return _word(packed, 32) & 0xff;
    }

    function onlyLooks(bytes memory packed) internal pure returns (bool) {
        return (_word(packed, 32) >> 8) & 1 != 0;
    }

    /// @notice Where the entries of the agent's books are.
    function booksOf(bytes memory packed)
        internal
        pure
        returns (address symbols, address contacts)
    {
        return (address(uint160(_word(packed, 64))), address(uint160(_word(packed, 96))));
    }

    function sheetOf(bytes memory packed) internal pure returns (bytes memory sheet) {
        assembly ("memory-safe") {
            sheet := add(add(packed, 32), mload(add(packed, 160)))
        }
    }

    /// @notice The candidates of parameter `i`, as an array of their spans, in place.
    function listOf(bytes memory packed, uint256 i) internal pure returns (uint256[] memory spans) {
        uint256 place = _word(packed, LISTS_AT + 32 * i);
        if (place == 0) return spans;
        assembly ("memory-safe") {
            spans := add(add(packed, 32), place)
        }
    }

    function _word(bytes memory packed, uint256 at) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(packed, 32), at))
        }
    }
}
