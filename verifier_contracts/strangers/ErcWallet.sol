// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.20;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

// What somebody writes who has the ERC in front of him and nothing of this repository: its interfaces,
// its abstract agent, its wrapper of contract functions, its wallet. Three slips of the ERC's text are
// mended: an import, `run` called with an Input, arguments without a stray offset.

interface Tool {
    enum ParamType {
        STRING,
        ADDRESS,
        BOOL,
        INT,
        UINT,
        STRING_ARRAY,
        ADDRESS_ARRAY,
        BOOL_ARAY,
        INT_ARRAY,
        UINT_ARRAY
    }

    struct InputDescription {
        ParamDescription[] paramDescriptions;
    }

    struct ParamDescription {
        ParamType paramType;
        string name;
        string description;
    }

    struct ParamValue {
        ParamType paramType;
        bytes value;
    }

    struct Input {
        ParamValue[] params;
        bytes abiEncodedParams;
    }

    function name() external view returns (string memory);
    function description() external view returns (string memory);
    function inputDescription() external view returns (InputDescription memory);
    function run(Input memory input, address resultHandler)
        external
        returns (int256 runId, string memory result);
}

struct IterationResult {
    bool isFinalAnswer;
    string finalAnswer;
    Tool tool;
    Tool.Input toolInput;
    string agentReasoning;
}

interface Executor {
    function runNextIteration(
        string memory modelId,
        string memory basePrompt,
        Tool[] memory tools,
        string[] memory agentReasoning,
        string memory prompt
    ) external returns (IterationResult memory);
}

abstract contract ErcAgent is Tool {
    event AgentRunResult(
        int256 indexed runId, address requester, string[] executionSteps, string answer
    );

    address agentExecutorContract;
    string modelId;
    string agentName;
    string agentDescription;
    string basePrompt;
    InputDescription agentInputDescription;
    Tool[] tools;
    uint16 agentMaxIterations;
    int256 currentRunId;

    constructor(
        address _agentExecutorContract,
        string memory _modelId,
        string memory _name,
        string memory _description,
        string memory _inputDescription,
        string memory _basePrompt,
        Tool[] memory _tools,
        uint16 _agentMaxIterations
    ) {
        agentExecutorContract = _agentExecutorContract;
        modelId = _modelId;
        agentName = _name;
        agentDescription = _description;
        basePrompt = _basePrompt;
        agentInputDescription.paramDescriptions
            .push(ParamDescription(ParamType.STRING, "prompt", _inputDescription));
        tools = _tools;
        agentMaxIterations = _agentMaxIterations;
    }

    function name() external view returns (string memory) {
        return agentName;
    }

    function description() external view returns (string memory) {
        return agentDescription;
    }

    function inputDescription() external view returns (InputDescription memory) {
        return agentInputDescription;
    }

    function run(Input memory input, address) external virtual returns (int256, string memory) {
        require(input.params.length == 1, "Agent always expects a single parameter");
        Executor agentExecutor = Executor(agentExecutorContract);
        string[] memory agentReasoning = new string[](agentMaxIterations);
        string memory prompt = abi.decode(input.params[0].value, (string));
        currentRunId++;

        for (uint16 iteration = 0; iteration < agentMaxIterations; iteration++) {
            IterationResult memory next =
                agentExecutor.runNextIteration(modelId, basePrompt, tools, agentReasoning, prompt);
            if (next.isFinalAnswer) {
                string[] memory executionSteps = new string[](iteration);
                for (uint256 i = 0; i < iteration; i++) {
                    executionSteps[i] = agentReasoning[i];
                }
                emit AgentRunResult(currentRunId, msg.sender, executionSteps, next.finalAnswer);
                return (-1, next.finalAnswer);
            }
            (int256 runId, string memory result) = next.tool.run(next.toolInput, address(0));
            require(runId == -1, "Only synchronous tools supported");
            agentReasoning[iteration] =
                string.concat(next.agentReasoning, "Observation: ", result, "\n");
        }
        revert("Agent failed to produce final answer within agentMaxIterations");
    }
}

interface ResultConverter {
    function convertToString(bytes memory result) external returns (string memory);
}

