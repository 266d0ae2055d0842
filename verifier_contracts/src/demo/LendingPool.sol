// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

import {ILendingPool} from "../interfaces/ILendingPool.sol";

/// @title The demo's pool: keeps deposits, pays no interest
/// @notice Tokens whose balances change by themselves (rebasing) do not belong in here.
contract LendingPool is ILendingPool, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    mapping(address account => mapping(address asset => uint256)) private _deposits;

    /// @inheritdoc ILendingPool
    function deposit(address asset, uint256 amount) external nonReentrant {
        uint256 before = IERC20(asset).balanceOf(address(this));
        IERC20(asset).safeTransferFrom(msg.sender, address(this), amount);
        uint256 arrived = IERC20(asset).balanceOf(address(this)) - before;
        _deposits[msg.sender][asset] += arrived;
        emit Deposited(msg.sender, asset, arrived);
    }

    /// @inheritdoc ILendingPool
    function withdraw(address asset, uint256 amount) external nonReentrant {
        uint256 deposited = _deposits[msg.sender][asset];
        if (amount > deposited) revert InsufficientDeposit(msg.sender, asset, amount, deposited);
        _deposits[msg.sender][asset] = deposited - amount;
        emit Withdrawn(msg.sender, asset, amount);
        IERC20(asset).safeTransfer(msg.sender, amount);
    }

    /// @inheritdoc ILendingPool
    function depositOf(address account, address asset) external view returns (uint256) {
        return _deposits[account][asset];
    }
}
