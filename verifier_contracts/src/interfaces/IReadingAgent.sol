// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What an agent has to tell where its model reads what its tools say of themselves
interface IReadingAgent {
    /// @notice For each tool, in the agent's order, what `IToolVectors.store` returned when the agent was made.
    function toolTexts() external view returns (bytes32[] memory);
}
