// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What loosens a guard is announced first
/// @notice The owner announces the very call that will be made (its calldata), waits for the delay, and
///   makes it. Without a delay, and for what tightens, there is nothing to announce.
interface IDelayedChanges {
    /// @notice This call may be made once the delay is over.
    event ChangeAnnounced(bytes32 indexed id, bytes call, uint256 possibleFrom);

    /// @notice This call may not be made any longer.
    event ChangeWithdrawn(bytes32 indexed id);

    /// @notice The delay of later changes.
    event DelaySet(uint32 previous, uint32 delay);

    /// @notice The change loosens the guard: announce it first.
    error ChangeNotAnnounced(bytes32 id);

    /// @notice The delay is not over.
    error ChangeTooEarly(bytes32 id, uint256 possibleFrom);

    /// @notice Announces a call of this guard.
    function announce(bytes calldata call) external;

    /// @notice Takes an announcement back.
    function withdrawChange(bytes32 id) external;

    /// @notice Sets the delay, in seconds. A shorter one loosens.
    function setDelay(uint32 delay_) external;

    /// @notice Seconds between announcing and making a change that loosens.
    function delay() external view returns (uint32);

    /// @notice When a call was announced; 0 if it was not.
    function announcedAt(bytes32 id) external view returns (uint256);
}
