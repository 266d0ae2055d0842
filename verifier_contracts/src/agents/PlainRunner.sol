// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor, IFramedAgent, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {IPlainRunner} from "../interfaces/IPlainRunner.sol";
import {IResultSource} from "../interfaces/IResultSource.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ResultDelivery} from "./ResultDelivery.sol";

/// @title Gives an agent that knows only the ERC runs with proofs
/// @dev Bound for good to one executor, one agent, one owner.
contract PlainRunner is IPlainRunner, IResultSource {
    IAgentExecutor private immutable _executor;
    IERCAgentTool private immutable _agent;
    address private immutable _owner;
    bool private immutable _needsProofs;

    modifier onlyOwner() {
        if (msg.sender != _owner) revert CallerIsNotTheOwner(msg.sender, _owner);
        _;
    }

    constructor(IAgentExecutor executor_, IERCAgentTool agent_, address owner_, bool needsProofs_) {
        if (address(agent_).code.length == 0) revert AgentHasNoCode(address(agent_));
        _executor = executor_;
        _agent = agent_;
        _owner = owner_;
        _needsProofs = needsProofs_;
    }

    /// @inheritdoc IPlainRunner
    function runWithProofs(
        IERCAgentTool.Input calldata input,
        address resultHandler,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external onlyOwner returns (int256 runId, string memory result) {
        ResultDelivery.check(resultHandler);
        bytes memory request = abi.encode(input);
        (result,) = _needsProofs
            ? _executor.runInStrictFrame(claims, proofs, terms, request)
            : _executor.runInFrame(claims, proofs, terms, request);
        ResultDelivery.deliver(resultHandler, -1, result);
        runId = -1;
    }

    /// @inheritdoc IPlainRunner
    function simulate(IERCAgentTool.Input calldata input, Claim[] calldata claims)
        external
        onlyOwner
    {
        _executor.simulateInFrame(claims, abi.encode(input));
    }

    /// @inheritdoc IFramedAgent
    /// @dev The executor only calls back who called it, so this is a run that the owner began. Its steps
    ///   are in the agent's own event.
    function onFrame(bytes calldata request)
        external
        returns (string memory answer, string[] memory executionSteps)
    {
        if (msg.sender != address(_executor)) revert CallerIsNotTheExecutor(msg.sender);
        IERCAgentTool.Input memory input = abi.decode(request, (IERCAgentTool.Input));
        int256 runId;
        (runId, answer) = _agent.run(input, address(0));
        if (runId != -1) revert AgentIsAsynchronous(address(_agent), runId);
        executionSteps = new string[](0);
    }

    /// @inheritdoc IPlainRunner
    function owner() external view returns (address) {
        return _owner;
    }

    /// @inheritdoc IPlainRunner
    function agent() external view returns (IERCAgentTool) {
        return _agent;
    }

    /// @inheritdoc IPlainRunner
    function agentExecutor() external view returns (IAgentExecutor) {
        return _executor;
    }

    /// @inheritdoc IPlainRunner
    function needsProofs() external view returns (bool) {
        return _needsProofs;
    }
}
