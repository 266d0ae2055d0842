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

/// @title Derives a model's input from what does not change in a run, in most cases
/// @notice An encoder for which features and parse are functions of the agent, the tools, the prompt and of
///   what it reads on chain, and neither of the history nor of anything else in the context. Its `encode`
///   says so by a third result, the readings: `(bytes features, bytes parse, bytes32 readings)`.
/// @dev Within a frame, executors take what they have from the same encoder for the same agent, tools, prompt
///   and readings, in place of calling `encode` again. So readings must tell apart all that `encode`
///   reads: where it reads the code of an account that another contract names, the account and its
///   code hash, since code can come to be where there was none.
interface IPromptEncoder is IEncoder {
    /// @notice What `encode` would return as readings now; not zero.
    function readings(address agent) external view returns (bytes32);
}
