// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IProvenTool} from "../interfaces/IProvenTool.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {ToolFace} from "./ToolFace.sol";

/// @title Has an agent that knows only the ERC act on proven decisions alone
/// @dev The tool behind sees this one as its caller, so that an open `run` would let anyone act in the
///   agent's place.
contract ProvenTool is ToolFace, IProvenTool {
    address private immutable _agent;
    IAgentExecutor private immutable _executor;

    constructor(address agent_, IAgentExecutor executor_, IERCAgentTool tool_) ToolFace(tool_) {
        if (address(tool_).code.length == 0) revert ToolBehindHasNoCode(address(tool_));
        (_agent, _executor) = (agent_, executor_);
    }

    /// @inheritdoc IERCAgentTool
    /// @dev If a proof is false the frame is poisoned, and what is returned does not matter: a failure
    ///   could be caught.
    function run(Input calldata input, address)
        external
        returns (int256 runId, string memory result)
    {
        if (msg.sender != _agent) revert CallerIsNotTheAgent(msg.sender, _agent);
        if (!_executor.verifySoFar()) return (-1, "");
        (runId, result) = _tool.run(input, address(0));
        if (runId != -1) revert ToolBehindIsAsynchronous(address(_tool), runId);
    }

    /// @inheritdoc IProvenTool
    function agent() external view returns (address) {
        return _agent;
    }

    /// @inheritdoc IProvenTool
    function agentExecutor() external view returns (IAgentExecutor) {
        return _executor;
    }

    /// @inheritdoc IProvenTool
    function toolBehind() external view returns (IERCAgentTool) {
        return _tool;
    }

    /// @inheritdoc IProvenTool
    function needsProofs() external pure returns (bool) {
        return true;
    }
}
