// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor, IFramedAgent, RunTerms} from "./IAgentExecutor.sol";
import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @title Runs an agent that knows nothing of frames in frames
/// @notice The agent is written against the ERC alone: it asks its executor for decisions. The runner opens
///   a frame, calls the agent's `run` in it, and so gives it proofs and terms. It asks on its owner's
///   behalf and on nobody else's: an agent that serves one address can be told to serve its runner.
interface IPlainRunner is IFramedAgent {
    /// @notice Only the owner has the agent run.
    error CallerIsNotTheOwner(address caller, address owner);

    /// @notice Only the executor may call `onFrame`, in a run that the owner began.
    error CallerIsNotTheExecutor(address caller);

    /// @notice The agent answers later, which a frame cannot wait for.
    error AgentIsAsynchronous(address agent, int256 runId);

    /// @notice There is no code at that address: not an agent, or not on this chain.
    error AgentHasNoCode(address agent);

    /// @notice Runs the agent with decisions that are proven in this transaction: the parameters of
    ///   `IProvenAgent.runWithProofs`, the results of the agent's `run`.
    function runWithProofs(
        IERCAgentTool.Input calldata input,
        address resultHandler,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (int256 runId, string memory result);

    /// @notice Plans a run by eth_call: always reverts, see `IAgentExecutor.simulateInFrame`.
    function simulate(IERCAgentTool.Input calldata input, Claim[] calldata claims) external;

    /// @notice Whose word this runs the agent on.
    function owner() external view returns (address);

    /// @notice The agent that is run.
    function agent() external view returns (IERCAgentTool);

    /// @notice Who makes the agent's decisions: the agent has to ask the same one.
    function agentExecutor() external view returns (IAgentExecutor);

    /// @notice Whether frames have their proofs at hand, for what verifies before it acts: a strict agent
    ///   among the tools, a guard.
    function needsProofs() external view returns (bool);
}
