// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IGuard} from "./IGuard.sol";
import {IGuardedCalls} from "./IGuardedCalls.sol";

/// @title An agent that may be given a guard, once
interface IGuardableAgent is IGuardedCalls {
    /// @notice From now on every call goes by this guard.
    event GuardSet(IGuard guard);

    /// @notice A guard stays: its owner changes what it allows, and how fast.
    error GuardAlreadySet(IGuard guard);

    /// @notice The guard is of another agent.
    error GuardOfAnotherAgent(address guarded);

    /// @notice Puts a guard before the agent's tools, for good. For who may change the agent's model.
    function setGuard(IGuard guard_) external;
}
