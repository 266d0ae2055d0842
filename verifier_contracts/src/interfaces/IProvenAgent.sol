// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor, IFramedAgent, RunTerms} from "./IAgentExecutor.sol";
import {IERCAgent} from "./erc/IERCAgent.sol";
import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @title An agent whose decisions are proven
/// @notice `run` keeps the ERC's meaning: it runs at once, on recorded decisions, or on the claims
///   of the frame that it is called in. A `run` of one's own, on recorded decisions, is bound by no
///   terms: what it comes to is what the state says then. `runWithProofs` is.
/// @dev Who calls an agent and catches its failures has to read `IAgentExecutor` first.
interface IProvenAgent is IERCAgent, IFramedAgent {
    /// @notice The owner accepted a new commitment of the agent's model.
    event ModelAccepted(bytes32 previousCommitmentHash, bytes32 commitmentHash);

    /// @notice Input is one STRING, the prompt.
    error MalformedInput(uint256 params);

    /// @notice `params` and `abiEncodedParams` hold different prompts.
    error AmbiguousInput(bytes32 paramsHash, bytes32 abiEncodedParamsHash);

    /// @notice A tool called back into the run that is using it.
    error RunInProgress();

    /// @notice Only the executor may call `onFrame`, in a run that this agent began.
    error CallerIsNotTheExecutor(address caller);

    /// @notice The decision names a tool that this agent does not have: a fault of the model's
    ///   decoder.
    error ToolNotPinned(address tool);

    /// @notice A tool needs code; it may not be deployed on this chain.
    error ToolHasNoCode(address tool);

    /// @notice The agent is to look its model up in another registry than its executor does.
    error RegistryMismatch(address expected, address ofExecutor);

    /// @notice The same tool was given twice.
    error DuplicateTool(address tool);

    /// @notice The tool's name, description or parameters are not what the agent was made with.
    error ToolMetadataChanged(address tool, bytes32 pinned, bytes32 actual);

    /// @notice The code of one of the agent's own tools is not what the agent made.
    error ToolCodeChanged(address tool, bytes32 pinned, bytes32 actual);

    /// @notice The model is not the one that was expected, or it was updated since the owner
    ///   last accepted it; read the update and `acceptModel`.
    error ModelCommitmentChanged(bytes32 pinned, bytes32 actual);

    /// @notice The tool answers later, and the run cannot wait: it has no result handler. Or the tool
    ///   gave an id below zero.
    error ToolIsAsynchronous(address tool, int256 runId);

    /// @notice No final answer within the limit of iterations.
    error IterationLimitReached(uint256 maxIterations);

    /// @notice Runs with decisions that are proven in this transaction.
    /// @param resultHandler Called with the result, if it is not zero: `IResultSource`. With one, the run
    ///   may wait for a tool: `ISuspendingAgent`.
    /// @param claims The outputs of all decisions, those of nested agents included, in order.
    /// @param proofs The proof of each claim, as in `IAgentExecutor.runInFrame`.
    /// @param terms What each decision has to come to, and until when the run may happen: whatever
    ///   changes on chain after signing, nothing else is done.
    function runWithProofs(
        IERCAgentTool.Input calldata input,
        address resultHandler,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (int256 runId, string memory result);

    /// @notice Plans a run by eth_call: always reverts, see `IAgentExecutor.simulateInFrame`.
    function simulate(IERCAgentTool.Input calldata input, Claim[] calldata claims) external;

    /// @notice Accepts the model's present commitment in place of the pinned one.
    function acceptModel(bytes32 newCommitmentHash) external;

    /// @notice The model commitment that this agent obeys.
    function pinnedCommitment() external view returns (bytes32);

    /// @notice Who makes the decisions.
    function agentExecutor() external view returns (IAgentExecutor);

    /// @notice The model's registry number in decimal.
    function modelId() external view returns (string memory);

    /// @notice The standing instructions.
    function basePrompt() external view returns (string memory);

    /// @notice The tools and the metadata hash that each is pinned to.
    function tools()
        external
        view
        returns (IERCAgentTool[] memory pinned, bytes32[] memory metadataHashes);

    /// @notice The limit of iterations of one run.
    function maxIterations() external view returns (uint16);
}
