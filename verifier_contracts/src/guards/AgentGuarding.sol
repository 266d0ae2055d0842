// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {IGuard} from "../interfaces/guards/IGuard.sol";
import {IGuardableAgent} from "../interfaces/guards/IGuardableAgent.sol";
import {IGuardedCalls} from "../interfaces/guards/IGuardedCalls.sol";
import {GuardedCalls} from "./GuardedCalls.sol";

/// @title Gives an agent a guard
abstract contract AgentGuarding is IGuardableAgent, GuardedCalls {
    IGuard private _guard;

    /// @inheritdoc IGuardableAgent
    function setGuard(IGuard guard_) external {
        _authorizeGuard(msg.sender);
        if (address(_guard) != address(0)) revert GuardAlreadySet(_guard);
        address guarded = guard_.agent();
        if (guarded != address(this)) revert GuardOfAnotherAgent(guarded);
        _guard = guard_;
        emit GuardSet(guard_);
    }

    function guard() public view override(GuardedCalls, IGuardedCalls) returns (IGuard) {
        return _guard;
    }

    /// @dev Reverts unless `caller` may give the agent a guard.
    function _authorizeGuard(address caller) internal view virtual;

    /// @dev Calls a tool, by way of the guard if there is one. Where the run id is not -1, `source` is whose
    ///   it is: the tool's, or the guard's, where the call waits for the owner.
    function _callTool(IERCAgentTool tool, IERCAgentTool.Input memory input, address handler)
        internal
        returns (int256 runId, string memory result, address source)
    {
        if (address(_guard) == address(0)) {
            source = address(tool);
            (runId, result) = _run(tool, input, handler);
        } else {
            source = address(_guard);
            (runId, result) = _callGuarded(tool, tool, input);
        }
    }
}