contract ContractTool is Tool {
    string toolName;
    string toolDescription;
    address toolContract;
    bytes4 toolSelector;
    InputDescription toolInputDescription;
    ResultConverter toolResultConverter;
    string staticResult;

    constructor(
        string memory _name,
        string memory _description,
        address _toolContract,
        bytes4 _toolSelector,
        ParamDescription[] memory _parameters,
        string memory _staticResult,
        ResultConverter _toolResultConverter
    ) {
        toolName = _name;
        toolDescription = _description;
        toolContract = _toolContract;
        toolSelector = _toolSelector;
        for (uint256 i = 0; i < _parameters.length; i++) {
            toolInputDescription.paramDescriptions.push(_parameters[i]);
        }
        staticResult = _staticResult;
        toolResultConverter = _toolResultConverter;
    }

    function name() external view returns (string memory) {
        return toolName;
    }

    function description() external view returns (string memory) {
        return toolDescription;
    }

    function inputDescription() external view returns (InputDescription memory) {
        return toolInputDescription;
    }

    function run(Input memory input, address) external virtual returns (int256, string memory) {
        bytes memory callData = bytes.concat(toolSelector, input.abiEncodedParams);
        (bool success, bytes memory returnValue) = toolContract.call(callData);
        require(success, "Tool call failed");
        if (address(toolResultConverter) == address(0)) return (-1, staticResult);
        return (-1, toolResultConverter.convertToString(returnValue));
    }
}

contract BalanceText is ResultConverter {
    function convertToString(bytes memory result) external pure returns (string memory) {
        return string.concat("The balance is: ", Strings.toString(abi.decode(result, (uint256))));
    }
}

/// @dev The lending pool of the ERC's example, reduced to its books.
contract Pool {
    mapping(address asset => uint256) public balance;

    function deploy(address asset, uint256 amount) external {
        balance[asset] += amount;
    }

    function withdraw(address asset, uint256 amount) external {
        require(amount <= balance[asset], "not that much there");
        balance[asset] -= amount;
    }
}

contract ErcWallet is ErcAgent {
    constructor(address executor, string memory model, address pool)
        ErcAgent(
            executor,
            model,
            "Wallet Agent",
            "Use this to deploy or withdraw tokens from a liquidity pool",
            "The action you want to take, the address of the tokens, and the amount",
            "You are an agent deployed on an Ethereum blockchain, responsible for a wallet.",
            new Tool[](4),
            10
        )
    {
        ParamDescription[] memory both = new ParamDescription[](2);
        both[0] = ParamDescription(ParamType.ADDRESS, "asset", "address of the token");
        both[1] = ParamDescription(ParamType.INT, "amount", "amount of tokens");
        ParamDescription[] memory asset = new ParamDescription[](1);
        asset[0] = both[0];
        ResultConverter none = ResultConverter(address(0));
        tools[0] = new ContractTool(
            "Deploy",
            "Deploy funds",
            pool,
            Pool.deploy.selector,
            both,
            "Successfully deployed",
            none
        );
        tools[1] = new ContractTool(
            "Withdraw",
            "Withdraw",
            pool,
            Pool.withdraw.selector,
            both,
            "Successfully withdrawn",
            none
        );
        tools[2] = new ContractTool(
            "ViewBalance",
            "See it",
            pool,
            bytes4(keccak256("balance(address)")),
            asset,
            "",
            new BalanceText()
        );
        // reusing existing tool
        tools[3] = Tool(address(0x12));
    }
}

/// @dev Has the tools that it is given.
contract ErcAssistant is ErcAgent {
    constructor(address executor, string memory model, Tool[] memory _tools)
        ErcAgent(
            executor,
            model,
            "Assistant",
            "Use this for whatever its tools do",
            "What to do",
            "You are an agent deployed on an Ethereum blockchain.",
            _tools,
            10
        )
    {}
}

interface Agent {
    function run(Tool.Input memory input, address resultHandler)
        external
        returns (int256 runId, string memory result);
}

/// @dev A client of the ERC: asks, and takes the answer at once or later.
contract ErcClient {
    Agent public immutable agent;
    int256 public runId;
    string public answer;

    constructor(Agent _agent) {
        agent = _agent;
    }

    function ask(string calldata prompt) external {
        Tool.Input memory input;
        input.params = new Tool.ParamValue[](1);
        input.params[0] = Tool.ParamValue(Tool.ParamType.STRING, abi.encode(prompt));
        input.abiEncodedParams = abi.encode(prompt);
        (int256 id, string memory result) = agent.run(input, address(this));
        if (id == -1) answer = result;
        else runId = id;
    }

    function handleAgentResult(int256 id, string memory result) external {
        require(msg.sender == address(agent) && id == runId, "not what was asked for");
        answer = result;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return
            id == 0x01ffc9a7
                || id == this.handleAgentResult.selector ^ this.supportsInterface.selector;
    }
}
