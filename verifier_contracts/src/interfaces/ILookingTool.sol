// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @title `IERCAgentTool.run` as what only looks is called: by a static call
interface ILookingTool {
    /// @notice See `IERCAgentTool.run`.
    function run(IERCAgentTool.Input memory input, address resultHandler)
        external
        view
        returns (int256 runId, string memory result);
}
