// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "./Ascii.sol";
import {ParseFormat} from "./ParseFormat.sol";

/// @notice What the reasoning entries tell.
/// @param taken How often each action was taken, at most 255: action i in bits 8 i to 8 i + 7.
/// @param entries How many entries are not empty.
/// @param lastAction The last entry's action; `NO_ACTION` if it is foreign or there is no entry.
/// @param observation The last entry's observation, as in `Parse`.
struct History {
    uint256 taken;
    uint256 entries;
    uint256 lastAction;
    uint256 observation;
}

/// @title From the agent's reasoning to its history, exactly as `models/encoding/context.py`
library HistoryReading {
    uint256 internal constant NO_ACTION = type(uint256).max;
    /// @dev Counts stop at 255, far above what the encoder clamps them to.
    uint256 internal constant COUNT_BITS = 8;

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
                    history.taken = _countUp(history.taken, history.lastAction * COUNT_BITS);
                }
            }
            if (history.lastAction != NO_ACTION) {
                history.observation = _observation(reasoning[last], last, prefixLength);
            }
        }
    }

    function _countUp(uint256 taken, uint256 shift) private pure returns (uint256) {
        unchecked {
            return (taken >> shift) & 0xff == 0xff ? taken : taken + (1 << shift);
        }
    }

    /// @dev The first action whose prefix the entry begins with, and that prefix's length.
    function _match(string calldata entry, uint256 prefixes, uint256 actions)
        private
        pure
        returns (uint256 action, uint256 length)
    {
        action = NO_ACTION;
        assembly ("memory-safe") {
            let pos := prefixes
            for { let i := 0 } lt(i, actions) { i := add(i, 1) } {
                length := shr(240, mload(pos))
                pos := add(pos, 2)
                let differs := gt(length, entry.length)
                for { let k := 0 } lt(k, length) { k := add(k, 32) } {
                    if differs { break }
                    differs := xor(calldataload(add(entry.offset, k)), mload(add(pos, k)))
                    let rest := sub(length, k)
                    if lt(rest, 32) { differs := shr(sub(256, shl(3, rest)), differs) }
                }
                if iszero(differs) {
                    action := i
                    break
                }
                pos := add(pos, length)
            }
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

    /// @notice The observation of an entry whose JSON begins at `from`, as in `Parse`; zero if it has none.
    function observationOf(string calldata entry, uint256 index, uint256 from)
        internal
        pure
        returns (uint256)
    {
        return _observation(entry, index, from);
    }

    /// @notice Where the line that `from` lies in ends.
    function lineEnd(string calldata entry, uint256 from) internal pure returns (uint256 end) {
        end = _newline(entry, from);
        if (end > bytes(entry).length) end = bytes(entry).length;
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
}
