// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {AgentRun, AwaitedResult, ISuspendingAgent} from "../interfaces/ISuspendingAgent.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";
import {ReasoningList} from "./ReasoningList.sol";

/// @title Keeps the runs of an agent that wait for a tool's answer
/// @dev What a run has come to lies in a contract's code: nothing can change it but the end of its wait.
abstract contract SuspendedRuns is ISuspendingAgent {
    /// @dev data: whose code is the run and the reasoning of the call it waits for. result: whose code the
    ///   answer is, zero before there is one.
    struct Wait {
        address tool;
        int256 toolRunId;
        address data;
        address result;
    }

    mapping(int256 runId => Wait) private _waitOfRun;
    /// @dev The run that waits for a tool's run; runs are counted from 1.
    mapping(address tool => mapping(int256 toolRunId => int256 runId)) private _waiting;

    /// @inheritdoc IERCAgentClient
    function handleAgentResult(int256 toolRunId, string calldata result) external {
        _receive(msg.sender, toolRunId, result);
    }

    /// @inheritdoc ISuspendingAgent
    function suspendedRun(int256 runId)
        external
        view
        returns (AgentRun memory run, AwaitedResult memory awaited)
    {
        Wait memory wait = _waitOf(runId);
        (run, awaited.reasoning) = _read(wait);
        (awaited.tool, awaited.toolRunId) = (wait.tool, wait.toolRunId);
        awaited.answered = wait.result != address(0);
        if (awaited.answered) awaited.result = string(SSTORE2.read(wait.result));
    }

    function _suspend(AgentRun memory run, string memory reasoning, address tool, int256 toolRunId)
        internal
    {
        int256 other = _waiting[tool][toolRunId];
        if (other != 0) revert ToolRunIdTaken(tool, toolRunId, other);
        _waiting[tool][toolRunId] = run.id;
        _waitOfRun[run.id] =
            Wait(tool, toolRunId, SSTORE2.write(abi.encode(run, reasoning)), address(0));
        emit RunSuspended(run.id, run.requester, tool, toolRunId);
    }

    /// @dev Takes the answer that a run waits for.
    function _receive(address tool, int256 toolRunId, string memory result) internal {
        int256 runId = _waiting[tool][toolRunId];
        if (runId == 0) revert NoRunWaits(tool, toolRunId);
        delete _waiting[tool][toolRunId];
        _waitOfRun[runId].result = SSTORE2.write(bytes(result));
        emit ResultReceived(runId, tool, toolRunId, result);
    }

    function _isAwaited(address tool, int256 toolRunId) internal view returns (bool) {
        return _waiting[tool][toolRunId] != 0;
    }

    /// @dev Takes a run out of those that wait, with the answer that it waited for among its steps. A tool
    ///   that is an agent whose run waits itself is asked to go on, in the present frame.
    /// @return run The run.
    /// @return waits Whether it still waits: for that agent, which waits again. It then stays suspended.
    function _takeOut(int256 runId, address caller, uint256 room)
        internal
        returns (AgentRun memory run, bool waits)
    {
        Wait memory wait = _waitOf(runId);
        string memory reasoning;
        (run, reasoning) = _read(wait);
        if (caller != run.requester) revert CallerIsNotTheRequester(caller, run.requester);
        string memory result;
        (waits, result) = _resultOf(runId, wait);
        if (waits) return (run, true);
        delete _waitOfRun[runId];
        delete _waiting[wait.tool][wait.toolRunId];
        emit RunResumed(runId);
        run.steps = ReasoningList.copied(run.steps, room);
        ReasoningList.append(run.steps, ReasoningList.entry(reasoning, result));
    }

    /// @dev Outside of a frame the agent that goes on may hand its result over, too; it is the same.
    function _resultOf(int256 runId, Wait memory wait)
        private
        returns (bool waits, string memory result)
    {
        if (wait.result != address(0)) return (false, string(SSTORE2.read(wait.result)));
        bytes4 suspending = type(ISuspendingAgent).interfaceId;
        if (!ERC165Checker.supportsInterface(wait.tool, suspending)) {
            revert ResultMissing(runId, wait.tool, wait.toolRunId);
        }
        _authorizeResume(wait.tool, wait.toolRunId);
        int256 stillId;
        (stillId, result) = ISuspendingAgent(wait.tool).resume(wait.toolRunId);
        waits = stillId != -1;
    }

    /// @dev Reverts where an agent that is a tool may not be asked to go on.
    function _authorizeResume(address tool, int256 toolRunId) internal view virtual;

    function _handlerOf(int256 runId) internal view returns (address) {
        (AgentRun memory run,) = _read(_waitOf(runId));
        return run.handler;
    }

    function _waitOf(int256 runId) private view returns (Wait memory wait) {
        wait = _waitOfRun[runId];
        if (wait.data == address(0)) revert NotSuspended(runId);
    }

    function _read(Wait memory wait)
        private
        view
        returns (AgentRun memory run, string memory reasoning)
    {
        return abi.decode(SSTORE2.read(wait.data), (AgentRun, string));
    }
}
