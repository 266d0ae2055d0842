// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IDecoder} from "../../src/interfaces/IDecoder.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @dev The first output is the operation, the second its operand.
contract FakeDecoder is IDecoder {
    int64 public constant ANSWER = 0; // answer with the operand
    int64 public constant CALL = 1; // call the tool with that index
    int64 public constant REFUSE = -2; // revert
    int64 public constant STRANGE_TOOL = 3; // call what the agent does not have
    int64 public constant REPORT = 4; // answer with all of the reasoning

    error Refused(int64 operand);
    error ForeignParse();

    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        pure
        returns (AgentIterationResult memory result)
    {
        if (abi.decode(parse, (bytes32)) != keccak256(abi.encode(c))) revert ForeignParse();
        int64 operation = int64(uint64(bytes8(output[:8])));
        int64 operand = int64(uint64(bytes8(output[8:16])));
        if (operation == REFUSE) revert Refused(operand);
        result.isFinalAnswer = operation == ANSWER || operation == REPORT;
        if (operation == REPORT) result.finalAnswer = _join(c.agentReasoning);
        if (operation == ANSWER) {
            result.finalAnswer = string.concat("answer ", string(abi.encodePacked(_digit(operand))));
        }
        if (result.isFinalAnswer) return result;
        result.tool = operation == CALL
            ? c.tools[uint64(operand)]
            : IERCAgentTool(address(uint160(uint64(operand))));
        result.toolInput = _input(c.prompt);
        result.agentReasoning = "Thought: use it\n";
    }

    /// @dev Every fake tool takes one string: here the prompt, passed on.
    function _input(string memory text) private pure returns (IERCAgentTool.Input memory input) {
        input.params = new IERCAgentTool.ParamValue[](1);
        input.params[0] = IERCAgentTool.ParamValue(IERCAgentTool.ParamType.STRING, abi.encode(text));
        input.abiEncodedParams = abi.encode(text);
    }

    function _join(string[] calldata entries) private pure returns (string memory all) {
        for (uint256 i = 0; i < entries.length; ++i) {
            all = string.concat(all, entries[i]);
        }
    }

    function _digit(int64 operand) private pure returns (bytes1) {
        return bytes1(uint8(0x30 + uint64(operand) % 10));
    }
}
