// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IToolVectors} from "./IToolVectors.sol";

/// @title An encoder that reads tools by vectors
interface IReadingEncoder {
    /// @notice The agent has none, or more than the network chooses among.
    error ToolCountOutOfRange(uint256 received, uint256 limit);

    /// @notice How many an agent may have.
    function mostTools() external view returns (uint256);

    /// @notice Where the vectors are: agents have those of their tools stored there.
    function vectors() external view returns (IToolVectors);
}
