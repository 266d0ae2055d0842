// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Action, ModelData, Parameter} from "./ModelData.sol";
import {Strangers} from "./Strangers.sol";

/// @notice What a tool tells of its parameters, where it lies in memory.
/// @param pos Where what it returned begins.
/// @param last Where its last word begins, from there.
/// @param count How many parameters it says it has.
/// @param start Where their places are, from `pos`.
struct Described {
    uint256 pos;
    uint256 last;
    uint256 count;
    uint256 start;
}

/// @title Finds the tool that an action means
/// @notice Where an action has an amount, which is UINT, a tool may have an INT. A tool that does not tell
///   its name is none of the agent's; one that does not tell its parameters takes none.
/// @dev Reads what tools return where it lies: decoding all of it would cost more than the rest of
///   a decision.
library ToolMatching {
    bytes4 private constant NAME = 0x06fdde03; // name()
    bytes4 private constant INPUT_DESCRIPTION = 0x0ef946da; // inputDescription()

    uint256 internal constant NONE = type(uint256).max;

    /// @notice The agent has several tools of this name: remove all but one.
    error DuplicateTool(string name);

    /// @notice The only tool of the action's name, if its parameters have the action's types in the
    ///   same order; otherwise zero. The types become the tool's.
    function find(IERCAgentTool[] calldata tools, Action memory action)
        internal
        view
        returns (address found)
    {
        bytes32 name = ModelData.hashOf(action.name);
        unchecked {
            for (uint256 i = 0; i < tools.length; ++i) {
                address tool = address(tools[i]);
                if (nameHash(tool) != name) continue;
                if (found != address(0)) revert DuplicateTool(ModelData.text(action.name));
                found = tool;
            }
        }
        if (found != address(0) && !_takes(found, action.parameters)) return address(0);
    }

    /// @notice The hash of the tool's name; zero if it tells none.
    function nameHash(address tool) internal view returns (bytes32 hash) {
        (uint256 pos, uint256 size) = Strangers.told(tool, NAME);
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
    }

    /// @notice Whether a tool's parameter of type `found` takes what an action has as `expected`.
    function takes(uint256 found, uint256 expected) internal pure returns (bool) {
        return found == expected || (found == ModelData.INT && expected == ModelData.UINT);
    }

    function _takes(address tool, Parameter[] memory expected) private view returns (bool) {
        Described memory found = describedBy(tool);
        unchecked {
            if (found.count != expected.length) return false;
            for (uint256 i = 0; i < expected.length; ++i) {
                uint256 paramType = typeAt(found, i);
                if (!takes(paramType, expected[i].paramType)) return false;
                expected[i].paramType = paramType;
            }
            return true;
        }
    }

    /// @notice The parameters that a tool tells; `NONE` of them if it tells none.
    /// @dev They lie in free memory, of which nothing is taken.
    function describedBy(address tool) internal view returns (Described memory found) {
        (found.pos, found.last) = Strangers.told(tool, INPUT_DESCRIPTION);
        found.count = NONE;
        if (found.last < 32) return found;
        unchecked {
            found.last -= 32; // here may begin a word, and nowhere behind
            uint256 start = _word(found, 0); // of the struct
            if (start > found.last) return found;
            uint256 length = _word(found, start); // of its array
            if (length > found.last) return found;
            start += length;
            if (start > found.last) return found;
            found.count = _word(found, start);
            found.start = start + 32; // its elements are found from here
        }
    }

    /// @notice The type of a parameter; `NONE` if it tells none.
    function typeAt(Described memory found, uint256 i) internal pure returns (uint256) {
        unchecked {
            uint256 place = found.start + 32 * i;
            if (place > found.last) return NONE;
            uint256 offset = _word(found, place);
            if (offset > found.last || found.start + offset > found.last) return NONE;
            return _word(found, found.start + offset);
        }
    }

    /// @dev The word at an offset, which must be at most `last`.
    function _word(Described memory found, uint256 offset) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(add(mload(found), offset))
        }
    }
}
