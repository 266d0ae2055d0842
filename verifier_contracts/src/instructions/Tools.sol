// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";
import {ToolMatching} from "../encoding/ToolMatching.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ManifestText} from "./ManifestText.sol";

/// @title Finds the tool that an action means
/// @notice The agent's tool at the action's own place, if it has the action's name and its parameters have
///   the action's types in the same order: no other tool is asked then. Otherwise the only one of that
///   name, with those types. Exactly as `models/instructions/decoder.py`.
library Tools {
    bytes4 private constant NAME = IERCAgentTool.name.selector;
    bytes4 private constant INPUT_DESCRIPTION = IERCAgentTool.inputDescription.selector;

    /// @notice Zero if there is none. Reverts with DuplicateTool or ToolNotReadable of `ToolMatching`.
    /// @param name Memory position of the action's name, as `ModelData` has texts.
    /// @param parameters Memory position of its parameters' number and of what follows.
    /// @param place The action's place in the manifest.
    function find(IERCAgentTool[] calldata tools, uint256 name, uint256 parameters, uint256 place)
        internal
        view
        returns (address found)
    {
        unchecked {
            bytes32 hash = ModelData.hashOf(name);
            if (place < tools.length) {
                found = address(tools[place]);
                if (_nameHash(found) == hash && _takes(found, parameters)) return found;
                found = address(0);
            }
            for (uint256 i = 0; i < tools.length; ++i) {
                address tool = address(tools[i]);
                if (_nameHash(tool) != hash) continue;
                if (found != address(0)) revert ToolMatching.DuplicateTool(ModelData.text(name));
                found = tool;
            }
            if (found != address(0) && !_takes(found, parameters)) return address(0);
        }
    }

    function _nameHash(address tool) private view returns (bytes32 hash) {
        (uint256 pos, uint256 size) = _told(tool, NAME);
        assembly ("memory-safe") {
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
        if (hash == 0) revert ToolMatching.ToolNotReadable(tool);
    }

    /// @dev Whether the tool takes as many parameters, of the same types.
    function _takes(address tool, uint256 parameters) private view returns (bool) {
        (uint256 pos, uint256 size) = _told(tool, INPUT_DESCRIPTION);
        if (size < 32) revert ToolMatching.ToolNotReadable(tool);
        unchecked {
            uint256 last = size - 32; // here may begin a word, and nowhere behind
            uint256 start = _word(tool, pos, last, 0); // of the struct
            start += _word(tool, pos, last, start); // of its array
            (uint256 count, uint256 expected) = (_word(tool, pos, last, start), parameters);
            if (count != ManifestText.byteAt(expected++)) return false;
            start += 32; // its elements are found from here
            for (uint256 i = 0; i < count; ++i) {
                uint256 element = start + _word(tool, pos, last, start + 32 * i);
                if (_word(tool, pos, last, element) != ManifestText.byteAt(expected)) return false;
                expected = ManifestText.nextParameter(expected);
            }
            return true;
        }
    }

    function _word(address tool, uint256 pos, uint256 last, uint256 offset)
        private
        pure
        returns (uint256 w)
    {
        if (offset > last) revert ToolMatching.ToolNotReadable(tool);
        assembly ("memory-safe") {
            w := mload(add(pos, offset))
        }
    }

    /// @dev What the tool returns, where it lies in free memory. What it reverts with is passed on.
    function _told(address tool, bytes4 selector) private view returns (uint256 pos, uint256 size) {
        assembly ("memory-safe") {
            mstore(0, selector)
            let ok := staticcall(gas(), tool, 0, 4, 0, 0)
            size := returndatasize()
            pos := mload(0x40)
            returndatacopy(pos, 0, size)
            if iszero(ok) { revert(pos, size) }
        }
    }
}
