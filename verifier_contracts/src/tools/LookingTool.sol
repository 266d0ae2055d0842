// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IToolLooks} from "../interfaces/IToolLooks.sol";
import {ExampleTool} from "./ExampleTool.sol";
import {ToolResultConverter} from "./ToolResultConverter.sol";

/// @title A tool that wraps a function which only looks, and says so
/// @notice Questions may call it: "how much does Rex weigh?". Reading agents call it by a static call, so that a
///   function that changes anything after all reverts.
contract LookingTool is ExampleTool, IToolLooks {
    /// @param agent See `ExampleTool`, as for all others.
    constructor(
        address agent,
        string memory name_,
        string memory description_,
        address toolContract,
        bytes4 toolSelector,
        InputDescription memory input,
        string memory staticResult,
        ToolResultConverter converter,
        string[] memory examples_
    )
        ExampleTool(
            agent,
            name_,
            description_,
            toolContract,
            toolSelector,
            input,
            staticResult,
            converter,
            examples_
        )
    {}

    /// @inheritdoc IToolLooks
    function onlyLooks() external pure returns (bool) {
        return true;
    }

    /// @inheritdoc ExampleTool
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IToolLooks).interfaceId || super.supportsInterface(interfaceId);
    }
}
