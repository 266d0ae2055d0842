// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

import {ToolMatching} from "../encoding/ToolMatching.sol";
import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Amounts, Direction, NumericData} from "./NumericData.sol";
import {NumericEncoder} from "./NumericEncoder.sol";
import {NumericWords} from "./NumericWords.sol";

/// @title From a numeric model's output to its decision, as `models/agents/numeric.py`
/// @notice Outputs: a score for each direction, of which the highest is taken, the first on ties; then an
///   amount for each direction that acts, in order. One decision acts at most once: what its tool answers
///   is the run's answer.
contract NumericDecoder is IDecoder {
    uint256 private constant OUTPUT_BYTES = 8;

    address private immutable _data;

    /// @notice An output has 8 bytes for each score and each amount.
    error OutputLength(uint256 expected, uint256 received);

    /// @param data The contract that holds the manifest; see `NumericData`.
    constructor(address data) {
        NumericData.meanings(data);
        _data = data;
    }

    /// @inheritdoc IDecoder
    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory made)
    {
        (Direction[] memory directions, Amounts memory amounts) = NumericData.meanings(_data);
        (uint256 chosen, uint256 amountAt) = _chosen(directions, output);
        Direction memory direction = directions[chosen];
        bool acted = c.agentReasoning.length != 0;
        if (!direction.acts) {
            if (acted) revert NumericEncoder.ForeignHistory(0);
            return _answer(direction.text);
        }
        uint256 amount = _amount(_outputAt(output, amountAt), amounts);
        string memory reasoning = string.concat(
            NumericWords.thought(parse),
            "Action: ",
            direction.text,
            '\nAction Input: {"',
            amounts.parameter,
            '":"',
            Strings.toString(amount),
            '"}\n'
        );
        if (acted) return _answer(_observed(c.agentReasoning[0], reasoning));
        if (amount < amounts.least) {
            return _answer(string.concat(direction.text, " by too little to act."));
        }
        return _call(c.tools, direction.text, amount, reasoning);
    }

    /// @dev The direction with the highest score, and where its amount is among the outputs.
    function _chosen(Direction[] memory directions, bytes calldata output)
        private
        pure
        returns (uint256 best, uint256 amountAt)
    {
        uint256 amounts = 0;
        for (uint256 i = 0; i < directions.length; ++i) {
            if (directions[i].acts) ++amounts;
        }
        uint256 expected = OUTPUT_BYTES * (directions.length + amounts);
        if (output.length != expected) revert OutputLength(expected, output.length);
        int64 highest = type(int64).min;
        amounts = directions.length;
        for (uint256 i = 0; i < directions.length; ++i) {
            int64 score = _outputAt(output, i);
            if (score > highest) (best, highest, amountAt) = (i, score, amounts);
            if (directions[i].acts) ++amounts;
        }
    }

    function _outputAt(bytes calldata output, uint256 i) private pure returns (int64) {
        return int64(uint64(bytes8(output[OUTPUT_BYTES * i:OUTPUT_BYTES * (i + 1)])));
    }

    function _amount(int64 output, Amounts memory amounts) private pure returns (uint256) {
        if (output <= 0) return 0;
        // casting: it is positive
        // forge-lint: disable-next-line(unsafe-typecast)
        uint256 amount = uint64(output) / amounts.unit;
        return amount < amounts.most ? amount : amounts.most;
    }

    /// @dev What the tool of this very decision answered.
    function _observed(string calldata entry, string memory reasoning)
        private
        pure
        returns (string memory)
    {
        bytes memory opening = bytes.concat(bytes(reasoning), "Observation: ");
        bytes calldata text = bytes(entry);
        if (
            text.length <= opening.length || text[text.length - 1] != "\n"
                || !NumericWords.beginsWith(text, opening)
        ) revert NumericEncoder.ForeignHistory(0);
        return string(text[opening.length:text.length - 1]);
    }

    function _call(
        IERCAgentTool[] calldata tools,
        string memory name,
        uint256 amount,
        string memory reasoning
    ) private view returns (AgentIterationResult memory made) {
        address tool = _find(tools, name);
        if (tool == address(0)) {
            return _answer(string.concat("This agent has no tool ", name, "."));
        }
        bytes memory value = abi.encode(amount);
        IERCAgentTool.ParamValue[] memory params = new IERCAgentTool.ParamValue[](1);
        params[0] = IERCAgentTool.ParamValue(IERCAgentTool.ParamType.UINT, value);
        made.tool = IERCAgentTool(tool);
        made.toolInput = IERCAgentTool.Input(params, value);
        made.agentReasoning = reasoning;
    }

    /// @dev The only tool of this name, if it takes one UINT.
    function _find(IERCAgentTool[] calldata tools, string memory name)
        private
        view
        returns (address found)
    {
        for (uint256 i = 0; i < tools.length; ++i) {
            if (keccak256(bytes(tools[i].name())) != keccak256(bytes(name))) continue;
            if (found != address(0)) revert ToolMatching.DuplicateTool(name);
            found = address(tools[i]);
        }
        if (found == address(0)) return found;
        IERCAgentTool.ParamDescription[] memory told =
        IERCAgentTool(found).inputDescription().paramDescriptions;
        if (told.length != 1 || told[0].paramType != IERCAgentTool.ParamType.UINT) {
            return address(0);
        }
    }

    function _answer(string memory text) private pure returns (AgentIterationResult memory made) {
        made.isFinalAnswer = true;
        made.finalAnswer = text;
    }
}
