// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {ExecutableModel} from "../interfaces/IModelRegistry.sol";
import {Instances} from "../libraries/Instances.sol";
import {FrameProofs} from "./FrameProofs.sol";

/// @title Outputs that were proven before a run needs them
abstract contract RecordedOutputs is FrameProofs {
    bytes32 private constant RECORD_DOMAIN = keccak256("zkagent-recorded-output-v1");

    /// @dev Key -> contract whose code is the output.
    mapping(bytes32 key => address) private _recorded;

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

    /// @dev Reverts if there is none.
    function _outputOnRecord(uint256 modelId, ExecutableModel memory model, bytes memory features)
        internal
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

    function _checkFeatures(ExecutableModel memory model, uint256 length) internal pure {
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
}
