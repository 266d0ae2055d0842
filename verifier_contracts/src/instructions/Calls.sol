// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Kinds} from "./Kinds.sol";
import {ParsedTokens} from "./ParsedTokens.sol";
import {Tokens} from "./Tokens.sol";

/// @notice A call that a prompt asks for.
/// @param action Its tag.
/// @param filled By slot the token that fills it; zero of slots that the action does not need.
struct PlannedCall {
    uint256 action;
    uint256[3] filled;
}

/// @title From a network's tags to the calls that a prompt asks for, exactly as
///   `models/instructions/calls.py`
/// @notice A tag at an amount, an asset or a payee begins a call, or adds to the one before it. What a
///   call lacks it borrows: of the nearest call of its own action, an earlier one first, then of the
///   nearest other. Whatever does not come out whole is no call at all.
library Calls {
    uint256 internal constant MOST_CALLS = 4;

    uint256 internal constant ARGUMENT = 1;
    uint256 internal constant DEPOSIT = 2;
    uint256 internal constant WITHDRAW = 3;
    uint256 internal constant TRANSFER = 4;
    uint256 internal constant VIEW = 5;

    uint256 internal constant AMOUNT = 0;
    uint256 internal constant ASSET = 1;
    uint256 internal constant PAYEE = 2;

    uint256 private constant TAG_BITS = 3;
    uint256 private constant LAST_PLACE = 29;

    /// @notice The calls in order; none where the tags do not come to whole calls.
    /// @param parse As `ParsedTokens` has it, with `count` tokens.
    /// @param tags 3 bits for each of 30 places, the first place highest.
    function plan(bytes calldata parse, uint256 count, uint256 tags)
        internal
        pure
        returns (PlannedCall[] memory calls)
    {
        PlannedCall[] memory own = new PlannedCall[](MOST_CALLS);
        uint256 found = 0;
        unchecked {
            for (uint256 i = 0; i < count; ++i) {
                uint256 token = ParsedTokens.tokenAt(parse, i);
                uint256 place = Tokens.placeOf(token);
                if (place > LAST_PLACE) return calls;
                uint256 tag = (tags >> (TAG_BITS * (LAST_PLACE - place))) & 7;
                uint256 kind = Tokens.kindOf(token);
                if (tag == 0 || kind == Kinds.DOUBT) continue;
                if (tag != ARGUMENT) {
                    if (found == MOST_CALLS) return calls;
                    own[found++].action = tag;
                }
                if (found == 0) return calls;
                uint256[3] memory filled = own[found - 1].filled;
                uint256 slot = _slotOf(kind);
                if (filled[slot] != 0) return calls;
                filled[slot] = token;
            }
        }
        assembly ("memory-safe") {
            mstore(own, found)
        }
        return _completed(own);
    }

    /// @dev With what each call borrows; empty unless all come out whole.
    function _completed(PlannedCall[] memory own)
        private
        pure
        returns (PlannedCall[] memory calls)
    {
        PlannedCall[] memory whole = new PlannedCall[](own.length);
        for (uint256 i = 0; i < own.length; ++i) {
            uint256 action = own[i].action;
            whole[i].action = action;
            for (uint256 slot = AMOUNT; slot <= PAYEE; ++slot) {
                if (!_needs(action, slot)) continue;
                uint256 token = _found(own, i, slot);
                if (token == 0) return calls;
                whole[i].filled[slot] = token;
            }
        }
        return whole;
    }

    function _needs(uint256 action, uint256 slot) private pure returns (bool) {
        if (slot == ASSET) return true;
        return slot == AMOUNT ? action != VIEW : action == TRANSFER;
    }

    function _found(PlannedCall[] memory own, uint256 index, uint256 slot)
        private
        pure
        returns (uint256 token)
    {
        token = own[index].filled[slot];
        if (token != 0) return token;
        token = _lent(own, index, slot, true);
        return token != 0 ? token : _lent(own, index, slot, false);
    }

    /// @dev Of the nearest call that has it, among those of the same action or among the others: an
    ///   earlier one first.
    function _lent(PlannedCall[] memory own, uint256 index, uint256 slot, bool same)
        private
        pure
        returns (uint256 token)
    {
        uint256 action = own[index].action;
        for (uint256 i = index; i > 0; --i) {
            token = own[i - 1].filled[slot];
            if (token != 0 && (own[i - 1].action == action) == same) return token;
        }
        for (uint256 i = index + 1; i < own.length; ++i) {
            token = own[i].filled[slot];
            if (token != 0 && (own[i].action == action) == same) return token;
        }
        return 0;
    }

    function _slotOf(uint256 kind) private pure returns (uint256) {
        if (kind < Kinds.DOUBT) return AMOUNT;
        return kind == Kinds.SYMBOL ? ASSET : PAYEE;
    }
}
