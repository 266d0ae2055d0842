// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../erc/IERCAgentTool.sol";

/// @title A tool behind a guard, for agents that know nothing of guards
interface IGuardedTool is IERCAgentTool {
    /// @notice The tool belongs to the agent that its guard guards.
    error CallerIsNotTheGuardedAgent(address caller, address agent);

    /// @notice There is no code where the tool should be.
    error NoToolToGuard(address tool);

    /// @notice The code of the tool is not what was put behind the guard.
    error GuardedCodeChanged(address tool, bytes32 expected, bytes32 actual);

    /// @notice What the tool behind it wraps, if that tells; zeros if not.
    function wiring() external view returns (address agent, address target, bytes4 selector);

    /// @notice The tool behind it.
    function guardedTool() external view returns (IERCAgentTool);
}
