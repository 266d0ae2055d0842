// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @notice A tool as a decoder needs it. name: empty if it is longer than 32 bytes.
struct ToolSheet {
    bytes name;
    SheetParameter[] parameters;
}

/// @notice A parameter of it. direction: what it is about, as 64 numbers of four bits; zero behind the sixth parameter.
///   name: empty if it is longer than 32 bytes. said: of numbers, the first 2,000 bytes of name and description, by
///   which a unit is known; otherwise empty.
struct SheetParameter {
    uint256 paramType;
    bytes32 direction;
    bytes name;
    bytes said;
}

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

    /// @notice Stores the vectors of all of an agent's tools in one contract, and with them their sheets, so that a
    ///   decision reads few accounts. What does not fit there is stored tool by tool.
    /// @return textsHashes As of `store`.
    function storeAll(IERCAgentTool[] calldata tools)
        external
        returns (bytes32[] memory textsHashes);

    /// @notice The vectors of tools that say what these hashes stand for: 64 numbers of int8 each. What is not
    ///   stored is computed, if the tool still says it.
    function vectorsOf(IERCAgentTool[] calldata tools, bytes32[] calldata textsHashes)
        external
        view
        returns (bytes memory vectors);

    /// @notice The sheet of one of these tools, as it was when they were stored together, as `ToolSheets` packs it. If
    ///   they were not, it is read from the tool, if that still says what its hash stands for; of more than 255
    ///   parameters the first seven, which are more than are ever filled.
    function sheetOf(IERCAgentTool[] calldata tools, bytes32[] calldata textsHashes, uint256 place)
        external
        view
        returns (bytes memory packed);

    /// @notice The contract of what is stored of tools together: their vectors, the length of each sheet (2 bytes), and
    ///   the sheets, as `ToolSheets` packs them. Zero if they are not. Once there is one, it stays what it is.
    /// @param key The Keccak-256 of the tools, then the hashes of all that each says, 32 bytes each.
    function setOf(bytes32 key) external view returns (address);

    /// @notice Whether these tools' vectors are stored together.
    function areStored(IERCAgentTool[] calldata tools, bytes32[] calldata textsHashes)
        external
        view
        returns (bool);

    /// @notice Whether the vector of a tool that says this is stored by itself. One of zeros never is.
    function isStored(address tool, bytes32 textsHash) external view returns (bool);
}
