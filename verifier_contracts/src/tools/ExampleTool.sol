// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {IToolExamples} from "../interfaces/IToolExamples.sol";
import {SimpleSmartContractTool} from "./SimpleSmartContractTool.sol";
import {ToolMetadata} from "./ToolMetadata.sol";
import {ToolResultConverter} from "./ToolResultConverter.sol";

/// @title A tool that wraps a function, and says how people ask for it
contract ExampleTool is SimpleSmartContractTool, IToolExamples {
    /// @dev The contract whose code says what `examples` returns.
    address private immutable _examples;

    /// @param examples_ Prompts that mean this tool, eight at most count. The others: see
    ///   `SimpleSmartContractTool`.
    constructor(
        address agent,
        string memory name_,
        string memory description_,
        address toolContract,
        bytes4 toolSelector,
        InputDescription memory input,
        string memory staticResult,
        ToolResultConverter converter,
        string[] memory examples_
    )
        SimpleSmartContractTool(
            agent, name_, description_, toolContract, toolSelector, input, staticResult, converter
        )
    {
        _examples = SSTORE2.write(abi.encode(examples_));
    }

    /// @inheritdoc IToolExamples
    function examples() external view returns (string[] memory) {
        return abi.decode(SSTORE2.read(_examples), (string[]));
    }

    /// @inheritdoc ToolMetadata
    function supportsInterface(bytes4 interfaceId) public view virtual override returns (bool) {
        return
            interfaceId == type(IToolExamples).interfaceId || super.supportsInterface(interfaceId);
    }
}
