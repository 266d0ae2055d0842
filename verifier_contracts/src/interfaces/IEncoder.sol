// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "./erc/IERCAgentTool.sol";

/// @notice What a decision is made about: the arguments of `runNextIteration` and who called it.
struct Context {
    address agent;
    string basePrompt;
    IERCAgentTool[] tools;
    string[] agentReasoning;
    string prompt;
}

/// @title Derives a model's input from a context
/// @dev Part of a model's commitment by its code hash. It must be a function of the context and of
///   what the context points to on chain, never of sender, origin or gas price.
interface IEncoder {
    /// @notice Derives the features.
    /// @return features The model's input: int16 values, big-endian two's complement, 2 bytes each.
    /// @return parse What was found on the way, opaque to all but the model's decoder.
    function encode(Context calldata c)
        external
        view
        returns (bytes memory features, bytes memory parse);
}
