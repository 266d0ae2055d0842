// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SheetParameter, ToolSheet} from "../interfaces/IToolVectors.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ParamTypes} from "./ParamTypes.sol";

/// @title Packs what a decoder needs of what a tool says, and unpacks it
/// @notice Packed is: length and bytes of the name, the number of parameters, and of each its type, direction
///   (32 bytes), length and bytes of its name, length (2 bytes) and bytes of what it says of its unit.
library ToolSheets {
    /// @dev Whatever is longer is no name to be shown, and as good as none.
    uint256 private constant MOST_NAME = 32;
    /// @dev Bytes in which words are looked for, `WordCuts.MOST_BYTES`.
    uint256 private constant MOST_SAID = 2000;
    uint256 internal constant MOST_PARAMETERS = 255;

    /// @notice The sheet of a tool.
    function sheetOf(
        bytes memory name,
        IERCAgentTool.ParamDescription[] memory parameters,
        bytes32[] memory directions
    ) internal pure returns (ToolSheet memory sheet) {
        sheet.name = _shown(name);
        sheet.parameters = new SheetParameter[](parameters.length);
        for (uint256 i = 0; i < parameters.length; ++i) {
            IERCAgentTool.ParamDescription memory given = parameters[i];
            SheetParameter memory made = sheet.parameters[i];
            (made.paramType, made.name) = (uint256(given.paramType), _shown(bytes(given.name)));
            made.direction = directions[i];
            if (!ParamTypes.isNumber(made.paramType)) continue;
            made.said = bytes.concat(bytes(given.name), " ", bytes(given.description));
            if (made.said.length > MOST_SAID) _cut(made.said, MOST_SAID);
        }
    }

    /// @notice The sheet, packed; nothing of one that has too many parameters for that.
    function pack(ToolSheet memory sheet) internal pure returns (bytes memory packed) {
        uint256 count = sheet.parameters.length;
        if (count > MOST_PARAMETERS) return packed;
        // casting: no more than what they are compared with, above and in `sheetOf`
        // forge-lint: disable-next-line(unsafe-typecast)
        packed = abi.encodePacked(uint8(sheet.name.length), sheet.name, uint8(count));
        for (uint256 i = 0; i < count; ++i) {
            SheetParameter memory each = sheet.parameters[i];
            packed = abi.encodePacked(
                packed,
                // forge-lint: disable-next-line(unsafe-typecast)
                uint8(each.paramType),
                each.direction,
                // forge-lint: disable-next-line(unsafe-typecast)
                uint8(each.name.length),
                each.name,
                // forge-lint: disable-next-line(unsafe-typecast)
                uint16(each.said.length),
                each.said
            );
        }
    }

    /// @notice The sheet that was packed, at `at` of `content`.
    function unpack(bytes memory content, uint256 at)
        internal
        pure
        returns (ToolSheet memory sheet)
    {
        (sheet.name, at) = _bytes(content, at, 1);
        uint256 count;
        (count, at) = _number(content, at, 1);
        sheet.parameters = new SheetParameter[](count);
        for (uint256 i = 0; i < count; ++i) {
            SheetParameter memory each = sheet.parameters[i];
            (each.paramType, at) = _number(content, at, 1);
            uint256 direction;
            (direction, at) = _number(content, at, 32);
            each.direction = bytes32(direction);
            (each.name, at) = _bytes(content, at, 1);
            (each.said, at) = _bytes(content, at, 2);
        }
    }

    /// @notice One of the packed sheets of tools that are stored together.
    /// @param content Vectors of all `count` of them, the length of each sheet (2 bytes), sheets.
    function inSet(bytes memory content, uint256 count, uint256 place)
        internal
        pure
        returns (bytes memory packed)
    {
        assembly ("memory-safe") {
            let length := add(add(content, 32), shl(6, count))
            let from := add(length, shl(1, count))
            for { let end := add(length, shl(1, place)) } lt(length, end) {
                length := add(length, 2)
            } { from := add(from, shr(240, mload(length))) }
            length := shr(240, mload(length))
            packed := mload(0x40)
            mstore(packed, length)
            mcopy(add(packed, 32), from, length)
            mstore(0x40, and(add(add(packed, length), 63), not(31)))
        }
    }

    /// @notice Types and directions of the parameters of a packed sheet, of which there are six at most.
    /// @return count How many parameters there are.
    function slots(bytes memory packed, uint256 most)
        internal
        pure
        returns (uint256 count, uint256[] memory types, uint256[] memory directions)
    {
        uint256 pos;
        assembly ("memory-safe") {
            pos := add(packed, 32)
            pos := add(pos, add(byte(0, mload(pos)), 1))
            count := byte(0, mload(pos))
            pos := add(pos, 1)
        }
        if (count > most) return (count, types, directions);
        (types, directions) = (new uint256[](count), new uint256[](count));
        assembly ("memory-safe") {
            let by := sub(directions, types)
            let to := add(types, 32)
            for { let end := add(to, shl(5, count)) } lt(to, end) { to := add(to, 32) } {
                mstore(to, byte(0, mload(pos)))
                mstore(add(to, by), mload(add(pos, 1)))
                pos := add(pos, 33)
                pos := add(pos, add(byte(0, mload(pos)), 1)) // name
                pos := add(pos, add(shr(240, mload(pos)), 2)) // what it says of its unit
            }
        }
    }

    function _shown(bytes memory name) private pure returns (bytes memory) {
        return name.length > MOST_NAME ? bytes("") : name;
    }

    function _cut(bytes memory text, uint256 length) private pure {
        assembly ("memory-safe") {
            mstore(text, length)
        }
    }

    /// @dev A number of `size` bytes, and the place behind it.
    function _number(bytes memory content, uint256 at, uint256 size)
        private
        pure
        returns (uint256 value, uint256 behind)
    {
        unchecked {
            behind = at + size;
        }
        assembly ("memory-safe") {
            value := shr(sub(256, shl(3, size)), mload(add(add(content, 32), at)))
        }
    }

    /// @dev A copy of bytes behind their length in `size` bytes, and the place behind them.
    function _bytes(bytes memory content, uint256 at, uint256 size)
        private
        pure
        returns (bytes memory found, uint256 behind)
    {
        uint256 length;
        (length, behind) = _number(content, at, size);
        found = new bytes(length);
        assembly ("memory-safe") {
            mcopy(add(found, 32), add(add(content, 32), behind), length)
            behind := add(behind, length)
        }
    }
}
