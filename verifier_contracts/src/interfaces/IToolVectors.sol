// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @title Vectors of tools, which this contract itself computes from what the tools say of themselves
/// @notice Anybody may have a tool's vector stored. It is kept by the tool and the hash of all its texts, so
///   that whatever the tool says later becomes another vector.
interface IToolVectors {
    /// @notice The vector of a tool that says this is stored from now on.
    event VectorStored(address indexed tool, bytes32 textsHash);

    /// @notice The tool says something else than was pinned, and the vector of what was pinned is not stored.
    error ToolTextsChanged(address tool, bytes32 pinned, bytes32 actual);

    /// @notice A hash of texts for each tool is needed.
    error TextsCountMismatch(uint256 tools, uint256 received);

    /// @notice Stores the vector of what a tool says now.
    /// @return textsHash The hash of that, for agents to pin.
    function store(address tool) external returns (bytes32 textsHash);

    /// @notice The vectors of tools that say what these hashes stand for: 64 numbers of int8 each. What is not
    ///   stored is computed, if the tool still says it.
    function vectorsOf(IERCAgentTool[] calldata tools, bytes32[] calldata textsHashes)
        external
        view
        returns (bytes memory vectors);

    /// @notice Whether the vector of a tool that says this is stored. One of zeros never is.
    function isStored(address tool, bytes32 textsHash) external view returns (bool);
}
