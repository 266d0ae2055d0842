// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";
import {Described, ToolMatching} from "../encoding/ToolMatching.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ManifestText} from "./ManifestText.sol";

/// @title Finds the tool that an action means
/// @notice The agent's tool at the action's own place, if it has the action's name and its parameters have
///   the action's types in the same order: no other tool is asked then. Otherwise the only one of that
///   name, with those types; which are alike, and which tools are none, `ToolMatching` says. Exactly as
///   `models/instructions/decoder.py`.
library Tools {
    /// @notice Zero if there is none. Reverts with DuplicateTool of `ToolMatching`.
    /// @param name Memory position of the action's name, as `ModelData` has texts.
    /// @param parameters Memory position of its parameters' number and of what follows.
    /// @param place The action's place in the manifest.
    /// @return found The tool.
    /// @return signed Whether it has an INT where the action has an amount.
    function find(IERCAgentTool[] calldata tools, uint256 name, uint256 parameters, uint256 place)
        internal
        view
        returns (address found, bool signed)
    {
        unchecked {
            bytes32 hash = ModelData.hashOf(name);
            bool takes;
            if (place < tools.length) {
                found = address(tools[place]);
                if (ToolMatching.nameHash(found) == hash) {
                    (takes, signed) = _takes(found, parameters);
                    if (takes) return (found, signed);
                }
                found = address(0);
            }
            for (uint256 i = 0; i < tools.length; ++i) {
                address tool = address(tools[i]);
                if (ToolMatching.nameHash(tool) != hash) continue;
                if (found != address(0)) revert ToolMatching.DuplicateTool(ModelData.text(name));
                found = tool;
            }
            if (found == address(0)) return (found, false);
            (takes, signed) = _takes(found, parameters);
            if (!takes) return (address(0), false);
        }
    }

    /// @dev Whether the tool takes as many parameters, of such types.
    function _takes(address tool, uint256 parameters)
        private
        view
        returns (bool takes, bool signed)
    {
        Described memory found = ToolMatching.describedBy(tool);
        unchecked {
            uint256 expected = parameters;
            if (found.count != ManifestText.byteAt(expected++)) return (false, false);
            for (uint256 i = 0; i < found.count; ++i) {
                uint256 paramType = ToolMatching.typeAt(found, i);
                uint256 wanted = ManifestText.byteAt(expected);
                if (!ToolMatching.takes(paramType, wanted)) return (false, false);
                if (paramType != wanted) signed = true;
                expected = ManifestText.nextParameter(expected);
            }
            return (true, signed);
        }
    }
}
