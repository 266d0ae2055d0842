// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "./IERCAgentTool.sol";

/// @title An agent; it is a tool as well, so that agents nest
/// @notice ABI of the on-chain agents ERC. There it is an abstract contract; its code is
///   `AgentBase`.
interface IERCAgent is IERCAgentTool {
    /// @notice A run came to its final answer.
    /// @param runId Number of the run within this agent, from 1.
    /// @param requester Who asked for the run.
    /// @param executionSteps Reasoning, action and observation of each iteration, in order.
    /// @param answer The final answer.
    event AgentRunResult(
        int256 indexed runId, address requester, string[] executionSteps, string answer
    );
}
