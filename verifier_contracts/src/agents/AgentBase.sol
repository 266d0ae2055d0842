// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {AgentGuarding} from "../guards/AgentGuarding.sol";
import {IAgentExecutor, IFramedAgent} from "../interfaces/IAgentExecutor.sol";
import {IFrameWatch} from "../interfaces/IFrameWatch.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {IStrictAgent} from "../interfaces/IStrictAgent.sol";
import {AgentRun, ISuspendingAgent} from "../interfaces/ISuspendingAgent.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {IGuardableAgent} from "../interfaces/guards/IGuardableAgent.sol";
import {ModelIds} from "../libraries/ModelIds.sol";
import {ToolMetadata} from "../tools/ToolMetadata.sol";
import {AgentInput} from "./AgentInput.sol";
import {AgentRuns} from "./AgentRuns.sol";
import {ReasoningList} from "./ReasoningList.sol";
import {AgentTool, PinnedTools, ToolPins} from "./ToolPins.sol";

/// @title The ERC's agent, with a proof behind every decision
/// @notice Derive from it and say whom the agent serves. It obeys one model commitment and only uses the
///   tools that it was made with. It never catches a failure: what reverts below reverts the run, with
///   the revert data unchanged.
abstract contract AgentBase is ToolMetadata, AgentRuns, AgentGuarding {
    /// @dev What a run reads, kept in one contract's code.
    struct RunConfig {
        string modelId;
        string basePrompt;
        PinnedTools pinned;
    }

    IModelRegistry private immutable _registry;
    uint256 private immutable _modelNumber;
    address private immutable _config;
    uint16 private immutable _maxIterations;
    bool private immutable _toolsNeedProofs;

    bytes32 private _pinnedCommitment;
    /// @dev From 1 on: its first write is the deployment's to pay, not the first run's.
    int256 private _nextRunId = 1;

    /// @param executor_ Who makes the decisions.
    /// @param modelId_ Which model decides: its registry number in decimal.
    /// @param commitment_ The commitment that this number is expected to stand for: whoever registered
    ///   the model can update it at any moment, that before the agent's deployment included.
    /// @param name_ Short name.
    /// @param description_ What the agent does.
    /// @param inputDescription_ What the prompt should say.
    /// @param basePrompt_ Standing instructions.
    /// @param tools_ What the agent may use.
    /// @param maxIterations_ Limit of decisions in one run.
    constructor(
        IAgentExecutor executor_,
        string memory modelId_,
        bytes32 commitment_,
        string memory name_,
        string memory description_,
        string memory inputDescription_,
        string memory basePrompt_,
        AgentTool[] memory tools_,
        uint16 maxIterations_
    )
        ToolMetadata(name_, description_, AgentInput.describe(inputDescription_))
        AgentRuns(executor_)
    {
        _registry = executor_.registry();
        _modelNumber = ModelIds.parse(modelId_);
        _maxIterations = maxIterations_;
        _toolsNeedProofs = ToolPins.anyNeedsProofs(tools_);
        _config = SSTORE2.write(abi.encode(RunConfig(modelId_, basePrompt_, ToolPins.pin(tools_))));
        _pin(commitment_);
    }

    /// @inheritdoc IProvenAgent
    function acceptModel(bytes32 newCommitmentHash) external {
        _authorizeModelChange(msg.sender);
        _pin(newCommitmentHash);
    }

    /// @inheritdoc IProvenAgent
    function pinnedCommitment() external view returns (bytes32) {
        return _pinnedCommitment;
    }

    /// @inheritdoc IProvenAgent
    function modelId() external view returns (string memory) {
        return _readConfig().modelId;
    }

    /// @inheritdoc IProvenAgent
    function basePrompt() external view returns (string memory) {
        return _readConfig().basePrompt;
    }

    /// @inheritdoc IProvenAgent
    function tools()
        public
        view
        returns (IERCAgentTool[] memory pinned, bytes32[] memory metadataHashes)
    {
        PinnedTools memory all = _readConfig().pinned;
        return (all.tools, all.metadataHashes);
    }

    /// @inheritdoc IProvenAgent
    function maxIterations() external view returns (uint16) {
        return _maxIterations;
    }

    /// @inheritdoc IStrictAgent
    function needsProofs() public view override returns (bool) {
        return _toolsNeedProofs || strict();
    }

    /// @inheritdoc IStrictAgent
    /// @dev Override it to make an agent strict.
    function strict() public view virtual returns (bool) {
        return false;
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId)
        public
        view
        virtual
        override(ToolMetadata, IERCAgentClient)
        returns (bool)
    {
        return interfaceId == type(IProvenAgent).interfaceId
            || interfaceId == type(IFramedAgent).interfaceId
            || interfaceId == type(IStrictAgent).interfaceId
            || interfaceId == type(ISuspendingAgent).interfaceId
            || interfaceId == type(IGuardableAgent).interfaceId
            || interfaceId == type(IERCAgentClient).interfaceId
            || ToolMetadata.supportsInterface(interfaceId);
    }

    /// @dev Reverts unless `caller` may have the agent obey another model commitment.
    function _authorizeModelChange(address caller) internal view virtual;

    /// @inheritdoc AgentRuns
    function _goOn(AgentRun memory asked)
        internal
        override
        returns (int256 runId, string memory answer, string[] memory steps)
    {
        RunConfig memory config = _readConfig();
        ToolPins.checkAll(config.pinned);
        if (asked.id == 0) {
            asked.id = _nextRunId++;
            asked.steps = ReasoningList.empty(_maxIterations);
        } else {
            bool waits;
            (asked, waits) = _takeOut(asked.id, asked.requester, _maxIterations);
            if (waits) return (asked.id, "", asked.steps);
        }
        steps = asked.steps;
        while (steps.length < _maxIterations) {
            AgentIterationResult memory decision = _decide(config, steps, asked.prompt);
            if (decision.isFinalAnswer) {
                emit AgentRunResult(asked.id, asked.requester, steps, decision.finalAnswer);
                return (-1, decision.finalAnswer, steps);
            }
            if (_act(config, decision, asked)) return (asked.id, "", steps);
        }
        revert IterationLimitReached(_maxIterations);
    }

    function _decide(RunConfig memory config, string[] memory steps, string memory prompt)
        private
        returns (AgentIterationResult memory decision)
    {
        _checkCommitment(_pinnedCommitment);
        decision = _executor.runNextIteration(
            config.modelId, config.basePrompt, config.pinned.tools, steps, prompt
        );
        if (strict() && !_executor.verifySoFar()) {
            (decision.isFinalAnswer, decision.finalAnswer) = (true, ""); // the frame is poisoned
        }
    }

    /// @dev Takes the decided action.
    /// @return waits Whether the tool answers later; otherwise its answer is among the steps.
    function _act(
        RunConfig memory config,
        AgentIterationResult memory decision,
        AgentRun memory asked
    ) private returns (bool waits) {
        IERCAgentTool tool = decision.tool;
        ToolPins.checkOne(config.pinned, address(tool));
        address handler = asked.handler == address(0) ? address(0) : address(this);
        (int256 toolRunId, string memory result, address source) =
            _callTool(tool, decision.toolInput, handler);
        waits = toolRunId != -1;
        if (!waits) {
            string memory entry = ReasoningList.entry(decision.agentReasoning, result);
            ReasoningList.append(asked.steps, entry);
        } else if (source == address(tool) && (handler == address(0) || toolRunId < 0)) {
            revert ToolIsAsynchronous(address(tool), toolRunId);
        } else {
            _suspend(asked, decision.agentReasoning, source, toolRunId);
        }
    }

    function _authorizeGuard(address caller) internal view override {
        _authorizeModelChange(caller);
    }

    function _deliver(uint256 ticket, string memory result) internal override {
        _receive(address(guard()), int256(ticket), result);
    }

    function _checkAwaited(uint256 ticket) internal view override {
        if (!_isAwaited(address(guard()), int256(ticket))) revert NotWaitedFor(ticket);
    }

    /// @dev One of the agent's own tools, as pinned.
    function _behind(IERCAgentTool named) internal view override returns (IERCAgentTool) {
        ToolPins.checkOne(_readConfig().pinned, address(named));
        return named;
    }

    /// @dev A guard would not be asked: of runs that waited for an agent before there was one.
    function _authorizeResume(address tool, int256 toolRunId) internal view override {
        if (address(guard()) != address(0)) revert GuardedToolIsAsynchronous(tool, toolRunId);
    }

    function _frames() internal view override returns (IFrameWatch) {
        return IFrameWatch(address(_executor));
    }

    function _pin(bytes32 commitment) private {
        _checkCommitment(commitment);
        _registry.checkCode(_modelNumber);
        emit ModelAccepted(_pinnedCommitment, commitment);
        _pinnedCommitment = commitment;
    }

    function _checkCommitment(bytes32 expected) private view {
        bytes32 actual = _registry.commitmentHash(_modelNumber);
        if (actual != expected) revert ModelCommitmentChanged(expected, actual);
    }

    function _readConfig() private view returns (RunConfig memory) {
        return abi.decode(SSTORE2.read(_config), (RunConfig));
    }
}
