// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC165, IERC165} from "@openzeppelin/contracts/utils/introspection/ERC165.sol";

import {Claim, IAgentExecutor, IFramedAgent, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {IPromptEncoder} from "../interfaces/IEncoder.sol";
import {IFrameWatch} from "../interfaces/IFrameWatch.sol";
import {ExecutableModel, IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {AgentIterationResult, IERCAgentExecutor} from "../interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Instances} from "../libraries/Instances.sol";
import {ModelIds} from "../libraries/ModelIds.sol";
import {AgreedCalls} from "./AgreedCalls.sol";
import {AgreedFacts} from "./AgreedFacts.sol";
import {ContextCalls} from "./ContextCalls.sol";
import {FrameProofs} from "./FrameProofs.sol";
import {FrameMode, UsedClaim} from "./FrameState.sol";
import {KeptPrompt, KeptPrompts} from "./KeptPrompts.sol";
import {RecordedOutputs} from "./RecordedOutputs.sol";

/// @title The ERC's executor, with a proof behind every decision
/// @notice Derives the model's input from the context, takes the output from a claim of the open frame
///   or from the record, and has the model's decoder make the decision.
contract AgentExecutor is RecordedOutputs, KeptPrompts, ERC165, IFrameWatch {
    constructor(IModelRegistry registry_) FrameProofs(registry_) {}

    /// @inheritdoc IAgentExecutor
    /// @dev What the opener returns is passed on as it is.
    function runInFrame(
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms,
        bytes calldata request
    ) external returns (string memory answer, string[] memory executionSteps) {
        (answer, executionSteps); // named for the ABI: the call ends below
        _openFrame(claims, proofs, terms);
        _runAndVerify(claims, proofs, request);
    }

    /// @inheritdoc IAgentExecutor
    function runInStrictFrame(
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms,
        bytes calldata request
    ) external returns (string memory answer, string[] memory executionSteps) {
        (answer, executionSteps);
        _openFrame(claims, proofs, terms);
        _keepProofs(proofs);
        _runAndVerify(claims, proofs, request);
    }

    /// @inheritdoc IAgentExecutor
    /// @dev A contract on the way may reject the empty answer of a poisoned frame; its failure then
    ///   undoes the poison and hides what is missing. The second pass reverts at the missing decision.
    function simulateInFrame(Claim[] calldata claims, bytes calldata request) external {
        _beginFrame(FrameMode.SIMULATED, claims);
        string memory answer;
        string[] memory executionSteps;
        try IFramedAgent(msg.sender).onFrame(request) returns (
            string memory answer_, string[] memory executionSteps_
        ) {
            (answer, executionSteps) = (answer_, executionSteps_);
        } catch {
            _poisonReverts();
            (answer, executionSteps) = IFramedAgent(msg.sender).onFrame(request);
        }
        _checkAllUsed();
        revert SimulationResult(answer, executionSteps);
    }

    /// @inheritdoc IERCAgentExecutor
    /// @dev The decoder's answer is passed on as it is.
    function runNextIteration(
        string calldata modelId,
        string calldata,
        IERCAgentTool[] calldata,
        string[] calldata agentReasoning,
        string calldata prompt
    ) external returns (AgentIterationResult memory) {
        if (_isPoisoned()) return _emptyAnswer();
        uint256 id = ModelIds.resolve(modelId, _registry);
        ExecutableModel memory model = _registry.bindingOf(id);
        uint256 context = ContextCalls.open(msg.sender);
        uint256 frame = _frameWord();
        (bytes memory parse, bytes memory output) = _modeIn(frame) == FrameMode.NONE
            ? _recordedOutput(context, id, model)
            : _claimedOutput(frame, context, id, model, prompt);
        if (output.length == 0) return _emptyAnswer();
        (uint256 start, uint256 size) = ContextCalls.decode(context, model.decoder, parse, output);
        if (_modeIn(frame) != FrameMode.NONE) {
            (address tool, bytes memory params) = ContextCalls.callIn(model.decoder, start, size);
            if (!_isAgreed(frame, tool, params) || !_countRun(agentReasoning, tool == address(0))) {
                return _emptyAnswer();
            }
        }
        assembly ("memory-safe") {
            return(start, size)
        }
    }

    /// @inheritdoc IFrameWatch
    function frameSoFar() external view returns (uint256 claimsUsed, bool poisoned) {
        return (_claimsUsed(), _isPoisoned());
    }

    /// @inheritdoc IAgentExecutor
    function isInFrame() external view returns (bool) {
        return _frameMode() != FrameMode.NONE;
    }

    /// @inheritdoc IAgentExecutor
    function limits() external pure returns (uint256 decisions, uint256 depth) {
        return (MOST_DECISIONS, MOST_DEPTH);
    }

    /// @inheritdoc IAgentExecutor
    function registry() external view returns (IModelRegistry) {
        return _registry;
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IERCAgentExecutor).interfaceId
            || interfaceId == type(IAgentExecutor).interfaceId
            || super.supportsInterface(interfaceId);
    }

    function _openFrame(Claim[] calldata claims, bytes[] calldata proofs, RunTerms calldata terms)
        private
    {
        if (proofs.length != claims.length) {
            revert ProofCountMismatch(claims.length, proofs.length);
        }
        AgreedCalls.checkTerms(terms, claims.length);
        AgreedFacts.check(terms.facts);
        _beginFrame(FrameMode.PROVEN, claims);
        _agreeTo(terms.calls);
    }

    /// @dev Ends the call with what the opener returns.
    function _runAndVerify(Claim[] calldata claims, bytes[] calldata proofs, bytes calldata request)
        private
    {
        (uint256 start, uint256 size) = _runOpener(request);
        _checkAllUsed();
        _verifyClaims(claims, proofs);
        _endFrame();
        assembly ("memory-safe") {
            return(start, size)
        }
    }

    /// @dev Keeps count of runs that are under way, one in the other. False if that poisons the frame.
    function _countRun(string[] calldata agentReasoning, bool ends) private returns (bool) {
        bool begins = agentReasoning.length == 0 || bytes(agentReasoning[0]).length == 0;
        if (begins == ends) {
            if (!begins || _depth() < MOST_DEPTH) return true;
        } else if (ends) {
            _leaveRun();
            return true;
        } else if (_enterRun() <= MOST_DEPTH) {
            return true;
        }
        _poison(abi.encodeWithSelector(RunTooDeep.selector, MOST_DEPTH, msg.sender));
        return false;
    }

    /// @dev Calls the frame's opener back. What it returns lies in memory, neither decoded nor encoded
    ///   again. An account without code makes no decision and gets nothing back.
    function _runOpener(bytes calldata request) private returns (uint256 start, uint256 size) {
        bytes memory call_ = abi.encodeCall(IFramedAgent.onFrame, (request));
        assembly ("memory-safe") {
            let success := call(gas(), caller(), 0, add(call_, 32), mload(call_), 0, 0)
            start := mload(0x40)
            size := returndatasize()
            returndatacopy(start, 0, size)
            if iszero(success) { revert(start, size) }
            mstore(0x40, and(add(add(start, size), 31), not(31)))
        }
    }

    function _checkAllUsed() private view {
        _revertIfPoisoned();
        (uint256 used, uint256 given) = (_claimsUsed(), _claimsGiven());
        if (used != given) revert ClaimsLeftOver(used, given);
    }

    function _recordedOutput(uint256 context, uint256 modelId, ExecutableModel memory model)
        private
        view
        returns (bytes memory parse, bytes memory output)
    {
        bytes memory features;
        (features, parse,) = ContextCalls.encode(context, model.encoder);
        _checkFeatures(model, features.length);
        output = _outputOnRecord(modelId, model, features);
    }

    /// @dev What is kept of the prompt is taken in place of what the encoder would say again.
    /// @return parse The encoder's.
    /// @return output The next claim's; empty when that poisons the frame.
    function _claimedOutput(
        uint256 frame,
        uint256 context,
        uint256 modelId,
        ExecutableModel memory model,
        string calldata prompt
    ) private returns (bytes memory parse, bytes memory output) {
        if (_keepsIn(frame)) {
            KeptPrompt memory kept = _keptPrompt(_promptKey(context, model, prompt));
            if (kept.readings != 0 && kept.readings == _readings(model.encoder)) {
                bytes32 hash = _featuresHashOf(kept.claim);
                return (kept.parse, _takeClaim(frame, modelId, model, hash, "", kept.claim));
            }
        }
        bytes memory features;
        bytes32 readings;
        (features, parse, readings) = ContextCalls.encode(context, model.encoder);
        _checkFeatures(model, features.length);
        uint256 index = _usedIn(frame);
        output = _takeClaim(frame, modelId, model, keccak256(features), features, index);
        if (readings != 0 && output.length != 0) {
            _keepPrompt(_promptKey(context, model, prompt), KeptPrompt(readings, index, parse));
        }
    }

    function _readings(address encoder) private view returns (bytes32) {
        return IPromptEncoder(encoder).readings(msg.sender);
    }

    /// @dev The commitment names the encoder, whose code and components the registry has just compared.
    function _promptKey(uint256 context, ExecutableModel memory model, string calldata prompt)
        private
        view
        returns (bytes32)
    {
        bytes32 tools = ContextCalls.toolsIn(context);
        return
            keccak256(abi.encode(model.commitmentHash, msg.sender, keccak256(bytes(prompt)), tools));
    }

    /// @dev The next claim's output; empty when that poisons the frame. A used claim is bound to the
    ///   verifier that the registry names now: an update inside the frame cannot swap it.
    /// @param features Not read where they are those of `like`, a claim before the next one.
    function _takeClaim(
        uint256 frame,
        uint256 modelId,
        ExecutableModel memory model,
        bytes32 featuresHash,
        bytes memory features,
        uint256 like
    ) private returns (bytes memory output) {
        uint256 index = _usedIn(frame);
        if (index == _givenIn(frame)) {
            if (index == MOST_DECISIONS) {
                _poison(abi.encodeWithSelector(TooManyDecisions.selector, index, index + 1));
                return "";
            }
            if (like != index) (, features) = _provableAt(like);
            _poison(_missing(index, modelId, features));
            return "";
        }
        Claim memory claim = _claimAt(index);
        bytes memory problem = _mismatch(index, claim, modelId, model, featuresHash);
        if (problem.length != 0) {
            _poison(problem);
            return "";
        }
        UsedClaim memory used =
            UsedClaim(model.verifier, msg.sender, model.commitmentHash, features);
        if (like == index) _markUsed(index, used);
        else _markUsedLike(index, like, used);
        return claim.output;
    }

    /// @dev Whether the decision just made is what the sender agreed to; if not, that poisons the frame.
    ///   Nobody agrees to anything in a simulation.
    /// @param frame As it was before the decision.
    function _isAgreed(uint256 frame, address tool, bytes memory params) private returns (bool) {
        if (_modeIn(frame) != FrameMode.PROVEN) return true;
        uint256 index = _usedIn(frame);
        if (AgreedCalls.covers(_agreedAt(index), msg.sender, tool, params)) return true;
        _poison(abi.encodeWithSelector(CallNotAgreed.selector, index, msg.sender, tool, params));
        return false;
    }

    /// @dev Revert data that says why the claim does not back this decision; empty if it does.
    function _mismatch(
        uint256 index,
        Claim memory claim,
        uint256 modelId,
        ExecutableModel memory model,
        bytes32 featuresHash
    ) private view returns (bytes memory) {
        if (claim.modelId != modelId) {
            return abi.encodeWithSelector(
                ClaimForOtherModel.selector, index, modelId, claim.modelId
            );
        }
        if (claim.featuresHash != featuresHash) {
            return abi.encodeWithSelector(
                ClaimForOtherFeatures.selector, index, msg.sender, featuresHash, claim.featuresHash
            );
        }
        uint256 expected = model.outputs * Instances.OUTPUT_BYTES;
        if (claim.output.length == expected) return "";
        return
            abi.encodeWithSelector(MalformedOutput.selector, index, expected, claim.output.length);
    }

    /// @dev Only called by way of `runNextIteration`, whose arguments are the context.
    function _missing(uint256 index, uint256 modelId, bytes memory features)
        private
        view
        returns (bytes memory)
    {
        if (_frameMode() == FrameMode.PROVEN) {
            return abi.encodeWithSelector(ClaimMissing.selector, index, msg.sender, modelId);
        }
        (
            ,
            string memory basePrompt,
            address[] memory tools,
            string[] memory reasoning,
            string memory prompt
        ) = abi.decode(msg.data[4:], (string, string, address[], string[], string));
        bytes memory context = abi.encode(basePrompt, tools, reasoning, prompt);
        return abi.encodeWithSelector(
            MissingDecision.selector, index, msg.sender, modelId, features, context
        );
    }

    function _emptyAnswer() private pure returns (AgentIterationResult memory result) {
        result.isFinalAnswer = true;
    }
}
