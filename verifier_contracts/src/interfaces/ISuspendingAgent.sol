// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, RunTerms} from "./IAgentExecutor.sol";
import {IERCAgentClient} from "./erc/IERCAgentClient.sol";
import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @notice A run, as far as it has come.
struct AgentRun {
    /// @notice Zero before it begins.
    int256 id;
    address requester;
    /// @notice Who receives the answer if it comes later; a run without a handler cannot wait.
    address handler;
    string prompt;
    /// @notice Reasoning and observation of each iteration so far.
    string[] steps;
}

/// @notice What a run waits for.
struct AwaitedResult {
    address tool;
    /// @notice The id that the tool's `run` returned.
    int256 toolRunId;
    /// @notice Of the decision to call the tool.
    string reasoning;
    /// @notice Whether the tool has answered.
    bool answered;
    /// @notice What it answered.
    string result;
}

/// @title An agent whose runs wait for tools that answer later
/// @notice A tool that returns an id in place of a result suspends a run that has a result handler; `run`
///   then returns the run's own id. The tool hands its result to `handleAgentResult`, and whoever asked for
///   the run resumes it, in a new frame. What was decided before is neither decided nor proven again, and
///   cannot change: it lies in a contract's code.
/// @dev A tool that never answers leaves a run that is never resumed, and nothing else.
interface ISuspendingAgent is IERCAgentClient {
    /// @notice A run waits for a tool's answer.
    event RunSuspended(
        int256 indexed runId, address indexed requester, address indexed tool, int256 toolRunId
    );

    /// @notice The tool that a run waits for has answered: the run can be resumed.
    event ResultReceived(
        int256 indexed runId, address indexed tool, int256 toolRunId, string result
    );

    /// @notice A run goes on.
    event RunResumed(int256 indexed runId);

    /// @notice No run waits for this from the caller: it was answered before, or never asked for.
    error NoRunWaits(address tool, int256 toolRunId);

    /// @notice The tool gave an id that another run still waits for.
    error ToolRunIdTaken(address tool, int256 toolRunId, int256 byRunId);

    /// @notice There is no such suspended run: it is over, or never was.
    error NotSuspended(int256 runId);

    /// @notice Only who asked for a run resumes it.
    error CallerIsNotTheRequester(address caller, address requester);

    /// @notice The tool has not answered yet.
    error ResultMissing(int256 runId, address tool, int256 toolRunId);

    /// @notice What is to be kept in a contract's code was not: a tool's answer, or a run with all its steps and
    ///   reasoning, is longer than the 24,575 bytes that fit, or gas was short.
    /// @dev What solady's SSTORE2 reverts with. Agents are too near the limit of a contract's size to say more.
    error DeploymentFailed();

    /// @notice Goes on with a suspended run, on recorded decisions or in the frame that this is called in.
    /// @return runIdOr The run's id when it is suspended again, otherwise -1.
    /// @return result The final answer; only meaningful with -1.
    function resume(int256 runId) external returns (int256 runIdOr, string memory result);

    /// @notice Goes on with a suspended run in a frame of its own: `IProvenAgent.runWithProofs`.
    function resumeWithProofs(
        int256 runId,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (int256 runIdOr, string memory result);

    /// @notice Plans `resumeWithProofs` by eth_call: always reverts, see `IAgentExecutor.simulateInFrame`.
    function simulateResume(int256 runId, Claim[] calldata claims) external;

    /// @notice Plans a run that has a result handler, and so may be suspended: its answer is empty then.
    function simulateFor(
        IERCAgentTool.Input calldata input,
        address resultHandler,
        Claim[] calldata claims
    ) external;

    /// @notice A suspended run and what it waits for. Reverts if there is none.
    function suspendedRun(int256 runId)
        external
        view
        returns (AgentRun memory run, AwaitedResult memory awaited);
}
