// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {CandidateSpan} from "./Candidate.sol";
import {Links} from "./Links.sol";
import {PromptWords} from "./PromptWords.sol";

/// @title Where candidates stand among a prompt's words, as `Surroundings` in `models/reader/pairs.py`
/// @notice A record is nine words: of words inside, the first and the one behind the last; how many end in front;
///   the first one behind, plus four; the roles of its kind and at its three seats, in the order in which roles were
///   met; all these times 32, as memory is read with them; then how many pieces it has, from 1 to 127.
library Surroundings {
    using PromptWords for PromptWords.Words;

    uint256 private constant RECORD_BYTES = 288;
    uint256 private constant FRONT_BYTES = 128;
    uint256 private constant MOST = 127;
    /// @dev A multiple of 32, and no less than `Links.ROLES`.
    uint256 private constant ROLES_ROOM = 96;

    /// @notice Roles as they were met.
    /// @param count How many.
    /// @param met Memory position of their numbers, a byte each, in this order.
    /// @param places Memory position: for each role one more than its place in that order, a byte; or zero.
    /// @param links Memory position of `Links`' table.
    struct Seats {
        uint256 count;
        uint256 met;
        uint256 places;
        uint256 links;
    }

    function make() internal pure returns (Seats memory seats) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, calldatasize(), mul(2, ROLES_ROOM))
            mstore(add(seats, 32), free)
            mstore(add(seats, 64), add(free, ROLES_ROOM))
            mstore(0x40, add(free, add(32, mul(2, ROLES_ROOM)))) // bytes are read as words
        }
        seats.links = Links.table();
    }

    /// @notice The records of candidates.
    /// @param found Their spans.
    function look(Seats memory seats, PromptWords.Words memory words, uint256[] memory found)
        internal
        pure
        returns (uint256 records)
    {
        unchecked {
            uint256 count = found.length;
            uint256 size = RECORD_BYTES * count;
            assembly ("memory-safe") {
                records := mload(0x40)
                mstore(0x40, add(records, size))
            }
            uint256 into = records;
            for (uint256 i = 0; i < count; ++i) {
                uint256 span = found[i];
                _write(seats, words, span, into);
                into += RECORD_BYTES;
            }
        }
    }

    function _write(Seats memory seats, PromptWords.Words memory words, uint256 span, uint256 into)
        private
        pure
    {
        unchecked {
            uint256 start = CandidateSpan.startOf(span);
            uint256 end = CandidateSpan.endOf(span);
            uint256 first = words.startingBefore(start);
            uint256 behind = words.startingBefore(end);
            uint256 last = words.endingBy(end, behind);
            if (last < first) last = first;
            _store(into, 32 * first);
            _store(into + 32, 32 * last);
            uint256 before = words.endingBy(start, first);
            _store(into + 64, 32 * before);
            _store(into + 96, 32 * behind + FRONT_BYTES);
            _store(into + 128, _place(seats, CandidateSpan.kindOf(span)));
            uint256 link = before < 1 ? Links.NOTHING : _link(seats, words, before - 1);
            _store(into + 160, _place(seats, Links.KINDS + link));
            link = before < 2 ? Links.NOTHING : _link(seats, words, before - 2);
            _store(into + 192, _place(seats, Links.KINDS + Links.COUNT + link));
            link = behind < words.count ? _link(seats, words, behind) : Links.NOTHING;
            _store(into + 224, _place(seats, Links.KINDS + 2 * Links.COUNT + link));
            uint256 pieces = CandidateSpan.lastOf(span) - CandidateSpan.firstOf(span);
            if (pieces == 0) pieces = 1;
            _store(into + 256, pieces < MOST ? pieces : MOST);
        }
    }

    function _link(Seats memory seats, PromptWords.Words memory words, uint256 i)
        private
        pure
        returns (uint256)
    {
        return Links.numberOf(seats.links, words.textAt(i));
    }

    /// @dev The place of a role among those that were met, times 32: the last one if it is new.
    function _place(Seats memory seats, uint256 role) private pure returns (uint256 place) {
        assembly ("memory-safe") {
            let at := add(mload(add(seats, 64)), role)
            place := byte(0, mload(at))
            if iszero(place) {
                let count := mload(seats)
                mstore8(add(mload(add(seats, 32)), count), role)
                place := add(count, 1)
                mstore(seats, place)
                mstore8(at, place)
            }
            place := shl(5, sub(place, 1))
        }
    }

    function _store(uint256 pos, uint256 value) private pure {
        assembly ("memory-safe") {
            mstore(pos, value)
        }
    }
}
