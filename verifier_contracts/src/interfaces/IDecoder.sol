// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Context} from "./IEncoder.sol";
import {AgentIterationResult} from "./erc/IERCAgentExecutor.sol";

/// @title Turns a model's output into a decision on the context at hand
/// @dev Part of a model's commitment by its code hash.
interface IDecoder {
    /// @notice Decodes an output.
    /// @param c The context that the features were derived from.
    /// @param parse The encoder's second result for `c`.
    /// @param output The model's output: int64 values, big-endian two's complement, 8 bytes each.
    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory);
}
