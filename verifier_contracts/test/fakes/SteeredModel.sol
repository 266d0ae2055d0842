// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IDecoder} from "../../src/interfaces/IDecoder.sol";
import {Context, IEncoder} from "../../src/interfaces/IEncoder.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {EchoTool} from "./FakeTools.sol";

/// @dev Encoder, decoder and verifier whose features are always the same, while what a decision comes to
///   is state that anybody changes: as where a symbol names another token than before.
contract SteeredModel is IEncoder, IDecoder {
    uint256 private immutable _inputs;
    bytes private _params;
    uint256 private _tool;

    constructor(uint256 inputs) {
        _inputs = inputs;
    }

    function steer(uint256 tool, bytes memory params) external {
        (_tool, _params) = (tool, params);
    }

    function encode(Context calldata) external view returns (bytes memory, bytes memory) {
        return (new bytes(2 * _inputs), "");
    }

    /// @dev An agent without tools answers at once, others call one first.
    function decode(Context calldata c, bytes calldata, bytes calldata)
        external
        view
        returns (AgentIterationResult memory result)
    {
        if (c.agentReasoning.length == 1 || c.tools.length == 0) {
            result.isFinalAnswer = true;
            result.finalAnswer = "done";
            return result;
        }
        result.tool = c.tools[_tool];
        result.toolInput.abiEncodedParams = _params;
    }

    function verify(bytes calldata, uint256[] calldata) external pure {}
}

/// @dev Counts what it is told to pay to whom.
contract PayingTool is EchoTool {
    mapping(address asset => mapping(address recipient => uint256)) public paid;

    function run(Input calldata input, address) external override returns (int256, string memory) {
        (address asset, uint256 amount, address recipient) =
            abi.decode(input.abiEncodedParams, (address, uint256, address));
        paid[asset][recipient] += amount;
        return (-1, "paid");
    }
}
