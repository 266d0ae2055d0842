// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Receives the results of asynchronous agent runs
/// @notice ABI of the on-chain agents ERC, unchanged.
interface IERCAgentClient {
    /// @notice Hands over a run's result.
    /// @dev Implementations must check that the sender is the agent they asked.
    /// @param runId The id that the agent's `run` returned.
    /// @param result The final answer.
    function handleAgentResult(int256 runId, string memory result) external;

    /// @notice ERC-165.
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}
