// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What of a frame a revert would undo
/// @notice For who rolls a call back and goes on: the call must not have decided anything, or a claim
///   would count as unused, and a wrong one as if it had never been taken.
interface IFrameWatch {
    /// @notice How many claims the open frame has used, and whether it will revert in any case. None
    ///   and no where no frame is open.
    function frameSoFar() external view returns (uint256 claimsUsed, bool poisoned);
}
