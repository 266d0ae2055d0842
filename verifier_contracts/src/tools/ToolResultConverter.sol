// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Turns a contract function's return value into text that an agent can read
/// @notice ABI of the on-chain agents ERC, unchanged.
interface ToolResultConverter {
    /// @param result The raw return data.
    function convertToString(bytes memory result) external returns (string memory);
}
