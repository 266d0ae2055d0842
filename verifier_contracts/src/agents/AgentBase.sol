// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {Claim, IAgentExecutor, IFramedAgent, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {EscapedText} from "../libraries/EscapedText.sol";
import {ModelIds} from "../libraries/ModelIds.sol";
import {ToolMetadata} from "../tools/ToolMetadata.sol";
import {AgentInput} from "./AgentInput.sol";
import {AgentTool, PinnedTools, ToolPins} from "./ToolPins.sol";

/// @title The ERC's agent, with a proof behind every decision
/// @notice Derive from it and say whom the agent serves. It obeys one model commitment and only uses the
///   tools that it was made with. It never catches a failure: what reverts below reverts the run, with
///   the revert data unchanged.
abstract contract AgentBase is ToolMetadata, IProvenAgent {
    /// @dev What a run reads, kept in one contract's code.
    struct RunConfig {
        string modelId;
        string basePrompt;
        PinnedTools pinned;
    }

    IAgentExecutor private immutable _executor;
    IModelRegistry private immutable _registry;
    uint256 private immutable _modelNumber;
    address private immutable _config;
    uint16 private immutable _maxIterations;

    bytes32 private _pinnedCommitment;
    /// @dev From 1 on: its first write is the deployment's to pay, not the first run's.
    int256 private _nextRunId = 1;
    bool private transient _running;

    modifier onlyOneRun() {
        if (_running) revert RunInProgress();
        _running = true;
        _;
        _running = false;
    }

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
    ) ToolMetadata(name_, description_, AgentInput.describe(inputDescription_)) {
        _executor = executor_;
        _registry = executor_.registry();
        _modelNumber = ModelIds.parse(modelId_);
        _maxIterations = maxIterations_;
        _config = SSTORE2.write(abi.encode(RunConfig(modelId_, basePrompt_, ToolPins.pin(tools_))));
        _pin(commitment_);
    }

    /// @inheritdoc IERCAgentTool
    /// @dev The result handler is not called: the result is returned at once.
    function run(Input calldata input, address)
        external
        onlyOneRun
        returns (int256 runId, string memory result)
    {
        _authorize(msg.sender);
        (result,) = _run(msg.sender, AgentInput.promptOf(input));
        return (-1, result);
    }

    /// @inheritdoc IProvenAgent
    function runWithProofs(
        Input calldata input,
        address,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external onlyOneRun returns (int256 runId, string memory result) {
        _authorize(msg.sender);
        bytes memory request = _request(input);
        (result,) = _executor.runInFrame(claims, proofs, terms, request);
        runId = -1;
    }

    /// @inheritdoc IProvenAgent
    function simulate(Input calldata input, Claim[] calldata claims) external onlyOneRun {
        _authorize(msg.sender);
        _executor.simulateInFrame(claims, _request(input));
    }

    /// @inheritdoc IFramedAgent
    /// @dev The executor only calls back who called it, so this is a run that began above.
    function onFrame(bytes calldata request)
        external
        returns (string memory answer, string[] memory executionSteps)
    {
        if (msg.sender != address(_executor)) revert CallerIsNotTheExecutor(msg.sender);
        (address requester, string memory prompt) = abi.decode(request, (address, string));
        return _run(requester, prompt);
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
    function agentExecutor() external view returns (IAgentExecutor) {
        return _executor;
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

    /// @dev Reverts unless `requester` may have the agent run: an owner, a parent agent.
    function _authorize(address requester) internal view virtual;

    /// @dev Reverts unless `caller` may have the agent obey another model commitment.
    function _authorizeModelChange(address caller) internal view virtual;

    function _request(Input calldata input) private view returns (bytes memory) {
        return abi.encode(msg.sender, AgentInput.promptOf(input));
    }

    function _run(address requester, string memory prompt)
        private
        returns (string memory answer, string[] memory steps)
    {
        RunConfig memory config = _readConfig();
        ToolPins.checkAll(config.pinned);
        int256 runId = _nextRunId++;
        steps = _emptyList(_maxIterations);
        for (uint256 i = 0; i < _maxIterations; ++i) {
            AgentIterationResult memory decision = _decide(config, steps, prompt);
            if (decision.isFinalAnswer) {
                emit AgentRunResult(runId, requester, steps, decision.finalAnswer);
                return (decision.finalAnswer, steps);
            }
            _append(steps, _act(config, decision));
        }
        revert IterationLimitReached(_maxIterations);
    }

    function _decide(RunConfig memory config, string[] memory steps, string memory prompt)
        private
        returns (AgentIterationResult memory)
    {
        _checkCommitment(_pinnedCommitment);
        return _executor.runNextIteration(
            config.modelId, config.basePrompt, config.pinned.tools, steps, prompt
        );
    }

    /// @dev Takes the decided action; what comes back cannot end its line of the reasoning.
    function _act(RunConfig memory config, AgentIterationResult memory decision)
        private
        returns (string memory entry)
    {
        IERCAgentTool tool = decision.tool;
        ToolPins.checkOne(config.pinned, address(tool));
        (int256 runId, string memory result) = tool.run(decision.toolInput, address(0));
        if (runId != -1) revert ToolIsAsynchronous(address(tool), runId);
        return
            string.concat(
                decision.agentReasoning, "Observation: ", EscapedText.escape(result), "\n"
            );
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

    /// @dev An empty list with room to `_append` that many entries: the reasoning that the executor
    ///   sees has an entry per iteration so far and no blanks.
    function _emptyList(uint256 room) private pure returns (string[] memory list) {
        list = new string[](room);
        assembly ("memory-safe") {
            mstore(list, 0)
        }
    }

    function _append(string[] memory list, string memory entry) private pure {
        assembly ("memory-safe") {
            let length := mload(list)
            mstore(add(list, shl(5, add(length, 1))), entry)
            mstore(list, add(length, 1))
        }
    }
}
