// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";

/// @title What an agent remembers of a tool, so that the tool cannot become another one unnoticed
library ToolPins {
    /// @notice One hash per tool. Reverts for tools without code and for duplicates.
    function hashAll(IERCAgentTool[] memory tools) internal view returns (bytes32[] memory pins) {
        pins = new bytes32[](tools.length);
        for (uint256 i = 0; i < tools.length; ++i) {
            address tool = address(tools[i]);
            if (tool.code.length == 0) revert IProvenAgent.ToolHasNoCode(tool);
            for (uint256 j = 0; j < i; ++j) {
                if (address(tools[j]) == tool) revert IProvenAgent.DuplicateTool(tool);
            }
            pins[i] = metadataHash(tool);
        }
    }

    /// @notice Reverts unless every tool's metadata is as pinned.
    function checkAll(IERCAgentTool[] memory tools, bytes32[] memory pins) internal view {
        for (uint256 i = 0; i < tools.length; ++i) {
            _check(address(tools[i]), pins[i]);
        }
    }

    /// @notice Reverts unless `tool` is one of `tools` and its metadata is as pinned.
    function checkOne(IERCAgentTool[] memory tools, bytes32[] memory pins, address tool)
        internal
        view
    {
        for (uint256 i = 0; i < tools.length; ++i) {
            if (address(tools[i]) == tool) {
                _check(tool, pins[i]);
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

    function _check(address tool, bytes32 pinned) private view {
        bytes32 actual = metadataHash(tool);
        if (actual != pinned) revert IProvenAgent.ToolMetadataChanged(tool, pinned, actual);
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
