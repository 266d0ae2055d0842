// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Action, ModelData, Parameter} from "./ModelData.sol";

/// @title Finds the tool that an action means
/// @dev Reads what tools return where it lies: decoding all of it would cost more than the rest of
///   a decision.
library ToolMatching {
    bytes4 private constant NAME = 0x06fdde03; // name()
    bytes4 private constant INPUT_DESCRIPTION = 0x0ef946da; // inputDescription()

    /// @notice The agent has several tools of this name: remove all but one.
    error DuplicateTool(string name);

    /// @notice The tool does not return a name or parameters as the ERC says: likely not a tool.
    error ToolNotReadable(address tool);

    /// @notice The only tool of the action's name, if its parameters have the action's types in the
    ///   same order; otherwise zero.
    function find(IERCAgentTool[] calldata tools, Action memory action)
        internal
        view
        returns (address found)
    {
        bytes32 name = ModelData.hashOf(action.name);
        unchecked {
            for (uint256 i = 0; i < tools.length; ++i) {
                address tool = address(tools[i]);
                if (_nameHash(tool) != name) continue;
                if (found != address(0)) revert DuplicateTool(ModelData.text(action.name));
                found = tool;
            }
        }
        if (found != address(0) && !_takes(found, action.parameters)) return address(0);
    }

    function _nameHash(address tool) private view returns (bytes32 hash) {
        assembly ("memory-safe") {
            mstore(0, NAME)
            let ok := staticcall(gas(), tool, 0, 4, 0, 0)
            let size := returndatasize()
            let pos := mload(0x40)
            returndatacopy(pos, 0, size)
            if iszero(ok) { revert(pos, size) }
            if gt(size, 63) {
                size := sub(size, 32) // at most here begins a word
                let start := mload(pos)
                if iszero(gt(start, size)) {
                    pos := add(pos, start)
                    let length := mload(pos)
                    if iszero(gt(length, sub(size, start))) {
                        hash := keccak256(add(pos, 32), length)
                    }
                }
            }
        }
        if (hash == 0) revert ToolNotReadable(tool);
    }

    function _takes(address tool, Parameter[] memory expected) private view returns (bool) {
        bytes memory found = _inputDescription(tool);
        unchecked {
            uint256 start = _word(tool, found, 0); // of the struct
            start += _word(tool, found, start); // of its array
            if (_word(tool, found, start) != expected.length) return false;
            start += 32; // its elements are found from here
            for (uint256 i = 0; i < expected.length; ++i) {
                uint256 element = start + _word(tool, found, start + 32 * i);
                if (_word(tool, found, element) != expected[i].paramType) return false;
            }
            return true;
        }
    }

    function _inputDescription(address tool) private view returns (bytes memory found) {
        assembly ("memory-safe") {
            mstore(0, INPUT_DESCRIPTION)
            let ok := staticcall(gas(), tool, 0, 4, 0, 0)
            let size := returndatasize()
            found := mload(0x40)
            returndatacopy(add(found, 32), 0, size)
            if iszero(ok) { revert(add(found, 32), size) }
            mstore(found, size)
            mstore(0x40, and(add(found, add(size, 63)), not(31)))
        }
    }

    /// @dev The word at `offset`, which must be a whole one.
    function _word(address tool, bytes memory found, uint256 offset)
        private
        pure
        returns (uint256 w)
    {
        bool whole;
        assembly ("memory-safe") {
            let size := mload(found)
            whole := and(gt(size, 31), iszero(gt(offset, sub(size, 32))))
            if whole { w := mload(add(add(found, 32), offset)) }
        }
        if (!whole) revert ToolNotReadable(tool);
    }
}
