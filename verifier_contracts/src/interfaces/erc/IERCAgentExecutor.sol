// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "./IERCAgentTool.sol";

/// @notice One decision: a final answer, or a tool call with the reasoning that leads to it.
struct AgentIterationResult {
    bool isFinalAnswer;
    /// @notice Only present when `isFinalAnswer`.
    string finalAnswer;
    /// @notice This and the rest only when not `isFinalAnswer`.
    IERCAgentTool tool;
    IERCAgentTool.Input toolInput;
    string agentReasoning;
}

/// @title Makes an agent's decisions
/// @notice ABI of the on-chain agents ERC, unchanged.
interface IERCAgentExecutor {
    /// @notice Makes the next decision of the calling agent's run.
    /// @param modelId Which model decides; here a registry number in decimal, or a name
    ///   that the registry has for it.
    /// @param basePrompt The agent's standing instructions.
    /// @param tools The tools that it may choose from.
    /// @param agentReasoning One entry per earlier iteration of this run: reasoning and
    ///   observation.
    /// @param prompt The request.
    function runNextIteration(
        string memory modelId,
        string memory basePrompt,
        IERCAgentTool[] memory tools,
        string[] memory agentReasoning,
        string memory prompt
    ) external returns (AgentIterationResult memory);
}
