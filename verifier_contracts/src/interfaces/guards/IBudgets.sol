// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What an agent may spend, by asset; zero is the native one
/// @notice Spent is what the wallet's balance fell by during a call, whoever moved it, and also between
///   two calls of one transaction. It never falls again: what comes back, such as a withdrawal from a
///   pool, is no credit. What is put into a pool of the owner's is spent, too: the wallet has it no
///   longer. Permission to spend (`approve`, `permit`, `setApprovalForAll`) counts whole, when it is
///   given. Where a call names an amount itself, the higher of the two counts.
/// @dev Only assets with a budget are measured. A call that names another one by its `assetWord` is
///   refused.
interface IBudgets {
    /// @notice The owner set what may be spent of an asset in all, and in one call.
    event BudgetSet(address indexed asset, uint128 total, uint96 perCall);

    /// @notice The asset is not measured any longer.
    event BudgetDropped(address indexed asset, uint128 spent);

    /// @notice So much more of the asset was spent; `spent` is all so far.
    event Spent(address indexed asset, uint256 amount, uint256 spent);

    /// @notice The call would spend more than is left.
    error BudgetExceeded(address asset, uint256 amount, uint256 remaining);

    /// @notice The call would spend more than one call may.
    error CallLimitExceeded(address asset, uint256 amount, uint256 perCall);

    /// @notice Nothing is said of this asset, so nothing of it is spent.
    error AssetHasNoBudget(address asset);

    /// @notice The asset does not tell the wallet's balance.
    error BalanceUnreadable(address asset);

    /// @notice No more assets can be measured in each call.
    error TooManyBudgets(uint256 most);

    /// @notice Sets a budget. What was spent so far stays spent.
    /// @param total What may be spent in all, what was spent included; the highest number for no limit.
    /// @param perCall What one call may spend; the highest number for no limit.
    function setBudget(address asset, uint128 total, uint96 perCall) external;

    /// @notice Measures the asset no longer.
    function dropBudget(address asset) external;

    /// @notice What may be, was and can still be spent of an asset.
    function budgetOf(address asset)
        external
        view
        returns (uint256 total, uint256 spent, uint256 remaining, uint256 perCall);

    /// @notice The assets that have budgets.
    function budgetedAssets() external view returns (address[] memory);
}
