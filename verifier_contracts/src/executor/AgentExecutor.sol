// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {Claim, IAgentExecutor, IFramedAgent, RunTerms} from "../interfaces/IAgentExecutor.sol";
import {IPromptEncoder} from "../interfaces/IEncoder.sol";
import {ExecutableModel, IModelRegistry} from "../interfaces/IModelRegistry.sol";
import {AgentIterationResult, IERCAgentExecutor} from "../interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Instances} from "../libraries/Instances.sol";
import {ModelIds} from "../libraries/ModelIds.sol";
import {AgreedCalls} from "./AgreedCalls.sol";
import {AgreedFacts} from "./AgreedFacts.sol";
import {ContextCalls} from "./ContextCalls.sol";
import {FrameProofs} from "./FrameProofs.sol";
import {FrameMode, KeptPrompt, UsedClaim} from "./FrameState.sol";

/// @title The ERC's executor, with a proof behind every decision
/// @notice Derives the model's input from the context, takes the output from a claim of the open frame
///   or from the record, and has the model's decoder make the decision.
contract AgentExecutor is IAgentExecutor, FrameProofs {
    bytes32 private constant RECORD_DOMAIN = keccak256("zkagent-recorded-output-v1");

    /// @dev Key -> contract whose code is the output.
    mapping(bytes32 key => address) private _recorded;

    constructor(IModelRegistry registry_) FrameProofs(registry_) {}

    /// @inheritdoc IAgentExecutor
    /// @dev What the opener returns is passed on as it is.
    function runInFrame(
        Claim[] calldata claims,
        bytes[] calldata proofs,
        RunTerms calldata terms,
        bytes calldata request
    ) external returns (string memory answer, string[] memory executionSteps) {
        if (proofs.length != claims.length) {
            revert ProofCountMismatch(claims.length, proofs.length);
        }
        AgreedCalls.checkTerms(terms, claims.length);
        AgreedFacts.check(terms.facts);
        _beginFrame(FrameMode.PROVEN, claims);
        _agreeTo(terms.calls);
        (uint256 start, uint256 size) = _runOpener(request);
        _checkAllUsed();
        _verifyClaims(claims, proofs);
        _endFrame();
        assembly ("memory-safe") {
            return(start, size)
        }
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
        string[] calldata,
        string calldata prompt
    ) external returns (AgentIterationResult memory) {
        if (_isPoisoned()) return _emptyAnswer();
        uint256 id = ModelIds.parse(modelId);
        ExecutableModel memory model = _registry.bindingOf(id);
        uint256 context = ContextCalls.open(msg.sender);
        uint256 frame = _frameWord();
        (bytes memory parse, bytes memory output) = _modeIn(frame) == FrameMode.NONE
            ? _recordedOutput(context, id, model)
            : _claimedOutput(frame, context, id, model, prompt);
        if (output.length == 0) return _emptyAnswer();
        (uint256 start, uint256 size) = ContextCalls.decode(context, model.decoder, parse, output);
        if (_modeIn(frame) == FrameMode.PROVEN) {
            if (!_isAgreed(_usedIn(frame), model.decoder, start, size)) return _emptyAnswer();
        }
        assembly ("memory-safe") {
            return(start, size)
        }
    }

    /// @inheritdoc IAgentExecutor
    function recordDecision(
        uint256 modelId,
        bytes calldata features,
        bytes calldata output,
        bytes calldata proof
    ) external {
        ExecutableModel memory model = _registry.bindingOf(modelId);
        _checkFeatures(model, features.length);
        _checkOutput(0, model, output.length);
        _checkOne(model.verifier, proof, features, output);
        _record(modelId, model, features, output);
    }

    /// @inheritdoc IAgentExecutor
    function recordDecisions(
        uint256 modelId,
        bytes[] calldata features,
        bytes[] calldata outputs,
        bytes calldata proof
    ) external {
        ExecutableModel memory model = _registry.bindingOf(modelId);
        if (features.length != outputs.length || features.length == 0) {
            revert DecisionCountMismatch(features.length, outputs.length);
        }
        for (uint256 i = 0; i < features.length; ++i) {
            _checkFeatures(model, features[i].length);
            _checkOutput(i, model, outputs[i].length);
            _record(modelId, model, features[i], outputs[i]);
        }
        (address verifier, uint256 size) = (model.verifier, 1);
        if (features.length > 1) {
            (verifier, size,) = _registry.batchVerifierFor(modelId, features.length);
        }
        _checkRows(verifier, size, proof, features, outputs);
    }

    /// @inheritdoc IAgentExecutor
    function recordedOutput(uint256 modelId, bytes calldata features)
        external
        view
        returns (bytes memory)
    {
        address pointer = _recorded[_recordKey(_registry.bindingOf(modelId), features)];
        return pointer == address(0) ? bytes("") : SSTORE2.read(pointer);
    }

    /// @inheritdoc IAgentExecutor
    function registry() external view returns (IModelRegistry) {
        return _registry;
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
            KeptPrompt memory kept = _keptPrompt(_promptKey(model, prompt));
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
            _keepPrompt(_promptKey(model, prompt), KeptPrompt(readings, index, parse));
        }
    }

    function _readings(address encoder) private view returns (bytes32) {
        return IPromptEncoder(encoder).readings(msg.sender);
    }

    /// @dev The commitment names the encoder, whose code and components the registry has just compared.
    function _promptKey(ExecutableModel memory model, string calldata prompt)
        private
        view
        returns (bytes32)
    {
        return keccak256(abi.encode(model.commitmentHash, msg.sender, keccak256(bytes(prompt))));
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
    function _isAgreed(uint256 index, address decoder, uint256 start, uint256 size)
        private
        returns (bool)
    {
        (address tool, bytes memory params) = ContextCalls.callIn(decoder, start, size);
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

    function _outputOnRecord(uint256 modelId, ExecutableModel memory model, bytes memory features)
        private
        view
        returns (bytes memory)
    {
        address pointer = _recorded[_recordKey(model, features)];
        if (pointer == address(0)) revert DecisionUnavailable(modelId, msg.sender, features);
        return SSTORE2.read(pointer);
    }

    function _record(
        uint256 modelId,
        ExecutableModel memory model,
        bytes calldata features,
        bytes calldata output
    ) private {
        _recorded[_recordKey(model, features)] = SSTORE2.write(output);
        emit DecisionRecorded(modelId, keccak256(features), output);
    }

    /// @dev By commitment, not by circuit alone: whoever registers a model states its circuit hash.
    function _recordKey(ExecutableModel memory model, bytes memory features)
        private
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(RECORD_DOMAIN, model.commitmentHash, keccak256(features)));
    }

    function _checkFeatures(ExecutableModel memory model, uint256 length) private pure {
        uint256 expected = model.inputs * Instances.FEATURE_BYTES;
        if (length != expected) revert MalformedFeatures(expected, length);
    }

    function _checkOutput(uint256 index, ExecutableModel memory model, uint256 length)
        private
        pure
    {
        uint256 expected = model.outputs * Instances.OUTPUT_BYTES;
        if (length != expected) revert MalformedOutput(index, expected, length);
    }

    function _emptyAnswer() private pure returns (AgentIterationResult memory result) {
        result.isFinalAnswer = true;
    }
}
