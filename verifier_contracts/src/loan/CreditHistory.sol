// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {CreditRecord, ICreditHistory} from "../interfaces/ICreditHistory.sol";

/// @title A credit history that one reporter writes, for demonstrations
contract CreditHistory is ICreditHistory {
    address private immutable _reporter;

    mapping(address account => CreditRecord) private _records;
    mapping(address pool => bool) private _reports;

    /// @param reporter Who writes records and names pools.
    constructor(address reporter) {
        _reporter = reporter;
    }

    /// @inheritdoc ICreditHistory
    function report(address account, CreditRecord calldata record) external {
        _onlyReporter();
        _records[account] = record;
        emit RecordChanged(account, record);
    }

    /// @notice Lets a pool count the loans that it pays out, or not any more. For the reporter.
    function setPool(address pool, bool reports) external {
        _onlyReporter();
        _reports[pool] = reports;
        emit PoolChanged(pool, reports);
    }

    /// @inheritdoc ICreditHistory
    function opened(address account) external {
        if (!_reports[msg.sender]) revert CallerIsNotAReporter(msg.sender);
        ++_records[account].open;
        emit RecordChanged(account, _records[account]);
    }

    /// @inheritdoc ICreditHistory
    function recordOf(address account) external view returns (CreditRecord memory) {
        return _records[account];
    }

    function _onlyReporter() private view {
        if (msg.sender != _reporter) revert CallerIsNotAReporter(msg.sender);
    }
}
