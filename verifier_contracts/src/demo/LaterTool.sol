// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ResultDelivery} from "../agents/ResultDelivery.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ToolMetadata} from "../tools/ToolMetadata.sol";

/// @title A tool whose keeper answers later, as an oracle does
/// @notice For demonstrations and tests of asynchronous tools.
contract LaterTool is ToolMetadata {
    /// @notice Somebody waits for an answer.
    event Asked(int256 indexed runId, address indexed by, bytes abiEncodedParams);

    /// @notice The answer was handed over.
    event Answered(int256 indexed runId, string result);

    /// @notice Only the keeper answers.
    error CallerIsNotTheKeeper(address caller, address keeper);

    /// @notice Nobody waits for this: it was answered, or never asked.
    error NothingAsked(int256 runId);

    address private immutable _keeper;
    int256 private _nextRunId;
    mapping(int256 runId => address) private _handlers;

    constructor(
        address keeper,
        string memory name_,
        string memory description_,
        InputDescription memory input
    ) ToolMetadata(name_, description_, input) {
        _keeper = keeper;
    }

    /// @inheritdoc IERCAgentTool
    /// @dev Without a handler there is nobody to answer.
    function run(Input calldata input, address resultHandler)
        external
        returns (int256 runId, string memory result)
    {
        ResultDelivery.check(resultHandler);
        runId = _nextRunId++;
        _handlers[runId] = resultHandler;
        emit Asked(runId, msg.sender, input.abiEncodedParams);
        result = "";
    }

    /// @notice Hands an answer to whoever waits for it.
    function answer(int256 runId, string calldata result) external {
        if (msg.sender != _keeper) revert CallerIsNotTheKeeper(msg.sender, _keeper);
        address handler = _handlers[runId];
        if (handler == address(0)) revert NothingAsked(runId);
        delete _handlers[runId];
        emit Answered(runId, result);
        IERCAgentClient(handler).handleAgentResult(runId, result);
    }

    /// @notice Who answers.
    function keeper() external view returns (address) {
        return _keeper;
    }
}
