// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Kinds} from "./Kinds.sol";
import {ParsedTokens} from "./ParsedTokens.sol";
import {Quantities} from "./Quantities.sol";
import {Tokens} from "./Tokens.sol";

/// @title From a network's tags to the calls that a prompt asks for, exactly as
///   `models/instructions/calls.py`
/// @notice A tag at an amount, an asset or a payee begins a call, or adds to the one before it. What a
///   call lacks it borrows: of the nearest call of its own action, an earlier one first, then of the
///   nearest other. What no call takes keeps clauses apart: a call does not reach over a token of a slot
///   that it has already, nor does it borrow what is said where it stands. Whatever does not come out
///   whole is no call at all.
/// @dev A call is words in memory: its tag; by slot the token that fills it, zero of slots that the action
///   does not need; and room for its asset's token, see `InstructionDecoder`, and its units. Until calls
///   are completed, that room has a bit for each slot of which a token stands untaken where the call does.
library Calls {
    uint256 internal constant MOST_CALLS = 4;
    uint256 internal constant BYTES = 192;

    uint256 internal constant ARGUMENT = 1;
    uint256 internal constant DEPOSIT = 2;
    uint256 internal constant WITHDRAW = 3;
    uint256 internal constant TRANSFER = 4;
    uint256 internal constant VIEW = 5;

    // Offsets in a call.
    uint256 internal constant AMOUNT = 32;
    uint256 internal constant ASSET = 64;
    uint256 internal constant PAYEE = 96;
    uint256 internal constant TOKEN = 128;
    uint256 internal constant UNITS = 160;

    uint256 private constant TAG_BITS = 3;
    uint256 private constant LAST_PLACE = 29;
    /// @dev By the kind of a token, a byte each from the lowest on, what it fills; zero of a doubt.
    uint256 private constant SLOTS = 0x60606040002020202020200000;

    /// @notice The calls in order.
    /// @param parse As `ParsedTokens` has it.
    /// @param tags 3 bits for each of 30 places, the first place highest.
    /// @return first Memory position of the first one; the others behind it.
    /// @return count How many they are; none where the tags do not come to whole calls.
    /// @return doubt The prompt's first token in doubt, zero if there is none.
    function plan(bytes calldata parse, uint256 tags)
        internal
        pure
        returns (uint256 first, uint256 count, uint256 doubt)
    {
        unchecked {
            (uint256 pos, uint256 end) = ParsedTokens.tokens(parse);
            uint256 room = MOST_CALLS * BYTES;
            assembly ("memory-safe") {
                first := mload(0x40)
                mstore(0x40, add(first, room))
            }
            uint256 call_ = first - BYTES;
            bool whole = true;
            // By slot, a bit each: tokens that no call took since the last one that a call did; and whether
            // the call that was begun has that slot.
            uint256 untaken;
            bool passed;
            for (; pos < end; pos += 32) {
                uint256 token = ParsedTokens.load(pos);
                uint256 slot = call_ + ((SLOTS >> (8 * Tokens.kindOf(token))) & 0xff);
                if (slot == call_) {
                    if (doubt == 0) doubt = token;
                    continue;
                }
                if (!whole) continue;
                uint256 place = Tokens.placeOf(token);
                if (place > LAST_PLACE) {
                    whole = false;
                    continue;
                }
                uint256 tag = tagAt(tags, place);
                if (tag == 0) {
                    if (Tokens.kindOf(token) == Kinds.OWNER) continue;
                    untaken |= 1 << (slot - call_);
                    if (count != 0 && _isPassed(at(slot))) passed = true;
                    continue;
                }
                if (tag == ARGUMENT) {
                    whole = count != 0 && at(slot) == 0 && !passed;
                    if (!whole) continue;
                } else {
                    whole = count != MOST_CALLS;
                    if (!whole) continue;
                    if (untaken != 0 && count != 0) _leave(call_, untaken);
                    ++count;
                    (slot, call_) = (slot + BYTES, call_ + BYTES);
                    _begin(call_, tag);
                    passed = false;
                }
                put(slot, token);
                if (untaken != 0) {
                    _leave(call_, untaken);
                    untaken = 0;
                }
            }
            if (untaken != 0 && count != 0) _leave(call_, untaken);
            if (!whole || !_completed(first, count)) count = 0;
        }
    }

    /// @notice How many of so many calls are views.
    function views(uint256 first, uint256 count) internal pure returns (uint256 found) {
        unchecked {
            for (uint256 end = first + BYTES * count; first < end; first += BYTES) {
                if (at(first) == VIEW) ++found;
            }
        }
    }

    /// @notice Whether it is not plain what a part of a balance is a part of: each is of what is there when
    ///   its turn comes. Of calls that are no views.
    function mixBalances(uint256 first, uint256 count) internal pure returns (bool) {
        unchecked {
            if (count == 1) return false;
            uint256 partials = 0;
            bool withdraws = false;
            bool others = false;
            for (uint256 i = 0; i < count; ++i) {
                uint256 call_ = first + BYTES * i;
                uint256 action = at(call_);
                uint256 amount = at(call_, AMOUNT);
                uint256 share = Quantities.shareOf(amount);
                if (action == WITHDRAW) withdraws = true;
                if (share == 0) continue;
                if (share > 1 || Quantities.isBut(amount)) ++partials;
                if (action != WITHDRAW) others = true;
                for (uint256 j = i + 1; j < count; ++j) {
                    uint256 other = first + BYTES * j;
                    if (at(other, AMOUNT) == amount && at(other) != action) return true;
                }
            }
            return partials > 1 || (withdraws && others);
        }
    }

    /// @notice The tag of the token at `place`.
    function tagAt(uint256 tags, uint256 place) internal pure returns (uint256) {
        unchecked {
            return (tags >> (TAG_BITS * (LAST_PLACE - place))) & 7;
        }
    }

    /// @notice The word at `pos` in memory.
    function at(uint256 pos) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(pos)
        }
    }

    /// @notice Writes the word at `pos` in memory.
    function put(uint256 pos, uint256 word) internal pure {
        assembly ("memory-safe") {
            mstore(pos, word)
        }
    }

    /// @notice A call's word at an offset.
    function at(uint256 call_, uint256 offset) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(call_, offset))
        }
    }

    /// @notice Writes a call's word at an offset.
    function put(uint256 call_, uint256 offset, uint256 word) internal pure {
        assembly ("memory-safe") {
            mstore(add(call_, offset), word)
        }
    }

    /// @dev Whether the token of a slot, zero if there is none, ends a call before another one of that
    ///   slot: all do but what all but an amount is told by.
    function _isPassed(uint256 token) private pure returns (bool) {
        return token != 0 && !Quantities.isBut(token);
    }

    function _leave(uint256 call_, uint256 untaken) private pure {
        put(call_, TOKEN, at(call_, TOKEN) | untaken);
    }

    function _begin(uint256 pos, uint256 tag) private pure {
        uint256 size = BYTES;
        assembly ("memory-safe") {
            calldatacopy(pos, calldatasize(), size)
            mstore(pos, tag)
        }
    }

    /// @dev Gives each call what it borrows, and takes from it what it does not need. False unless all come
    ///   out whole.
    function _completed(uint256 first, uint256 count) private pure returns (bool) {
        unchecked {
            uint256 own = count > 1 ? _copy(first, count) : first;
            for (uint256 i = 0; i < count; ++i) {
                uint256 call_ = first + BYTES * i;
                uint256 action = at(call_);
                if (action == VIEW) {
                    put(call_, AMOUNT, 0);
                } else if (at(call_, AMOUNT) == 0 && !_borrows(own, count, i, call_, AMOUNT)) {
                    return false;
                }
                if (at(call_, ASSET) == 0 && !_borrows(own, count, i, call_, ASSET)) return false;
                if (action != TRANSFER) {
                    put(call_, PAYEE, 0);
                } else if (at(call_, PAYEE) == 0 && !_borrows(own, count, i, call_, PAYEE)) {
                    return false;
                }
                put(call_, TOKEN, 0);
            }
            return true;
        }
    }

    function _copy(uint256 first, uint256 count) private pure returns (uint256 copy) {
        uint256 size = BYTES * count;
        assembly ("memory-safe") {
            copy := mload(0x40)
            mcopy(copy, first, size)
            mstore(0x40, add(copy, size))
        }
    }

    /// @dev Whether a slot that is needed and empty is filled by another call.
    function _borrows(uint256 own, uint256 count, uint256 index, uint256 call_, uint256 slot)
        private
        pure
        returns (bool)
    {
        unchecked {
            if ((at(own + BYTES * index, TOKEN) >> slot) & 1 != 0) return false;
        }
        uint256 token = _lentBy(own, count, index, slot, true);
        if (token == 0) token = _lentBy(own, count, index, slot, false);
        if (token != 0) put(call_, slot, token);
        return token != 0;
    }

    /// @dev Of the nearest call that has it, among those of the same action or among the others: an
    ///   earlier one first.
    function _lentBy(uint256 own, uint256 count, uint256 index, uint256 slot, bool same)
        private
        pure
        returns (uint256 token)
    {
        unchecked {
            uint256 action = at(own + BYTES * index);
            for (uint256 i = index; i > 0; --i) {
                uint256 call_ = own + BYTES * (i - 1);
                token = at(call_, slot);
                if (token != 0 && (at(call_) == action) == same) return token;
            }
            for (uint256 i = index + 1; i < count; ++i) {
                uint256 call_ = own + BYTES * i;
                token = at(call_, slot);
                if (token != 0 && (at(call_) == action) == same) return token;
            }
            return 0;
        }
    }
}
