// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IBudgets} from "../interfaces/guards/IBudgets.sol";
import {GuardState} from "./GuardState.sol";

/// @title What may be spent, and what was
/// @notice Balances are read at both ends of every call. Every fall since the last reading of the same
///   transaction counts, and no rise does.
abstract contract Budgets is GuardState, IBudgets {
    uint256 private constant MOST_BUDGETS = 8;
    uint128 private constant NO_TOTAL = type(uint128).max;
    uint96 private constant NO_LIMIT = type(uint96).max;
    /// @dev Of the transient words that hold last readings, beside the asset's address.
    uint256 private constant READINGS = uint256(keccak256("zkagent.guard.readings")) << 160;
    uint256 private constant ERC20_BALANCE_OF = 0x70a08231;

    struct Budget {
        address asset;
        uint96 perCall;
        uint128 total;
        uint128 spent;
    }

    mapping(uint256 index => Budget) private _budgets;

    /// @dev What the call under way named itself: its budget's index from 1, and how much.
    uint256 private transient _namedBudget;
    uint256 private transient _namedAmount;

    /// @inheritdoc IBudgets
    function setBudget(address asset, uint128 total, uint96 perCall) external {
        uint256 index = _indexOf(asset);
        Budget storage budget = _budgets[index];
        bool isNew = index == _state.budgets;
        _authorizeChange(isNew || total > budget.total || perCall > budget.perCall);
        if (isNew) _addBudget(budget, asset);
        (budget.total, budget.perCall) = (total, perCall);
        emit BudgetSet(asset, total, perCall);
    }

    /// @inheritdoc IBudgets
    function dropBudget(address asset) external {
        _authorizeChange(true);
        uint256 index = _indexOf(asset);
        uint256 last = _state.budgets;
        if (index == last--) revert AssetHasNoBudget(asset);
        emit BudgetDropped(asset, _budgets[index].spent);
        _budgets[index] = _budgets[last];
        delete _budgets[last];
        _state.budgets = uint8(last);
    }

    /// @inheritdoc IBudgets
    function budgetOf(address asset)
        external
        view
        returns (uint256 total, uint256 spent, uint256 remaining, uint256 perCall)
    {
        uint256 index = _indexOf(asset);
        if (index == _state.budgets) revert AssetHasNoBudget(asset);
        Budget storage budget = _budgets[index];
        (total, spent, perCall) = (budget.total, budget.spent, budget.perCall);
        remaining = _remaining(total, spent);
    }

    /// @inheritdoc IBudgets
    function budgetedAssets() external view returns (address[] memory assets) {
        assets = new address[](_state.budgets);
        for (uint256 i = 0; i < assets.length; ++i) {
            assets[i] = _budgets[i].asset;
        }
    }

    /// @dev Before a call: what went since the last reading is spent, and what the call names has to be
    ///   within its budget.
    function _readBalances(uint256 count, bool names, address named, uint256 amount) internal {
        uint256 found = 0;
        for (uint256 i = 0; i < count; ++i) {
            Budget storage budget = _budgets[i];
            address asset = budget.asset;
            uint256 lost = _lostSinceLastReading(asset);
            if (lost != 0) _spend(budget, asset, lost);
            if (!names || asset != named) continue;
            _checkLimits(budget, asset, amount);
            found = i + 1;
        }
        if (!names) return;
        if (found == 0) revert AssetHasNoBudget(named);
        (_namedBudget, _namedAmount) = (found, amount);
    }

    /// @dev After a call: what it took, or named if that is more, is spent.
    function _chargeCall(uint256 count) internal {
        uint256 named = _namedBudget;
        for (uint256 i = 0; i < count; ++i) {
            Budget storage budget = _budgets[i];
            address asset = budget.asset;
            uint256 amount = _lostSinceLastReading(asset);
            if (named == i + 1) {
                uint256 most = _namedAmount;
                if (most > amount) amount = most;
                _namedBudget = 0;
            }
            if (amount == 0) continue;
            uint256 perCall = budget.perCall;
            if (amount > perCall && perCall != NO_LIMIT) {
                revert CallLimitExceeded(asset, amount, perCall);
            }
            _spend(budget, asset, amount);
        }
    }

    function _addBudget(Budget storage budget, address asset) private {
        uint256 count = _state.budgets;
        if (count == MOST_BUDGETS) revert TooManyBudgets(MOST_BUDGETS);
        _balanceOf(asset);
        budget.asset = asset;
        _state.budgets = uint8(count + 1);
    }

    function _spend(Budget storage budget, address asset, uint256 amount) private {
        (uint256 total, uint256 spent) = (budget.total, budget.spent);
        uint256 remaining = _remaining(total, spent);
        if (amount > remaining) revert BudgetExceeded(asset, amount, remaining);
        // Without a limit, what does not fit any more is as good as the highest number.
        spent = amount > NO_TOTAL - spent ? NO_TOTAL : spent + amount;
        budget.spent = uint128(spent);
        emit Spent(asset, amount, spent);
    }

    function _checkLimits(Budget storage budget, address asset, uint256 amount) private view {
        (uint256 perCall, uint256 remaining) =
            (budget.perCall, _remaining(budget.total, budget.spent));
        if (amount > perCall && perCall != NO_LIMIT) {
            revert CallLimitExceeded(asset, amount, perCall);
        }
        if (amount > remaining) revert BudgetExceeded(asset, amount, remaining);
    }

    function _remaining(uint256 total, uint256 spent) private pure returns (uint256) {
        if (total == NO_TOTAL) return type(uint256).max;
        return spent < total ? total - spent : 0;
    }

    /// @dev The index of a budget; how many there are if the asset has none.
    function _indexOf(address asset) private view returns (uint256 index) {
        uint256 count = _state.budgets;
        while (index < count && _budgets[index].asset != asset) ++index;
    }

    /// @dev Reads the balance, and how much less it is than at the last reading of this transaction.
    ///   Readings are kept plus one, so that zero says that there was none.
    function _lostSinceLastReading(address asset) private returns (uint256 lost) {
        uint256 held = _balanceOf(asset);
        uint256 slot = READINGS | uint160(asset);
        uint256 last;
        assembly ("memory-safe") {
            last := tload(slot)
            tstore(slot, add(held, 1))
        }
        if (last > held + 1) lost = last - held - 1;
    }

    /// @dev At most the highest number but one: one more has to fit.
    function _balanceOf(address asset) private view returns (uint256 held) {
        if (asset == address(0)) return _wallet.balance;
        address holder = _wallet;
        bool told;
        assembly ("memory-safe") {
            mstore(0, shl(224, ERC20_BALANCE_OF))
            mstore(4, holder)
            told := staticcall(gas(), asset, 0, 36, 0, 32)
            told := and(told, gt(returndatasize(), 31))
            held := mload(0)
        }
        if (!told) revert BalanceUnreadable(asset);
        if (held == type(uint256).max) held = type(uint256).max - 1;
    }
}
