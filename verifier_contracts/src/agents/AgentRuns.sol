// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor, IFramedAgent, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {IResultSource} from "../interfaces/IResultSource.sol";
import {IStrictAgent} from "../interfaces/IStrictAgent.sol";
import {AgentRun, ISuspendingAgent} from "../interfaces/ISuspendingAgent.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {AgentInput} from "./AgentInput.sol";
import {ResultDelivery} from "./ResultDelivery.sol";
import {SuspendedRuns} from "./SuspendedRuns.sol";

/// @title The ways in which an agent is asked to run, and in which its answer leaves it
/// @notice At once, in a frame of its own, for planning; from the beginning, or from where it waited.
abstract contract AgentRuns is SuspendedRuns, IStrictAgent, IResultSource, IProvenAgent {
    /// @dev Bytes of a frame's request to go on with a run; one to begin is longer.
    uint256 private constant RESUMING = 64;

    IAgentExecutor internal immutable _executor;

    bool private transient _running;
    /// @dev The run that waits at the end of the frame that it is in; zero if it came to its answer.
    int256 private transient _waits;

    modifier onlyOneRun() {
        if (_running) revert RunInProgress();
        _running = true;
        _;
        _running = false;
    }

    constructor(IAgentExecutor executor_) {
        _executor = executor_;
    }

    /// @inheritdoc IERCAgentTool
    function run(Input calldata input, address resultHandler)
        public
        virtual
        returns (int256 runId, string memory result)
    {
        ResultDelivery.check(resultHandler);
        (runId, result) = _runAtOnce(
            AgentRun(0, msg.sender, resultHandler, AgentInput.promptOf(input), new string[](0))
        );
        if (runId == -1) _handOver(resultHandler, -1, result);
    }

    /// @inheritdoc IProvenAgent
    function runWithProofs(
        Input calldata input,
        address resultHandler,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) public virtual returns (int256 runId, string memory result) {
        ResultDelivery.check(resultHandler);
        (runId, result) = _runInFrame(_beginning(input, resultHandler), claims, proofs, terms);
        if (runId == -1) ResultDelivery.deliver(resultHandler, -1, result);
    }

    /// @inheritdoc IProvenAgent
    function simulate(Input calldata input, Claim[] calldata claims) external {
        _simulate(_beginning(input, address(0)), claims);
    }

    /// @inheritdoc ISuspendingAgent
    function simulateFor(Input calldata input, address resultHandler, Claim[] calldata claims)
        external
    {
        ResultDelivery.check(resultHandler);
        _simulate(_beginning(input, resultHandler), claims);
    }

    /// @inheritdoc ISuspendingAgent
    function resume(int256 runId) public virtual returns (int256 runIdOr, string memory result) {
        address handler = _handlerOf(runId);
        (runIdOr, result) = _runAtOnce(AgentRun(runId, msg.sender, handler, "", new string[](0)));
        if (runIdOr == -1) _handOver(handler, runId, result);
    }

    /// @inheritdoc ISuspendingAgent
    function resumeWithProofs(
        int256 runId,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) public virtual returns (int256 runIdOr, string memory result) {
        address handler = _handlerOf(runId);
        (runIdOr, result) = _runInFrame(abi.encode(runId, msg.sender), claims, proofs, terms);
        if (runIdOr == -1) ResultDelivery.deliver(handler, runId, result);
    }

    /// @inheritdoc ISuspendingAgent
    function simulateResume(int256 runId, Claim[] calldata claims) external {
        _simulate(abi.encode(runId, msg.sender), claims);
    }

    /// @inheritdoc IFramedAgent
    /// @dev The executor only calls back who called it, so this is a run that began above.
    function onFrame(bytes calldata request)
        external
        returns (string memory answer, string[] memory executionSteps)
    {
        if (msg.sender != address(_executor)) revert CallerIsNotTheExecutor(msg.sender);
        AgentRun memory asked;
        if (request.length == RESUMING) {
            (asked.id, asked.requester) = abi.decode(request, (int256, address));
        } else {
            (asked.requester, asked.handler, asked.prompt) =
                abi.decode(request, (address, address, string));
        }
        int256 runId;
        (runId, answer, executionSteps) = _goOn(asked);
        if (runId != -1) _waits = runId;
    }

    /// @inheritdoc IProvenAgent
    function agentExecutor() external view returns (IAgentExecutor) {
        return _executor;
    }

    /// @inheritdoc IStrictAgent
    function needsProofs() public view virtual returns (bool);

    /// @dev Begins a run, or goes on with one that has an id.
    /// @return runId -1 once there is an answer, otherwise that of the run, which waits.
    function _goOn(AgentRun memory asked)
        internal
        virtual
        returns (int256 runId, string memory answer, string[] memory steps);

    /// @dev Reverts unless `requester` may have the agent run: an owner, a parent agent.
    function _authorize(address requester) internal view virtual;

    function _beginning(Input calldata input, address resultHandler)
        private
        view
        returns (bytes memory request)
    {
        return abi.encode(msg.sender, resultHandler, AgentInput.promptOf(input));
    }

    function _runAtOnce(AgentRun memory asked)
        private
        onlyOneRun
        returns (int256 runId, string memory result)
    {
        _authorize(msg.sender);
        (runId, result,) = _goOn(asked);
    }

    function _runInFrame(
        bytes memory request,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) private onlyOneRun returns (int256 runId, string memory result) {
        _authorize(msg.sender);
        (result,) = needsProofs()
            ? _executor.runInStrictFrame(claims, proofs, terms, request)
            : _executor.runInFrame(claims, proofs, terms, request);
        runId = _waits;
        if (runId == 0) return (-1, result);
        _waits = 0;
    }

    function _simulate(bytes memory request, Claim[] calldata claims) private onlyOneRun {
        _authorize(msg.sender);
        _executor.simulateInFrame(claims, request);
    }

    /// @dev In somebody else's frame, whoever asked has the result from the call, and nobody catches.
    function _handOver(address handler, int256 runId, string memory result) private {
        if (handler == address(0)) return;
        if (!_executor.isInFrame()) ResultDelivery.deliver(handler, runId, result);
        else if (handler != msg.sender) IERCAgentClient(handler).handleAgentResult(runId, result);
    }
}
