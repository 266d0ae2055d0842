// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "./Ascii.sol";
import {ParseFormat} from "./ParseFormat.sol";

/// @notice What the reasoning entries tell.
/// @param taken How often each action was taken: action i in bits 24 i to 24 i + 23.
/// @param entries How many entries are not empty.
/// @param lastAction The last entry's action; `NO_ACTION` if it is foreign or there is no entry.
/// @param observation The last entry's observation, as in `Parse`.
struct History {
    uint256 taken;
    uint256 entries;
    uint256 lastAction;
    uint256 observation;
}

/// @title From the agent's reasoning to its history, exactly as `models/context.py`
library HistoryReading {
    uint256 internal constant NO_ACTION = type(uint256).max;
    uint256 internal constant COUNT_BITS = 24;
    uint256 internal constant COUNT_MASK = 0xffffff;

    uint256 private constant NEWLINES = 0x0a * Ascii.ONES;
    bytes14 private constant MARKER = "\nObservation: ";
    uint256 private constant MARKER_LENGTH = 14;

    /// @notice Reads all entries; blank ones, which the ERC's sample leaves at the end, do not
    ///   count.
    /// @param prefixes Memory position of the actions' prefixes: length (2 bytes) and text of each.
    /// @param actions How many prefixes there are.
    function read(string[] calldata reasoning, uint256 prefixes, uint256 actions)
        internal
        pure
        returns (History memory history)
    {
        unchecked {
            uint256 last;
            uint256 prefixLength;
            history.lastAction = NO_ACTION;
            for (uint256 i = 0; i < reasoning.length; ++i) {
                string calldata entry = reasoning[i];
                if (bytes(entry).length == 0) continue;
                ++history.entries;
                last = i;
                (history.lastAction, prefixLength) = _match(entry, prefixes, actions);
                if (history.lastAction != NO_ACTION) {
                    history.taken += 1 << (history.lastAction * COUNT_BITS);
                }
            }
            if (history.lastAction != NO_ACTION) {
                history.observation = _observation(reasoning[last], last, prefixLength);
            }
        }
    }

    /// @dev The first action whose prefix the entry begins with, and that prefix's length.
    function _match(string calldata entry, uint256 pos, uint256 actions)
        private
        pure
        returns (uint256, uint256)
    {
        unchecked {
            for (uint256 action = 0; action < actions; ++action) {
                uint256 length = _load(pos) >> 240;
                pos += 2;
                if (_startsWith(entry, pos, length)) return (action, length);
                pos += length;
            }
            return (NO_ACTION, 0);
        }
    }

    function _startsWith(string calldata entry, uint256 prefix, uint256 length)
        private
        pure
        returns (bool)
    {
        unchecked {
            if (bytes(entry).length < length) return false;
            for (uint256 i = 0; i < length; i += 32) {
                if (Ascii.head(_at(entry, i) ^ _load(prefix + i), length - i) != 0) return false;
            }
            return true;
        }
    }

    /// @dev What stands behind the marker on the line after the JSON; zero if there is no such.
    function _observation(string calldata entry, uint256 index, uint256 from)
        private
        pure
        returns (uint256)
    {
        unchecked {
            uint256 end = bytes(entry).length;
            uint256 start = _newline(entry, from) + MARKER_LENGTH;
            if (start > end || bytes14(bytes32(_at(entry, start - MARKER_LENGTH))) != MARKER) {
                return 0;
            }
            if (start < end && _at(entry, end - 1) >> 248 == 0x0a) --end;
            return ParseFormat.packObservation(index, start, end);
        }
    }

    /// @dev Index of the first newline at or behind `i`, or some index at or behind the end.
    function _newline(string calldata entry, uint256 i) private pure returns (uint256) {
        unchecked {
            for (; i < bytes(entry).length; i += 32) {
                uint256 flags = Ascii.zeroBytes(_at(entry, i) ^ NEWLINES);
                if (flags != 0) return i + Ascii.first(flags);
            }
            return i;
        }
    }

    function _at(string calldata entry, uint256 i) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := calldataload(add(entry.offset, i))
        }
    }

    function _load(uint256 pos) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(pos)
        }
    }
}
