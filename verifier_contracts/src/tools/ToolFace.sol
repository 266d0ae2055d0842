// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";

/// @title Looks like the tool behind it
abstract contract ToolFace is IERCAgentTool {
    IERCAgentTool internal immutable _tool;

    constructor(IERCAgentTool tool_) {
        _tool = tool_;
    }

    /// @inheritdoc IERCAgentTool
    function name() external view returns (string memory) {
        return _tool.name();
    }

    /// @inheritdoc IERCAgentTool
    function description() external view returns (string memory) {
        return _tool.description();
    }

    /// @inheritdoc IERCAgentTool
    function inputDescription() external view returns (InputDescription memory) {
        return _tool.inputDescription();
    }
}
