// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {CallStatus, IApprovals, WaitingCall} from "../interfaces/guards/IApprovals.sol";
import {AllowList} from "./AllowList.sol";

/// @title Calls that wait for the owner's approval, each for exactly what it is
abstract contract Approvals is AllowList, IApprovals {
    mapping(uint256 ticket => WaitingCall) private _waiting;
    uint256 private _tickets;
    /// @dev Tickets up to this one are of the agents before.
    uint256 private _voidUpTo;

    /// @inheritdoc IApprovals
    function ask(IERCAgentTool tool, IERCAgentTool.Input calldata input)
        external
        returns (uint256 ticket)
    {
        _checkCaller(address(tool), _tools[address(tool)].wrapped, _state.agent);
        if (!_tools[address(tool)].allowed) revert ToolNotAllowed(address(tool));
        bytes32 hash = callHashOf(tool, input);
        ticket = ++_tickets;
        _waiting[ticket] =
            WaitingCall(hash, address(tool), uint40(block.timestamp), 0, CallStatus.WAITING);
        emit CallWaits(ticket, address(tool), hash, input);
    }

    /// @inheritdoc IApprovals
    function approve(uint256 ticket, bytes32 callHash, uint40 until) external onlyOwner {
        WaitingCall storage call = _openCall(ticket);
        if (call.callHash != callHash) revert OtherCall(ticket, call.callHash, callHash);
        if (until < block.timestamp) revert ApprovalInThePast(until, block.timestamp);
        (call.status, call.until) = (CallStatus.APPROVED, until);
        emit CallApproved(ticket, callHash, until);
    }

    /// @inheritdoc IApprovals
    function decline(uint256 ticket, string calldata reason) external onlyOwner {
        WaitingCall storage call = _openCall(ticket);
        call.status = CallStatus.DECLINED;
        emit CallDeclined(ticket, call.callHash, reason);
    }

    /// @inheritdoc IApprovals
    function checkDeclined(uint256 ticket) external view {
        CallStatus status = _waiting[ticket].status;
        if (status != CallStatus.DECLINED) revert CallDoesNotWait(ticket, status);
    }

    /// @inheritdoc IApprovals
    function waiting(uint256 ticket) external view returns (WaitingCall memory call) {
        call = _waiting[ticket];
        call.status = _statusOf(ticket, call.status);
    }

    /// @inheritdoc IApprovals
    function tickets() external view returns (uint256) {
        return _tickets;
    }

    /// @inheritdoc IApprovals
    function callHashOf(IERCAgentTool tool, IERCAgentTool.Input calldata input)
        public
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(tool, input));
    }

    /// @dev What waits, or was approved and not made, is an agent's that is none any more.
    function _voidTickets() internal {
        _voidUpTo = _tickets;
    }

    /// @dev Takes the approval of a call. Reverts if there is none.
    function _useApproval(uint256 ticket, IERCAgentTool.Input calldata input)
        internal
        returns (IERCAgentTool tool)
    {
        WaitingCall storage call = _waiting[ticket];
        CallStatus status = _statusOf(ticket, call.status);
        if (status != CallStatus.APPROVED || block.timestamp > call.until) {
            revert CallNotApproved(ticket, status, call.until);
        }
        tool = IERCAgentTool(call.tool);
        bytes32 hash = callHashOf(tool, input);
        if (call.callHash != hash) revert OtherCall(ticket, call.callHash, hash);
        call.status = CallStatus.MADE;
    }

    function _openCall(uint256 ticket) private view returns (WaitingCall storage call) {
        call = _waiting[ticket];
        CallStatus status = _statusOf(ticket, call.status);
        if (!_isOpen(status)) revert CallDoesNotWait(ticket, status);
    }

    function _statusOf(uint256 ticket, CallStatus stored) private view returns (CallStatus) {
        return _isOpen(stored) && ticket <= _voidUpTo ? CallStatus.VOID : stored;
    }

    function _isOpen(CallStatus status) private pure returns (bool) {
        return status == CallStatus.WAITING || status == CallStatus.APPROVED;
    }
}
