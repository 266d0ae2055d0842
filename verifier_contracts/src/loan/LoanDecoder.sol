// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ToolMatching} from "../encoding/ToolMatching.sol";
import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {LoanWords} from "./LoanWords.sol";

/// @title From a loan model's scores to its decision, as `models/agents/loan.py`
/// @notice Scores: read the criteria, ask for the score, approve, deny, say that the criteria are unclear;
///   the highest one is taken, the first on ties. Whatever the scores, nothing is approved or denied before
///   criteria and score were observed.
contract LoanDecoder is IDecoder {
    uint256 private constant OUTPUTS = 5;
    uint256 private constant CRITERIA = 0;
    uint256 private constant SCORE = 1;
    uint256 private constant APPROVE = 2;
    uint256 private constant DENY = 3;

    /// @notice An output is 5 values of 8 bytes.
    error OutputLength(uint256 expected, uint256 received);

    /// @inheritdoc IDecoder
    function decode(Context calldata c, bytes calldata, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory)
    {
        if (output.length != 8 * OUTPUTS) revert OutputLength(8 * OUTPUTS, output.length);
        uint256 chosen = _argmax(output);
        (string memory applicant,) = LoanWords.applicantIn(c.prompt);
        if (chosen == CRITERIA) return _askCriteria(c);
        if (chosen == SCORE) return _askScore(c, applicant);
        if (c.agentReasoning.length < 2) return _answer(LoanWords.UNCLEAR);
        if (chosen == APPROVE) return _answer(string.concat(LoanWords.APPROVED, c.prompt));
        if (chosen == DENY) return _answer(string.concat(LoanWords.DENIED, c.prompt));
        return _answer(LoanWords.UNCLEAR);
    }

    function _askCriteria(Context calldata c) private view returns (AgentIterationResult memory) {
        address tool = _find(c.tools, LoanWords.CRITERIA_TOOL, 0);
        if (tool == address(0)) return _noTool(LoanWords.CRITERIA_TOOL);
        IERCAgentTool.ParamValue[] memory none = new IERCAgentTool.ParamValue[](0);
        return _call(tool, IERCAgentTool.Input(none, ""), LoanWords.ASK_CRITERIA);
    }

    function _askScore(Context calldata c, string memory applicant)
        private
        view
        returns (AgentIterationResult memory)
    {
        address tool = _find(c.tools, LoanWords.SCORE_AGENT, 1);
        if (tool == address(0)) return _noTool(LoanWords.SCORE_AGENT);
        string memory question = string.concat(LoanWords.SCORE_OF, applicant);
        bytes memory value = abi.encode(question);
        IERCAgentTool.ParamValue[] memory params = new IERCAgentTool.ParamValue[](1);
        params[0] = IERCAgentTool.ParamValue(IERCAgentTool.ParamType.STRING, value);
        string memory reasoning = string.concat(LoanWords.ASK_SCORE, question, LoanWords.END_SCORE);
        return _call(tool, IERCAgentTool.Input(params, value), reasoning);
    }

    function _call(address tool, IERCAgentTool.Input memory input, string memory reasoning)
        private
        pure
        returns (AgentIterationResult memory made)
    {
        made.tool = IERCAgentTool(tool);
        made.toolInput = input;
        made.agentReasoning = reasoning;
    }

    function _answer(string memory text) private pure returns (AgentIterationResult memory made) {
        made.isFinalAnswer = true;
        made.finalAnswer = text;
    }

    function _noTool(string memory name) private pure returns (AgentIterationResult memory) {
        return _answer(string.concat("This agent has no tool ", name, "."));
    }

    /// @dev The only tool of this name, if it takes so many parameters, a STRING where it takes one.
    function _find(IERCAgentTool[] calldata tools, string memory name, uint256 parameters)
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
        if (told.length != parameters) return address(0);
        if (parameters == 1 && told[0].paramType != IERCAgentTool.ParamType.STRING) {
            return address(0);
        }
    }

    function _argmax(bytes calldata output) private pure returns (uint256 best) {
        int64 highest = type(int64).min;
        for (uint256 i = 0; i < OUTPUTS; ++i) {
            int64 score = int64(uint64(bytes8(output[8 * i:8 * i + 8])));
            if (score > highest) (best, highest) = (i, score);
        }
    }
}
