// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../erc/IERCAgentTool.sol";

/// @notice What became of a call that had to wait.
enum CallStatus {
    NONE,
    WAITING,
    APPROVED,
    DECLINED,
    MADE,
    /// @notice It was an agent's that another has succeeded.
    VOID
}

/// @notice A call that had to wait.
struct WaitingCall {
    bytes32 callHash;
    address tool;
    /// @notice Since when, in seconds since 1970.
    uint40 since;
    /// @notice The approval's last second.
    uint40 until;
    CallStatus status;
}

/// @title Calls that wait for the owner's approval, each for exactly what it is
/// @notice An approval is for one ticket: this tool with this input, once, until its last second. The call
///   is made as it was approved, or not at all: when the state has moved so that it fails, it can be
///   tried again until then. A run that goes on decides anew, and its next call waits in turn.
interface IApprovals {
    /// @notice The agent decided on a call that waits.
    event CallWaits(
        uint256 indexed ticket, address indexed tool, bytes32 callHash, IERCAgentTool.Input input
    );

    /// @notice The owner approved of it.
    event CallApproved(uint256 indexed ticket, bytes32 callHash, uint40 until);

    /// @notice The owner declined it.
    event CallDeclined(uint256 indexed ticket, bytes32 callHash, string reason);

    /// @notice The call was not approved, or no longer is, or was made.
    error CallNotApproved(uint256 ticket, CallStatus status, uint40 until);

    /// @notice The ticket stands for another call.
    error OtherCall(uint256 ticket, bytes32 expected, bytes32 received);

    /// @notice The call does not wait any longer, or never did.
    error CallDoesNotWait(uint256 ticket, CallStatus status);

    /// @notice An approval has to last beyond now.
    error ApprovalInThePast(uint40 until, uint256 blockTime);

    /// @notice Nothing that was approved is made while calls are made on paper (`Mode.PAPER`).
    error OnPaperOnly();

    /// @notice Records a call that needs approval. Only for the hooks' caller.
    /// @return ticket From 1.
    function ask(IERCAgentTool tool, IERCAgentTool.Input calldata input)
        external
        returns (uint256 ticket);

    /// @notice `IGuard.beforeCall` for a call that was approved, whoever has the last word by now.
    /// @return tool Whose call that is.
    function beforeApprovedCall(uint256 ticket, IERCAgentTool.Input calldata input)
        external
        returns (IERCAgentTool tool);

    /// @notice Reverts unless the call was declined.
    function checkDeclined(uint256 ticket) external view;

    /// @notice Approves of a call.
    /// @param callHash What the owner looked at (`callHashOf`).
    /// @param until The approval's last second.
    function approve(uint256 ticket, bytes32 callHash, uint40 until) external;

    /// @notice Declines a call, also one that was approved and not made yet.
    function decline(uint256 ticket, string calldata reason) external;

    /// @notice A call that had to wait.
    function waiting(uint256 ticket) external view returns (WaitingCall memory);

    /// @notice How many calls had to wait so far: tickets are from 1 to that.
    function tickets() external view returns (uint256);

    /// @notice keccak256(abi.encode(tool, input)).
    function callHashOf(IERCAgentTool tool, IERCAgentTool.Input calldata input)
        external
        pure
        returns (bytes32);
}
