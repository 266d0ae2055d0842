// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";

import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {IStrictAgent} from "../interfaces/IStrictAgent.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";

/// @notice A tool that an agent is made with.
struct AgentTool {
    IERCAgentTool tool;
    /// @notice Made by the agent itself in its constructor, of code whose name, description and
    ///   parameters cannot change: a `ToolMetadata`. Such a tool is pinned by its code, which costs a
    ///   fraction; any other one by what it says of itself.
    bool own;
}

/// @notice What an agent remembers of its tools.
struct PinnedTools {
    IERCAgentTool[] tools;
    bytes32[] metadataHashes;
    /// @notice Zero for those that are not the agent's own.
    bytes32[] codeHashes;
}

/// @title What an agent remembers of a tool, so that the tool cannot become another one unnoticed
/// @notice A foreign tool may tell its callers apart and show the agent, which pins it, another face
///   than encoder and decoder, which read it as well. No pin stops that: what a foreign tool shows
///   and does is its maker's word. One's own tools show everybody the same.
library ToolPins {
    /// @notice Pins for each tool. Reverts for tools without code and for duplicates.
    function pin(AgentTool[] memory given) internal view returns (PinnedTools memory pinned) {
        pinned.tools = new IERCAgentTool[](given.length);
        pinned.metadataHashes = new bytes32[](given.length);
        pinned.codeHashes = new bytes32[](given.length);
        for (uint256 i = 0; i < given.length; ++i) {
            address tool = address(given[i].tool);
            if (tool.code.length == 0) revert IProvenAgent.ToolHasNoCode(tool);
            for (uint256 j = 0; j < i; ++j) {
                if (address(given[j].tool) == tool) revert IProvenAgent.DuplicateTool(tool);
            }
            pinned.tools[i] = given[i].tool;
            pinned.metadataHashes[i] = metadataHash(tool);
            if (given[i].own) pinned.codeHashes[i] = tool.codehash;
        }
    }

    /// @notice Whether one of them says that it is an agent whose frames need their proofs at hand.
    function anyNeedsProofs(AgentTool[] memory given) internal view returns (bool) {
        for (uint256 i = 0; i < given.length; ++i) {
            address tool = address(given[i].tool);
            if (!ERC165Checker.supportsInterface(tool, type(IStrictAgent).interfaceId)) continue;
            if (IStrictAgent(tool).needsProofs()) return true;
        }
        return false;
    }

    /// @notice Reverts unless every tool is as pinned.
    function checkAll(PinnedTools memory pinned) internal view {
        for (uint256 i = 0; i < pinned.tools.length; ++i) {
            _check(pinned, i);
        }
    }

    /// @notice Reverts unless `tool` is one of those pinned, and as it was then.
    function checkOne(PinnedTools memory pinned, address tool) internal view {
        for (uint256 i = 0; i < pinned.tools.length; ++i) {
            if (address(pinned.tools[i]) == tool) {
                _check(pinned, i);
                return;
            }
        }
        revert IProvenAgent.ToolNotPinned(tool);
    }

    /// @notice Hash over the raw return data of name(), description() and inputDescription().
    function metadataHash(address tool) internal view returns (bytes32) {
        bytes32[3] memory parts = [
            _returnHash(tool, IERCAgentTool.name.selector),
            _returnHash(tool, IERCAgentTool.description.selector),
            _returnHash(tool, IERCAgentTool.inputDescription.selector)
        ];
        return keccak256(abi.encode(parts));
    }

    function _check(PinnedTools memory pinned, uint256 index) private view {
        address tool = address(pinned.tools[index]);
        bytes32 expected = pinned.codeHashes[index];
        if (expected != 0) {
            if (tool.codehash != expected) {
                revert IProvenAgent.ToolCodeChanged(tool, expected, tool.codehash);
            }
            return;
        }
        expected = pinned.metadataHashes[index];
        bytes32 actual = metadataHash(tool);
        if (actual != expected) revert IProvenAgent.ToolMetadataChanged(tool, expected, actual);
    }

    /// @dev Works in free memory without taking it: a run makes many of these calls.
    function _returnHash(address tool, bytes4 selector) private view returns (bytes32 hash) {
        assembly ("memory-safe") {
            mstore(0, selector)
            let success := staticcall(gas(), tool, 0, 4, 0, 0)
            let free := mload(0x40)
            returndatacopy(free, 0, returndatasize())
            if iszero(success) { revert(free, returndatasize()) }
            hash := keccak256(free, returndatasize())
        }
    }
}
