// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ToolMetadata} from "./ToolMetadata.sol";
import {ToolResultConverter} from "./ToolResultConverter.sol";

/// @title Wraps one function of a contract as a tool of one agent
/// @notice The wrapped contract sees this tool as its caller, so that an open `run` would let anyone
///   act in the agent's place: only the agent may run the tool.
contract SimpleSmartContractTool is ToolMetadata {
    /// @notice The tool belongs to another agent; make your own.
    error CallerIsNotTheAgent(address caller, address agent);

    /// @notice The wrapped contract is not there.
    error WrappedContractHasNoCode(address wrapped);

    address private immutable _agent;
    address private immutable _toolContract;
    bytes4 private immutable _toolSelector;
    ToolResultConverter private immutable _converter;
    string private _staticResult;

    /// @param agent Who may run the tool.
    /// @param toolContract The contract to wrap.
    /// @param toolSelector The function of `toolContract` to wrap.
    /// @param input The parameters of that function, all and in order.
    /// @param staticResult What to answer when `converter` is zero.
    /// @param converter Makes the answer out of the function's return data, unless it is zero.
    constructor(
        address agent,
        string memory name_,
        string memory description_,
        address toolContract,
        bytes4 toolSelector,
        InputDescription memory input,
        string memory staticResult,
        ToolResultConverter converter
    ) ToolMetadata(name_, description_, input) {
        if (toolContract.code.length == 0) {
            revert WrappedContractHasNoCode(toolContract);
        }
        _agent = agent;
        _toolContract = toolContract;
        _toolSelector = toolSelector;
        _staticResult = staticResult;
        _converter = converter;
    }

    /// @inheritdoc IERCAgentTool
    function run(Input calldata input, address) external returns (int256, string memory) {
        if (msg.sender != _agent) revert CallerIsNotTheAgent(msg.sender, _agent);
        (bool success, bytes memory returned) =
            _toolContract.call(abi.encodePacked(_toolSelector, input.abiEncodedParams));
        if (!success) {
            assembly ("memory-safe") {
                revert(add(returned, 32), mload(returned))
            }
        }
        if (address(_converter) == address(0)) return (-1, _staticResult);
        return (-1, _converter.convertToString(returned));
    }

    /// @notice Who may run the tool, and what it wraps.
    function wiring() external view returns (address agent, address toolContract, bytes4 selector) {
        return (_agent, _toolContract, _toolSelector);
    }
}
