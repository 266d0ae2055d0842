// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IToolVectors} from "./IToolVectors.sol";

/// @title An encoder that reads tools by vectors
interface IReadingEncoder {
    /// @notice Where the vectors are: agents have those of their tools stored there.
    function vectors() external view returns (IToolVectors);
}
