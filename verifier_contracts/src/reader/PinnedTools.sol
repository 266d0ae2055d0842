// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IReadingAgent} from "../interfaces/IReadingAgent.sol";
import {IToolVectors} from "../interfaces/IToolVectors.sol";
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

    /// @notice The sheet of one of the tools, packed.
    function sheetOf(
        Pinned memory pinned,
        IToolVectors vectors,
        IERCAgentTool[] calldata tools,
        uint256 place
    ) internal view returns (bytes memory) {
        if (pinned.together) {
            return ToolSheets.inSet(pinned.content, tools.length, place);
        }
        return vectors.sheetOf(tools, pinned.texts, place);
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
}
