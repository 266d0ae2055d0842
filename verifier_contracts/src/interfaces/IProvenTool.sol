// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "./IAgentExecutor.sol";
import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @title A tool of one agent that acts on proven decisions only
/// @notice For agents that know nothing of frames: it stands before a tool and looks like it, and calls it
///   once every decision that the frame made so far is proven. Outside of frames decisions are proven
///   before they are recorded. An agent that is strict needs none.
interface IProvenTool is IERCAgentTool {
    /// @notice The tool belongs to another agent; make your own.
    error CallerIsNotTheAgent(address caller, address agent);

    /// @notice There is no code where the tool should be: not a tool, or not on this chain.
    error ToolBehindHasNoCode(address tool);

    /// @notice The tool behind it answers later, to whom it was asked by: use it without this one.
    error ToolBehindIsAsynchronous(address tool, int256 runId);

    /// @notice Whose tool it is: nobody else may run it.
    function agent() external view returns (address);

    /// @notice Where the agent has its decisions made and proven.
    function agentExecutor() external view returns (IAgentExecutor);

    /// @notice What it calls.
    function toolBehind() external view returns (IERCAgentTool);

    /// @notice Always: frames in which it acts have to have their proofs at hand, as
    ///   `IAgentExecutor.runInStrictFrame` has them.
    function needsProofs() external view returns (bool);
}
