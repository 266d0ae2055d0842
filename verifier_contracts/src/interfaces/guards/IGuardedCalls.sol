// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../erc/IERCAgentTool.sol";
import {IGuard} from "./IGuard.sol";

/// @title Calls tools by way of a guard
interface IGuardedCalls {
    /// @notice A call that had to wait was made, after the owner's approval.
    event ApprovedCallMade(uint256 indexed ticket);

    /// @notice A call that had to wait will not be made.
    event DeclinedCallTold(uint256 indexed ticket);

    /// @notice This carries out of a call that is rolled back what the tool returned, or its revert data.
    error PaperOutcome(bool success, bytes returned);

    /// @notice Only the contract itself may do this.
    error CallerIsNotItself(address caller);

    /// @notice An agent made decisions in a call on paper, directly or behind a tool. To roll it back would
    ///   undo that its claims were used, or found wrong.
    error PaperCallDecides(address tool);

    /// @notice Behind a guard a tool has to answer at once: what it would do later is measured by nobody, and
    ///   an agent that is asked to go on would go on while the guard is paused.
    error GuardedToolIsAsynchronous(address tool, int256 runId);

    /// @notice The ticket is of another tool, or nobody waits for it.
    error NotWaitedFor(uint256 ticket);

    /// @notice Makes a call that the owner approved, and hands its result to the run that waits. Anyone may
    ///   bring it: it is what was approved or nothing.
    function makeApproved(uint256 ticket, IERCAgentTool.Input calldata input) external;

    /// @notice Tells the run that waits that the owner declined the call.
    function tellDeclined(uint256 ticket) external;

    /// @notice Of the contract to itself: makes a call and reverts with what came of it.
    function callOnPaper(
        IERCAgentTool named,
        IERCAgentTool tool,
        IERCAgentTool.Input calldata input
    ) external;

    /// @notice The guard; zero for none.
    function guard() external view returns (IGuard);
}
