// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";

import {AgentInput} from "../agents/AgentInput.sol";
import {Claim, IAgentExecutor, IFramedAgent, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {IRequestDesk} from "../interfaces/IRequestDesk.sol";
import {IStrictAgent} from "../interfaces/IStrictAgent.sol";
import {ISuspendingAgent} from "../interfaces/ISuspendingAgent.sol";
import {IERCAgent} from "../interfaces/erc/IERCAgent.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";
import {Balances} from "./Balances.sol";

/// @title A desk's runs of its agent, each in a frame that the desk opens
/// @dev The desk is what a run that waits has for a handler, and such a run comes to its answer only in
///   a frame of the desk's, where the answer is what the call returns.
abstract contract DeskRuns is Balances {
    IERCAgent internal immutable _agent;
    IAgentExecutor internal immutable _executor;
    bool private immutable _needsProofs;
    bool private immutable _suspends;

    /// @dev The agent's run that a request waited for last; of most requests none.
    mapping(uint256 id => int256 runId) private _runs;
    /// @dev The run that waits at the end of the frame that it is in; zero if it came to its answer.
    int256 private transient _waits;

    constructor(IERCAgent agent_, IAgentExecutor executor_, bool strict_) {
        (_agent, _executor) = (agent_, executor_);
        (, bytes32 needs) = _word(agent_, IStrictAgent.needsProofs.selector);
        _needsProofs = strict_ || uint256(needs) == 1;
        _suspends =
            ERC165Checker.supportsInterface(address(agent_), type(ISuspendingAgent).interfaceId);
    }

    /// @inheritdoc IFramedAgent
    /// @dev The executor only calls back who called it, so this is what began below.
    function onFrame(bytes calldata request)
        external
        returns (string memory answer, string[] memory executionSteps)
    {
        if (msg.sender != address(_executor)) {
            revert IProvenAgent.CallerIsNotTheExecutor(msg.sender);
        }
        (int256 begun, string memory prompt) = abi.decode(request, (int256, string));
        int256 runId;
        if (begun != 0) {
            (runId, answer) = ISuspendingAgent(address(_agent)).resume(begun);
        } else {
            address handler = _suspends ? address(this) : address(0);
            (runId, answer) = _agent.run(AgentInput.encode(prompt), handler);
        }
        if (runId != -1) {
            if (!_suspends || runId < 1) revert AgentIsAsynchronous(runId);
            (_waits, answer) = (runId, "");
        }
        executionSteps = new string[](0);
    }

    /// @inheritdoc IERCAgentClient
    function handleAgentResult(int256 runId, string calldata) external view {
        revert ResultNotProven(msg.sender, runId);
    }

    /// @inheritdoc IRequestDesk
    function needsProofs() external view returns (bool) {
        return _needsProofs;
    }

    /// @inheritdoc IRequestDesk
    function runOf(uint256 id) public view returns (int256 runId) {
        return _runs[id];
    }

    /// @dev What `onFrame` is asked for, of a run that begins.
    function _beginning(string memory prompt) internal pure returns (bytes memory) {
        return abi.encode(int256(0), prompt);
    }

    /// @dev The same of the run that the request waits for.
    function _goingOn(uint256 id) internal view returns (bytes memory) {
        return abi.encode(_runs[id], "");
    }

    /// @return result The answer.
    /// @return waits Whether there is none yet: the request's run is kept, and waits.
    function _runInFrame(
        uint256 id,
        bytes memory asked,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) internal returns (string memory result, bool waits) {
        (result,) = _needsProofs
            ? _executor.runInStrictFrame(claims, proofs, terms, asked)
            : _executor.runInFrame(claims, proofs, terms, asked);
        int256 runId = _waits;
        waits = runId != 0;
        if (waits) (_waits, _runs[id]) = (0, runId);
    }

    function _word(IERCAgent agent_, bytes4 selector)
        internal
        view
        returns (bool known, bytes32 word)
    {
        (bool success, bytes memory data) =
            address(agent_).staticcall(abi.encodeWithSelector(selector));
        known = success && data.length == 32;
        if (known) word = abi.decode(data, (bytes32));
    }
}
