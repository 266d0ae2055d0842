// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {
    AgentIterationResult,
    IERCAgentExecutor
} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @dev An agent as the ERC's text has it, written by somebody who knows nothing else: its own loop, blanks
///   in place of reasoning, failures of tools in words of its own. What the text gets wrong is mended:
///   `run` of a tool takes an `Input` and a handler.
contract StrangersAgent is IERCAgentTool {
    event AgentRunResult(
        int256 indexed runId, address requester, string[] executionSteps, string answer
    );

    address private agentExecutorContract;
    string private modelId;
    string private basePrompt;
    IERCAgentTool[] private tools;
    uint16 private agentMaxIterations;
    int256 private currentRunId;

    constructor(
        address _agentExecutorContract,
        string memory _modelId,
        string memory _basePrompt,
        IERCAgentTool[] memory _tools,
        uint16 _agentMaxIterations
    ) {
        agentExecutorContract = _agentExecutorContract;
        modelId = _modelId;
        basePrompt = _basePrompt;
        tools = _tools;
        agentMaxIterations = _agentMaxIterations;
    }

    function name() external pure returns (string memory) {
        return "Stranger";
    }

    function description() external pure returns (string memory) {
        return "Somebody else's agent";
    }

    function inputDescription() external pure returns (InputDescription memory input) {
        input.paramDescriptions = new ParamDescription[](1);
        input.paramDescriptions[0] = ParamDescription(ParamType.STRING, "prompt", "what to do");
    }

    function run(Input memory input, address) external virtual returns (int256, string memory) {
        require(input.params.length == 1, "Agent always expects a single parameter");
        string[] memory agentReasoning = new string[](agentMaxIterations);
        string memory prompt = abi.decode(input.params[0].value, (string));
        currentRunId++;
        for (uint16 i = 0; i < agentMaxIterations; i++) {
            AgentIterationResult memory result = IERCAgentExecutor(agentExecutorContract)
                .runNextIteration(modelId, basePrompt, tools, agentReasoning, prompt);
            if (result.isFinalAnswer) {
                string[] memory executionSteps = new string[](i);
                for (uint256 j = 0; j < i; j++) {
                    executionSteps[j] = agentReasoning[j];
                }
                emit AgentRunResult(currentRunId, msg.sender, executionSteps, result.finalAnswer);
                return (-1, result.finalAnswer);
            }
            agentReasoning[i] = string.concat(
                result.agentReasoning, "Observation: ", used(result.tool, result.toolInput), "\n"
            );
        }
        revert("Agent failed to produce final answer within agentMaxIterations");
    }

    function used(IERCAgentTool tool, Input memory toolInput) private returns (string memory) {
        (bool success, bytes memory returned) =
            address(tool).call(abi.encodeCall(IERCAgentTool.run, (toolInput, address(0))));
        require(success, "Tool call failed");
        (int256 runId, string memory result) = abi.decode(returned, (int256, string));
        require(runId == -1, "Only synchronous tools supported");
        return result;
    }
}
