// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IResultSource} from "../interfaces/IResultSource.sol";
import {IERCAgentClient} from "../interfaces/erc/IERCAgentClient.sol";
import {Callbacks} from "../requests/Callbacks.sol";

/// @title Hands a result to a handler that may be anybody's
library ResultDelivery {
    /// @notice What a handler is called with.
    uint256 internal constant HANDLER_GAS = 200_000;
    /// @dev Of revert data, what is worth an event.
    uint256 private constant MOST_REASON = 260;

    /// @notice Reverts unless there is no handler or it is a client.
    function check(address handler) internal view {
        if (handler != address(0) && !Callbacks.isClient(handler)) {
            revert IResultSource.HandlerIsNoClient(handler);
        }
    }

    /// @notice For runs that are over: calls the handler, if there is one, with limited gas, and tells of
    ///   its failure.
    /// @dev With less gas than promised it is not called, whoever sends: the sender does not choose
    ///   whether a handler fails.
    function deliver(address handler, int256 runId, string memory result) internal {
        if (handler == address(0)) return;
        bytes memory call_ = abi.encodeCall(IERCAgentClient.handleAgentResult, (runId, result));
        uint256 left = gasleft() - gasleft() / 64;
        uint256 given = HANDLER_GAS;
        if (left < given + 10_000) revert IResultSource.CallbackGasMissing(given + 10_000, left);
        bool success;
        assembly ("memory-safe") {
            success := call(given, handler, 0, add(call_, 32), mload(call_), 0, 0)
        }
        if (success) return;
        emit IResultSource.ResultUndelivered(runId, handler, result, _reason());
    }

    /// @dev As much as is worth it: a handler may return megabytes.
    function _reason() private pure returns (bytes memory reason) {
        uint256 most = MOST_REASON;
        assembly ("memory-safe") {
            reason := mload(0x40)
            let size := returndatasize()
            if gt(size, most) { size := most }
            mstore(reason, size)
            returndatacopy(add(reason, 32), 0, size)
            mstore(0x40, and(add(add(reason, size), 63), not(31)))
        }
    }
}
