// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IFrameWatch} from "../interfaces/IFrameWatch.sol";
import {ILookingTool} from "../interfaces/ILookingTool.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {IApprovals} from "../interfaces/guards/IApprovals.sol";
import {IGuard, Way} from "../interfaces/guards/IGuard.sol";
import {IGuardedCalls} from "../interfaces/guards/IGuardedCalls.sol";

/// @title Calls tools by way of a guard
/// @notice At once, after the owner's approval, or on paper. Failures pass unchanged, in all of these.
/// @dev A call on paper is a call of the contract to itself, which always reverts. What it carries out is
///   made by this contract alone: a tool's own revert data is wrapped, so that none can pass for a result.
///   Agents are near the limit of a contract's size: hence one function for all calls of tools.
abstract contract GuardedCalls is IGuardedCalls {
    string private constant DECLINED = "The owner declined this call.";

    /// @inheritdoc IGuardedCalls
    function makeApproved(uint256 ticket, IERCAgentTool.Input memory input) external {
        _checkAwaited(ticket);
        IGuard guard_ = guard();
        IERCAgentTool named = IApprovals(address(guard_)).beforeApprovedCall(ticket, input);
        string memory result = _runGuarded(guard_, named, _behind(named), input);
        emit ApprovedCallMade(ticket);
        _deliver(ticket, result);
    }

    /// @inheritdoc IGuardedCalls
    function tellDeclined(uint256 ticket) external {
        _checkAwaited(ticket);
        IApprovals(address(guard())).checkDeclined(ticket);
        emit DeclinedCallTold(ticket);
        _deliver(ticket, DECLINED);
    }

    /// @inheritdoc IGuardedCalls
    function callOnPaper(IERCAgentTool named, IERCAgentTool tool, IERCAgentTool.Input memory input)
        external
    {
        if (msg.sender != address(this)) {
            revert CallerIsNotItself(msg.sender);
        }
        uint256 before = _decided();
        IGuard guard_ = guard();
        guard_.beforePaperCall(named, input.abiEncodedParams);
        (bool success, bytes memory returned) =
            address(tool).call(abi.encodeCall(IERCAgentTool.run, (input, address(0))));
        if (success) {
            if (_decided() != before) revert PaperCallDecides(address(named));
            guard_.afterCall(named);
        }
        revert PaperOutcome(success, returned);
    }

    /// @inheritdoc IGuardedCalls
    function guard() public view virtual returns (IGuard);

    /// @dev Calls `tool`, which the guard knows as `named`.
    /// @return runId -1 once there is a result; otherwise the ticket by which the call waits for the owner.
    function _callGuarded(IERCAgentTool named, IERCAgentTool tool, IERCAgentTool.Input memory input)
        internal
        returns (int256 runId, string memory result)
    {
        IGuard guard_ = guard();
        Way way = guard_.beforeCall(named, input.abiEncodedParams);
        if (way == Way.ON_PAPER) return (-1, _callOnPaper(named, tool, input));
        if (way == Way.ASK_FIRST) {
            return (int256(IApprovals(address(guard_)).ask(named, input)), "");
        }
        return (-1, _runGuarded(guard_, named, tool, input));
    }

    /// @dev Runs a tool, whoever asked whom before.
    function _run(IERCAgentTool tool, IERCAgentTool.Input memory input, address handler)
        internal
        returns (int256 runId, string memory result)
    {
        if (_onlyLooks(tool)) return ILookingTool(address(tool)).run(input, handler);
        return tool.run(input, handler);
    }

    /// @dev Whether the tool is called by a static call. Override it to have some called so.
    function _onlyLooks(IERCAgentTool) internal view virtual returns (bool) {
        return false;
    }

    /// @dev Hands a result to the run that waits by this ticket. Reverts if none does.
    function _deliver(uint256 ticket, string memory result) internal virtual;

    /// @dev Reverts with `NotWaitedFor` where none of this contract's runs waits by this ticket.
    function _checkAwaited(uint256 ticket) internal view virtual;

    /// @dev The tool to call for one that the guard knows as `named`, as it was when it was made known here.
    function _behind(IERCAgentTool named) internal view virtual returns (IERCAgentTool);

    /// @dev The executor by which agents decide.
    function _frames() internal view virtual returns (IFrameWatch);

    /// @dev The call that the guard let begin, and its end.
    function _runGuarded(
        IGuard guard_,
        IERCAgentTool named,
        IERCAgentTool tool,
        IERCAgentTool.Input memory input
    ) private returns (string memory result) {
        int256 runId;
        (runId, result) = _run(tool, input, address(0));
        _checkAnswered(tool, runId);
        guard_.afterCall(named);
    }

    function _callOnPaper(IERCAgentTool named, IERCAgentTool tool, IERCAgentTool.Input memory input)
        private
        returns (string memory result)
    {
        bytes memory reason;
        try this.callOnPaper(named, tool, input) {}
        catch (bytes memory reason_) {
            reason = reason_;
        }
        if (bytes4(reason) == PaperOutcome.selector) {
            bool success;
            (success, reason) = abi.decode(_arguments(reason), (bool, bytes));
            if (success) {
                int256 runId;
                (runId, result) = abi.decode(reason, (int256, string));
                _checkAnswered(tool, runId);
                return result;
            }
        }
        assembly ("memory-safe") {
            revert(add(reason, 32), mload(reason))
        }
    }

    /// @dev What a revert would undo of the open frame: claims that were used, and poison.
    function _decided() private view returns (uint256) {
        (uint256 used, bool poisoned) = _frames().frameSoFar();
        return poisoned ? type(uint256).max : used;
    }

    function _checkAnswered(IERCAgentTool tool, int256 runId) private pure {
        if (runId != -1) revert GuardedToolIsAsynchronous(address(tool), runId);
    }

    /// @dev What follows the selector; takes the place of it.
    function _arguments(bytes memory reason) private pure returns (bytes memory rest) {
        assembly ("memory-safe") {
            rest := add(reason, 4)
            mstore(rest, sub(mload(reason), 4))
        }
    }
}
