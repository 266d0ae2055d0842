// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IProvenAgent} from "../interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";

/// @title An agent's one parameter, the prompt
library AgentInput {
    /// @notice The input description of an agent.
    function describe(string memory description)
        internal
        pure
        returns (IERCAgentTool.InputDescription memory input)
    {
        input.paramDescriptions = new IERCAgentTool.ParamDescription[](1);
        input.paramDescriptions[0] =
            IERCAgentTool.ParamDescription(IERCAgentTool.ParamType.STRING, "prompt", description);
    }

    /// @notice The input that is this prompt.
    function encode(string memory prompt) internal pure returns (IERCAgentTool.Input memory input) {
        input.abiEncodedParams = abi.encode(prompt);
        input.params = new IERCAgentTool.ParamValue[](1);
        input.params[0] =
            IERCAgentTool.ParamValue(IERCAgentTool.ParamType.STRING, input.abiEncodedParams);
    }

    /// @notice The prompt. It stands in the input twice; both have to say the same.
    function promptOf(IERCAgentTool.Input calldata input) internal pure returns (string memory) {
        if (input.params.length != 1 || input.params[0].paramType != IERCAgentTool.ParamType.STRING)
        {
            revert IProvenAgent.MalformedInput(input.params.length);
        }
        bytes32 ofParams = keccak256(input.params[0].value);
        bytes32 ofEncoded = keccak256(input.abiEncodedParams);
        if (ofParams != ofEncoded) revert IProvenAgent.AmbiguousInput(ofParams, ofEncoded);
        return abi.decode(input.abiEncodedParams, (string));
    }
}
