// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IReadingAgent} from "../interfaces/IReadingAgent.sol";
import {IToolVectors, ToolSheet} from "../interfaces/IToolVectors.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ToolSheets} from "./ToolSheets.sol";

/// @notice An agent's tools as it pinned them.
/// @param texts The hash of all that each says, as the agent tells it.
/// @param content Vectors of 64 bytes each; if they are stored together, all that is stored of them.
/// @param together Whether they are.
struct Pinned {
    bytes32[] texts;
    bytes content;
    bool together;
}

/// @title Reads what is stored of an agent's tools
library PinnedTools {
    uint256 private constant VECTOR_BYTES = 64;
    uint256 private constant LENGTH_BYTES = 2;
    /// @dev Of a tool that is never filled: no more of its parameters matter.
    uint256 private constant ENOUGH_PARAMETERS = 7;

    function read(IToolVectors vectors, address agent, IERCAgentTool[] calldata tools)
        internal
        view
        returns (Pinned memory pinned)
    {
        pinned.texts = IReadingAgent(agent).toolTexts();
        if (pinned.texts.length != tools.length) {
            revert IToolVectors.TextsCountMismatch(tools.length, pinned.texts.length);
        }
        address set = vectors.setOf(keyOf(tools, pinned.texts));
        pinned.together = set != address(0);
        pinned.content =
            pinned.together ? SSTORE2.read(set) : vectors.vectorsOf(tools, pinned.texts);
    }

    /// @notice The sheet of one of the tools, packed; of one with too many parameters, with seven.
    function sheetOf(
        Pinned memory pinned,
        IToolVectors vectors,
        IERCAgentTool[] calldata tools,
        uint256 place
    ) internal view returns (bytes memory packed) {
        if (pinned.together) return _slice(pinned.content, tools.length, place);
        ToolSheet memory sheet = vectors.sheetOf(tools, pinned.texts, place);
        if (sheet.parameters.length > ENOUGH_PARAMETERS) {
            uint256 enough = ENOUGH_PARAMETERS;
            assembly ("memory-safe") {
                mstore(mload(add(sheet, 32)), enough)
            }
        }
        return ToolSheets.pack(sheet);
    }

    /// @notice What names tools and the hashes of what they say, together.
    function keyOf(IERCAgentTool[] calldata tools, bytes32[] memory texts)
        internal
        pure
        returns (bytes32 key)
    {
        assembly ("memory-safe") {
            let free := mload(0x40)
            let size := shl(5, tools.length)
            calldatacopy(free, tools.offset, size)
            let length := shl(5, mload(texts))
            mcopy(add(free, size), add(texts, 32), length)
            key := keccak256(free, add(size, length))
        }
    }

    /// @dev Behind vectors and lengths of all sheets.
    function _slice(bytes memory content, uint256 count, uint256 place)
        private
        pure
        returns (bytes memory sheet)
    {
        uint256 vectorBytes = VECTOR_BYTES * count;
        uint256 lengthBytes = LENGTH_BYTES * count;
        assembly ("memory-safe") {
            let length := add(add(content, 32), vectorBytes)
            let from := add(length, lengthBytes)
            for { let end := add(length, shl(1, place)) } lt(length, end) {
                length := add(length, 2)
            } { from := add(from, shr(240, mload(length))) }
            length := shr(240, mload(length))
            sheet := mload(0x40)
            mstore(sheet, length)
            mcopy(add(sheet, 32), from, length)
            mstore(0x40, and(add(add(sheet, length), 63), not(31)))
        }
    }
}
