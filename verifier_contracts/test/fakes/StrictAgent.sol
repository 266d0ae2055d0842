// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {TestAgent} from "./TestAgent.sol";

/// @dev Proves before it acts.
contract StrictAgent is TestAgent {
    constructor(
        IAgentExecutor executor,
        string memory modelId,
        address owner,
        IERCAgentTool[] memory tools_,
        uint16 maxIterations
    ) TestAgent(executor, modelId, owner, tools_, maxIterations) {}

    function strict() public pure override returns (bool) {
        return true;
    }
}
