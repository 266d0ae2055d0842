// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IDecoder} from "../../src/interfaces/IDecoder.sol";
import {Context, IEncoder} from "../../src/interfaces/IEncoder.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @dev Encoder, decoder and verifier that cost next to nothing, so that what is measured around them
///   is the overhead of executor and agent. Calls the agent's first tool, then answers.
contract LightModel is IEncoder, IDecoder {
    uint256 private immutable _calls;
    address private immutable _asset;

    constructor(uint256 calls, address asset) {
        (_calls, _asset) = (calls, asset);
    }

    function encode(Context calldata) external pure returns (bytes memory, bytes memory) {
        return (new bytes(2 * 137), new bytes(600));
    }

    function decode(Context calldata c, bytes calldata, bytes calldata)
        external
        view
        returns (AgentIterationResult memory result)
    {
        if (c.agentReasoning.length == _calls) {
            result.isFinalAnswer = true;
            result.finalAnswer = "The balance is: 120.5 USDC in the pool, 30 USDC in the wallet";
            return result;
        }
        result.tool = c.tools[0];
        result.toolInput.params = new IERCAgentTool.ParamValue[](1);
        result.toolInput.params[0] =
            IERCAgentTool.ParamValue(IERCAgentTool.ParamType.ADDRESS, abi.encode(_asset));
        result.toolInput.abiEncodedParams = abi.encode(_asset);
        result.agentReasoning =
            "Thought: I need the balance\nAction: ViewBalance\nAction Input: {\"asset\":\"USDC\"}\n";
    }

    function verify(bytes calldata, uint256[] calldata) external pure {}
}
