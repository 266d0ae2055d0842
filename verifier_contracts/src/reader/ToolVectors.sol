// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IToolVectors} from "../interfaces/IToolVectors.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {TextVector, ToolTexts} from "./TextVector.sol";
import {ToolReading} from "./ToolReading.sol";
import {WordTable} from "./WordTable.sol";

/// @title A reader's vectors of tools, each computed once
contract ToolVectors is WordTable, IToolVectors {
    struct Vector {
        bytes32 first;
        bytes32 second;
    }

    uint256 private immutable _shares;
    /// @dev By tool and hash of texts.
    mapping(bytes32 key => Vector) private _stored;

    /// @param chunks The contracts that hold the table of words; see `WordTable`.
    /// @param buckets The table's number of buckets.
    /// @param shares What parts of a tool count for; see `TextVector.ofTool`.
    constructor(address[] memory chunks, uint256 buckets, uint256 shares)
        WordTable(chunks, buckets)
    {
        _shares = shares;
    }

    /// @inheritdoc IToolVectors
    function store(address tool) external returns (bytes32 textsHash) {
        Vector memory vector;
        (textsHash, vector) = _compute(tool);
        _stored[_key(tool, textsHash)] = vector;
        emit VectorStored(tool, textsHash);
    }

    /// @inheritdoc IToolVectors
    function vectorsOf(IERCAgentTool[] calldata tools, bytes32[] calldata textsHashes)
        external
        view
        returns (bytes memory vectors)
    {
        if (tools.length != textsHashes.length) {
            revert TextsCountMismatch(tools.length, textsHashes.length);
        }
        vectors = new bytes(64 * tools.length);
        for (uint256 i = 0; i < tools.length; ++i) {
            Vector memory vector = _vectorOf(address(tools[i]), textsHashes[i]);
            assembly ("memory-safe") {
                mcopy(add(vectors, add(32, shl(6, i))), vector, 64)
            }
        }
    }

    /// @inheritdoc IToolVectors
    function isStored(address tool, bytes32 textsHash) external view returns (bool) {
        Vector memory vector = _stored[_key(tool, textsHash)];
        return vector.first != 0 || vector.second != 0;
    }

    function _vectorOf(address tool, bytes32 pinned) private view returns (Vector memory vector) {
        vector = _stored[_key(tool, pinned)];
        if (vector.first != 0 || vector.second != 0) return vector;
        bytes32 actual;
        (actual, vector) = _compute(tool);
        if (actual != pinned) revert ToolTextsChanged(tool, pinned, actual);
    }

    function _compute(address tool) private view returns (bytes32 textsHash, Vector memory vector) {
        ToolTexts memory texts;
        (textsHash, texts,) = ToolReading.read(tool);
        (vector.first, vector.second) = TextVector.ofTool(_table(), texts, _shares);
    }

    function _key(address tool, bytes32 textsHash) private pure returns (bytes32 key) {
        assembly ("memory-safe") {
            mstore(0, tool)
            mstore(32, textsHash)
            key := keccak256(0, 64)
        }
    }
}
