// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ToolResultConverter} from "./ToolResultConverter.sol";

/// @title Answers with the text that a tool's function returns
contract TextConverter is ToolResultConverter {
    /// @inheritdoc ToolResultConverter
    /// @param result abi.encode(string text).
    function convertToString(bytes calldata result) external pure returns (string memory) {
        return abi.decode(result, (string));
    }
}
