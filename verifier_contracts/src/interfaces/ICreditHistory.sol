// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What is known of an account's loans.
/// @param repaid Loans paid back.
/// @param defaulted Loans not paid back.
/// @param ageMonths Months since its first loan.
/// @param collateralPercent What it has pledged, in hundredths of what it owes.
/// @param open Loans that are not due yet.
struct CreditRecord {
    uint256 repaid;
    uint256 defaulted;
    uint256 ageMonths;
    uint256 collateralPercent;
    uint256 open;
}

/// @title Where credit scores come from
interface ICreditHistory {
    /// @notice An account's record was changed by whoever reports.
    event RecordChanged(address indexed account, CreditRecord record);

    /// @notice A pool may report loans from now on, or not any more.
    event PoolChanged(address indexed pool, bool reports);

    /// @notice Only the reporter, or for an opened loan a pool that it named, may write records.
    error CallerIsNotAReporter(address caller);

    /// @notice The record of `account`; all zero for one that nothing is known of.
    function recordOf(address account) external view returns (CreditRecord memory);

    /// @notice Writes an account's record. For the reporter.
    function report(address account, CreditRecord calldata record) external;

    /// @notice Counts a loan that was paid out. For pools that the reporter named.
    function opened(address account) external;
}

/// @title An agent whose encoder reads a credit history
interface ICreditHistoryUser {
    /// @notice The history that scores are made of.
    function creditHistory() external view returns (ICreditHistory);
}
