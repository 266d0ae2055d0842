// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentInput} from "../agents/AgentInput.sol";
import {PromptText} from "../encoding/PromptText.sol";
import {Tokenizer} from "../encoding/Tokenizer.sol";
import {Claim, IAgentExecutor, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ModelIds} from "../libraries/ModelIds.sol";
import {LabelAnswer} from "./LabelAnswer.sol";

/// @title A contract that acts on proven labels: derive from it, and say in `_labelled` what one is for
/// @notice Whoever sends a text with a proof has the contract told the text's label: `runWithProofs` has
///   the agent's own signature. The sender chooses the text alone: features are derived from it, and the
///   label is read out of the proven scores, on chain.
abstract contract LabelClient {
    IProvenAgent private immutable _agent;
    bytes32 private immutable _commitment;

    /// @notice The agent obeys another classifier than the one that was meant: its owner accepted an update,
    ///   or it is another agent.
    error OtherClassifier(bytes32 expected, bytes32 received);

    /// @param agent_ A `LabelAgent`.
    /// @param commitment_ The classifier that it is to obey: its commitment hash in the registry.
    constructor(IProvenAgent agent_, bytes32 commitment_) {
        _agent = agent_;
        _commitment = commitment_;
        _checkClassifier();
    }

    /// @notice Has the agent say the label of a text, and acts on it.
    /// @param input One STRING, the text.
    /// @return runId Always -1.
    /// @return result The agent's answer.
    function runWithProofs(
        IERCAgentTool.Input calldata input,
        address resultHandler,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) external returns (int256 runId, string memory result) {
        _checkClassifier();
        (runId, result) = _agent.runWithProofs(input, resultHandler, claims, proofs, terms);
        (string memory label, uint256 margin) = LabelAnswer.read(result);
        _labelled(msg.sender, AgentInput.promptOf(input), label, margin);
    }

    /// @notice Plans a run by eth_call: always reverts, as the agent's own.
    function simulate(IERCAgentTool.Input calldata input, Claim[] calldata claims) external {
        _checkClassifier();
        _agent.simulate(input, claims);
    }

    /// @notice Who says labels.
    function agent() external view returns (IProvenAgent) {
        return _agent;
    }

    /// @notice Who makes the agent's decisions.
    function agentExecutor() external view returns (IAgentExecutor) {
        return _agent.agentExecutor();
    }

    /// @notice Whose contract it is. By this function and `agent` clients know a contract that passes runs
    ///   on to an agent.
    function owner() external view virtual returns (address);

    /// @notice Which classifier says them.
    function classifier() external view returns (bytes32 commitment) {
        return _commitment;
    }

    /// @notice Why the classifier reads no such text, as its error's selector: too long, too many words, not
    ///   ASCII, no word, or an address with a wrong checksum. Zero if it does read it.
    /// @dev Any other failure reverts, lack of gas too: whoever calls has no say in the answer.
    function refusal(string memory text) public view returns (bytes4 reason) {
        _checkClassifier();
        IModelRegistry registry = _agent.agentExecutor().registry();
        uint256 number = ModelIds.parse(_agent.modelId());
        bytes32 actual = registry.commitmentHash(number);
        if (actual != _commitment) revert OtherClassifier(_commitment, actual);
        Context memory context;
        (context.agent, context.prompt) = (address(_agent), text);
        try IEncoder(registry.bindingOf(number).encoder).encode(context) returns (
            bytes memory, bytes memory
        ) {
            return 0;
        } catch (bytes memory failure) {
            reason = bytes4(failure);
            if (failure.length >= 4 && _isRefusal(reason)) return reason;
            assembly ("memory-safe") {
                revert(add(failure, 32), mload(failure))
            }
        }
    }

    /// @dev The label of `text` by a frame of its own, all of whose proofs are verified. The claims, proofs
    ///   and terms are those of a run with this text as its prompt.
    function _labelOf(
        string memory text,
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms
    ) internal returns (string memory label, uint256 margin) {
        _checkClassifier();
        (, string memory answer) =
            _agent.runWithProofs(AgentInput.encode(text), address(0), claims, proofs, terms);
        return LabelAnswer.read(answer);
    }

    /// @dev What the label of `text` is for. Its proof is verified by then.
    /// @param sender Who sent it.
    /// @param margin By how much the label's score is above the next best one.
    function _labelled(address sender, string memory text, string memory label, uint256 margin)
        internal
        virtual;

    function _checkClassifier() private view {
        bytes32 obeyed = _agent.pinnedCommitment();
        if (obeyed != _commitment) revert OtherClassifier(_commitment, obeyed);
    }

    function _isRefusal(bytes4 reason) private pure returns (bool) {
        return reason == PromptText.PromptTooLong.selector
            || reason == PromptText.PromptNotAscii.selector
            || reason == Tokenizer.EmptyPrompt.selector
            || reason == Tokenizer.TooManyTokens.selector
            || reason == Tokenizer.AddressChecksum.selector;
    }
}
