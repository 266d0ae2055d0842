// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title A pool that keeps deposits per account and asset
interface ILendingPool {
    /// @notice An account put tokens in; `amount` is what arrived.
    event Deposited(address indexed account, address indexed asset, uint256 amount);

    /// @notice An account took tokens out.
    event Withdrawn(address indexed account, address indexed asset, uint256 amount);

    /// @notice The account has less in the pool than it wants to take out.
    error InsufficientDeposit(address account, address asset, uint256 requested, uint256 deposited);

    /// @notice Takes `amount` from the caller, who has approved it, and credits what arrives.
    function deposit(address asset, uint256 amount) external;

    /// @notice Pays `amount` out to the caller.
    function withdraw(address asset, uint256 amount) external;

    /// @notice What the account has in the pool.
    function depositOf(address account, address asset) external view returns (uint256);
}
