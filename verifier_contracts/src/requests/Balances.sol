// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IRequestDesk} from "../interfaces/IRequestDesk.sol";

/// @title What a desk owes accounts, who take it themselves
/// @notice Nobody is paid on the way: a recipient that refuses, or does something else first, only
///   concerns its own withdrawal.
abstract contract Balances is IRequestDesk {
    mapping(address account => uint256) private _balances;

    /// @inheritdoc IRequestDesk
    function deposit(address account) external payable {
        _credit(account, msg.value);
        emit Deposited(account, msg.sender, msg.value);
    }

    /// @inheritdoc IRequestDesk
    function withdraw(address payable to, uint256 amount) external {
        _debit(msg.sender, amount);
        emit Withdrawn(msg.sender, to, amount);
        bool taken;
        assembly ("memory-safe") {
            taken := call(gas(), to, amount, 0, 0, 0, 0)
        }
        if (!taken) revert PaymentRefused(to, amount);
    }

    /// @inheritdoc IRequestDesk
    function balanceOf(address account) external view returns (uint256) {
        return _balances[account];
    }

    /// @dev Takes a fee out of what was sent and, where that is too little, the sender's balance.
    function _collect(uint256 fee) internal {
        if (msg.value > fee) _credit(msg.sender, msg.value - fee);
        else if (msg.value < fee) _debit(msg.sender, fee - msg.value);
    }

    function _credit(address account, uint256 amount) internal {
        if (amount != 0) _balances[account] += amount;
    }

    function _debit(address account, uint256 amount) internal {
        uint256 balance = _balances[account];
        if (balance < amount) revert BalanceTooLow(account, balance, amount);
        _balances[account] = balance - amount;
    }
}
