// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Hands results to the handlers that were named when a run was asked for
/// @notice A handler is an ERC-165 `IERCAgentClient`. It is called when the run is over and, where the run
///   had a frame of its own, when that is verified and closed: with limited gas, and its failure undoes
///   nothing. In somebody else's frame nobody may catch: there a handler's failure is the run's, and a
///   handler that asked for the run itself has the result from the call and is not called.
interface IResultSource {
    /// @notice The handler was called and failed; here is what it was to have.
    /// @param runId As the handler was told: -1 when the result came with the call that asked for it.
    /// @param reason Beginning of the handler's revert data.
    event ResultUndelivered(
        int256 indexed runId, address indexed handler, string result, bytes reason
    );

    /// @notice The handler does not say that it supports `IERCAgentClient`: it may be an account without
    ///   code.
    error HandlerIsNoClient(address handler);

    /// @notice There is not enough gas left to call the handler with what it is promised: send more.
    error CallbackGasMissing(uint256 expected, uint256 left);
}
