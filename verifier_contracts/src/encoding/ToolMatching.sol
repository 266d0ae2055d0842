// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/IERCAgentTool.sol";
import {Action, ModelData, Parameter} from "./ModelData.sol";

/// @title Finds the tool that an action means
/// @dev Reads what tools return where it lies: decoding all of it would cost more than the rest of
///   a decision.
library ToolMatching {
    bytes4 private constant NAME = 0x06fdde03; // name()
    bytes4 private constant INPUT_DESCRIPTION = 0x0ef946da; // inputDescription()

    /// @dev What a tool returned: `size` bytes at memory position `pos`.
    struct Returned {
        address tool;
        uint256 pos;
        uint256 size;
    }

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
        for (uint256 i = 0; i < tools.length; ++i) {
            address tool = address(tools[i]);
            if (_nameHash(tool) != name) continue;
            if (found != address(0)) revert DuplicateTool(ModelData.text(action.name));
            found = tool;
        }
        if (found != address(0) && !_takes(found, action.parameters)) return address(0);
    }

    function _nameHash(address tool) private view returns (bytes32 hash) {
        Returned memory answer = _ask(tool, NAME);
        uint256 start = _word(answer, 0);
        uint256 length = _word(answer, start);
        if (length > answer.size - 32 - start) revert ToolNotReadable(tool);
        uint256 pos = answer.pos + start + 32;
        assembly ("memory-safe") {
            hash := keccak256(pos, length)
        }
    }

    function _takes(address tool, Parameter[] memory expected) private view returns (bool) {
        Returned memory answer = _ask(tool, INPUT_DESCRIPTION);
        uint256 start = _word(answer, 0); // of the struct
        start += _word(answer, start); // of its array
        if (_word(answer, start) != expected.length) return false;
        start += 32; // elements are found from here
        for (uint256 i = 0; i < expected.length; ++i) {
            uint256 paramType = _word(answer, start + _word(answer, start + 32 * i));
            if (paramType != expected[i].paramType) return false;
        }
        return true;
    }

    /// @dev Calls a function without arguments; passes a failure on unchanged.
    function _ask(address tool, bytes4 selector) private view returns (Returned memory answer) {
        answer.tool = tool;
        assembly ("memory-safe") {
            mstore(0, selector)
            let ok := staticcall(gas(), tool, 0, 4, 0, 0)
            let size := returndatasize()
            let pos := mload(0x40)
            returndatacopy(pos, 0, size)
            if iszero(ok) { revert(pos, size) }
            mstore(0x40, and(add(pos, add(size, 31)), not(31)))
            mstore(add(answer, 32), pos)
            mstore(add(answer, 64), size)
        }
    }

    function _word(Returned memory answer, uint256 offset) private pure returns (uint256 w) {
        uint256 size = answer.size;
        if (size < 32 || offset > size - 32) revert ToolNotReadable(answer.tool);
        uint256 pos = answer.pos;
        assembly ("memory-safe") {
            w := mload(add(pos, offset))
        }
    }
}
