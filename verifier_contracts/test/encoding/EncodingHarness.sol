// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IDecoder} from "../../src/interfaces/IDecoder.sol";
import {Context, IEncoder} from "../../src/interfaces/IEncoder.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";

/// @notice Encodes and decodes many contexts in one call, and tells what each of them came to.
contract EncodingHarness {
    struct Question {
        Context context;
        bytes output;
    }

    struct Outcome {
        bytes features;
        bytes refusal;
        AgentIterationResult decision;
    }

    function ask(IEncoder encoder, IDecoder decoder, Question[] calldata questions)
        external
        view
        returns (Outcome[] memory outcomes)
    {
        outcomes = new Outcome[](questions.length);
        for (uint256 i = 0; i < questions.length; ++i) {
            outcomes[i] = _ask(encoder, decoder, questions[i]);
        }
    }

    /// @notice Gas of the two calls as an executor would make them, for the first decision of a
    ///   transaction and for a later one. For eth_call, where nothing has been accessed yet but the
    ///   agent, which is the executor's caller.
    function measure(address encoder, address decoder, Question calldata question)
        external
        view
        returns (uint256[2] memory first, uint256[2] memory later)
    {
        require(question.context.agent.code.length != 0);
        first = _measure(encoder, decoder, question);
        later = _measure(encoder, decoder, question);
    }

    function _measure(address encoder, address decoder, Question calldata question)
        private
        view
        returns (uint256[2] memory used)
    {
        bytes memory data = abi.encodeCall(IEncoder.encode, (question.context));
        bytes memory returned;
        (used[0], returned) = _gasOf(encoder, data);
        (, bytes memory parse) = abi.decode(returned, (bytes, bytes));
        data = abi.encodeCall(IDecoder.decode, (question.context, parse, question.output));
        (used[1], returned) = _gasOf(decoder, data);
    }

    function _gasOf(address target, bytes memory data)
        private
        view
        returns (uint256 used, bytes memory returned)
    {
        used = gasleft();
        assembly ("memory-safe") {
            if iszero(staticcall(gas(), target, add(data, 32), mload(data), 0, 0)) { revert(0, 0) }
        }
        used -= gasleft();
        assembly ("memory-safe") {
            returned := mload(0x40)
            mstore(returned, returndatasize())
            returndatacopy(add(returned, 32), 0, returndatasize())
            mstore(0x40, add(returned, and(add(returndatasize(), 63), not(31))))
        }
    }

    function _ask(IEncoder encoder, IDecoder decoder, Question calldata question)
        private
        view
        returns (Outcome memory outcome)
    {
        try encoder.encode(question.context) returns (bytes memory features, bytes memory parse) {
            outcome.features = features;
            try decoder.decode(question.context, parse, question.output) returns (
                AgentIterationResult memory decision
            ) {
                outcome.decision = decision;
            } catch (bytes memory reason) {
                outcome.refusal = reason;
            }
        } catch (bytes memory reason) {
            outcome.refusal = reason;
        }
    }
}
