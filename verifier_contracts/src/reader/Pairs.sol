// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Links} from "./Links.sol";
import {PromptWords} from "./PromptWords.sol";
import {Surroundings} from "./Surroundings.sol";

/// @title What a network is told of each parameter and each candidate for it, exactly as
///   `models/reader/pairs.py`
/// @dev The product of two words of 16 lanes has in its highest lane the sum of the products of the first lane of
///   one and the last of the other, and so on: no lane carries over into the next, as none gets beyond 16 bits.
library Pairs {
    uint256 internal constant MOST_PARAMETERS = 6;
    uint256 internal constant MOST_CANDIDATES = 8;
    /// @notice Bytes of all pairs, six each, and two of which parameters share candidates.
    uint256 internal constant BYTES = 6 * MOST_PARAMETERS * MOST_CANDIDATES + 2;
    /// @notice Of the data of roles: weights, a word each; then of each role 64 bytes, numbers that are 128 too large:
    ///   0, 1, 4, 5 and so on up to 61, then the others.
    uint256 internal constant ROLES_BYTES = WEIGHTS_BYTES + 64 * Links.ROLES;

    uint256 private constant WEIGHTS_BYTES = 192;
    uint256 private constant ROW_BYTES = 192;
    /// @dev Room for words that are not there, in front of all and behind.
    uint256 private constant FRONT_BYTES = 128;
    uint256 private constant BACK_BYTES = 64;
    uint256 private constant LOWEST =
        0x000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f;
    uint256 private constant SIGNS =
        0x8888888888888888888888888888888888888888888888888888888888888888;
    uint256 private constant ONES =
        0x0001000100010001000100010001000100010001000100010001000100010001;
    uint256 private constant NIBBLES =
        0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f;
    uint256 private constant BYTES_ =
        0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
    uint256 private constant PAIRS =
        0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
    uint256 private constant FOURS =
        0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
    uint256 private constant EIGHTS =
        0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;

    /// @dev Memory positions. met: numbers of roles that were met, `metCount` of them. sums: of likes of words, added up from zero on; likes: of each word, zeros in front
    ///   and behind; values: of roles, in the order in which they were met.
    struct Room {
        uint256 weights;
        uint256 met;
        uint256 metCount;
        uint256 sums;
        uint256 likes;
        uint256 values;
    }

    /// @dev A parameter's direction: lanes of 16 bits in the reverse of the order of rows, each number eight too
    ///   large, and the sum of these.
    struct Wanted {
        uint256 lanes0;
        uint256 lanes1;
        uint256 lanes2;
        uint256 lanes3;
        uint256 sum;
    }

    /// @notice Writes the features of pairs to memory at `made`, where `BYTES` zeros are and 24 bytes behind them,
    ///   which are overwritten.
    /// @param directions Of each parameter: 64 numbers of four bits.
    /// @param lists Of each parameter its candidates' spans; parameters of one type have the same array.
    /// @param roles The contract of the data of roles.
    function write(
        PromptWords.Words memory words,
        uint256[] memory directions,
        uint256[][] memory lists,
        address roles,
        uint256 made
    ) internal view {
        Surroundings.Seats memory seats = Surroundings.make();
        uint256 count = lists.length;
        uint256[] memory records = new uint256[](count);
        uint256 sharing = 0;
        unchecked {
            for (uint256 p = 0; p < count; ++p) {
                for (uint256 q = 0; q < p && records[p] == 0; ++q) {
                    if (_same(lists[p], lists[q])) records[p] = records[q];
                }
                if (records[p] == 0) records[p] = Surroundings.look(seats, words, lists[p]);
                for (uint256 q = p + 1; q < count; ++q) {
                    if (!_same(lists[p], lists[q])) continue;
                    sharing |= 1 << (p * MOST_PARAMETERS - p * (p + 1) / 2 + q - p - 1);
                }
            }
            Room memory room = _open(words.count, seats, roles);
            for (uint256 p = 0; p < count; ++p) {
                if (lists[p].length == 0) continue;
                Wanted memory wanted = _wanted(directions[p]);
                _fillLikes(words, wanted, room);
                _fillValues(wanted, room);
                _put(made + 6 * MOST_CANDIDATES * p, records[p], lists[p].length, room);
            }
        }
        uint256 last = BYTES - 2;
        assembly ("memory-safe") {
            mstore(add(made, last), shl(240, sharing))
        }
    }

    function _same(uint256[] memory one, uint256[] memory other) private pure returns (bool same) {
        assembly ("memory-safe") {
            same := eq(one, other)
        }
    }

    /// @dev Reads weights and the rows of roles.
    function _open(uint256 count, Surroundings.Seats memory seats, address roles)
        private
        view
        returns (Room memory room)
    {
        uint256 size = ROLES_BYTES;
        assembly ("memory-safe") {
            let free := mload(0x40)
            let met := mload(seats)
            mstore(room, free)
            extcodecopy(roles, free, 1, size)
            free := add(free, size)
            mstore(add(room, 32), mload(add(seats, 32)))
            mstore(add(room, 64), met)
            mstore(add(room, 160), free) // values
            free := add(free, shl(5, met))
            mstore(add(room, 96), free) // sums
            mstore(free, 0)
            free := add(free, shl(5, add(count, 1)))
            mstore(add(room, 128), free) // likes
            calldatacopy(free, calldatasize(), FRONT_BYTES)
            free := add(free, add(FRONT_BYTES, shl(5, count)))
            calldatacopy(free, calldatasize(), BACK_BYTES)
            mstore(0x40, add(free, BACK_BYTES))
        }
    }

    function _wanted(uint256 direction) private pure returns (Wanted memory wanted) {
        assembly ("memory-safe") {
            let x := xor(direction, SIGNS)
            // The first of the 64 numbers becomes the last.
            x := or(and(shr(4, x), NIBBLES), shl(4, and(x, NIBBLES)))
            x := or(and(shr(8, x), BYTES_), shl(8, and(x, BYTES_)))
            x := or(and(shr(16, x), PAIRS), shl(16, and(x, PAIRS)))
            x := or(and(shr(32, x), FOURS), shl(32, and(x, FOURS)))
            x := or(and(shr(64, x), EIGHTS), shl(64, and(x, EIGHTS)))
            x := or(shr(128, x), shl(128, x))
            let lanes := and(x, LOWEST)
            let all := lanes
            mstore(wanted, lanes)
            lanes := and(shr(4, x), LOWEST)
            all := add(all, lanes)
            mstore(add(wanted, 32), lanes)
            lanes := and(shr(8, x), LOWEST)
            all := add(all, lanes)
            mstore(add(wanted, 64), lanes)
            lanes := and(shr(12, x), LOWEST)
            all := add(all, lanes)
            mstore(add(wanted, 96), lanes)
            mstore(add(wanted, 128), shr(240, mul(all, ONES)))
        }
    }

    /// @dev What the parameter and each word's row come to.
    function _fillLikes(PromptWords.Words memory words, Wanted memory wanted, Room memory room)
        private
        pure
    {
        if (words.count == 0) return; // and so this is no part of its caller, whose stack is full
        assembly ("memory-safe") {
            mstore(mload(add(room, 96)), 0) // and what is read next is not computed again and again
            let lanes0 := mload(wanted)
            let lanes1 := mload(add(wanted, 32))
            let lanes2 := mload(add(wanted, 64))
            let lanes3 := mload(add(wanted, 96))
            let beyond := sub(shl(3, mload(add(wanted, 128))), 4096)
            let total := 0
            let row := mload(add(words, 96))
            let apart := add(mload(add(room, 128)), FRONT_BYTES)
            let pos := mload(add(room, 96))
            apart := sub(apart, pos)
            for { let end := add(pos, shl(5, mload(words))) } lt(pos, end) {} {
                // of numbers from 0 to 15: no lane gets beyond 14,400
                let like := mul(mload(row), lanes0)
                like := add(like, mul(mload(add(row, 32)), lanes1))
                like := add(like, mul(mload(add(row, 64)), lanes2))
                like := add(like, mul(mload(add(row, 96)), lanes3))
                like := sub(sub(shr(240, like), mload(add(row, 128))), beyond)
                like := shl(mload(add(row, 160)), like)
                row := add(row, ROW_BYTES)
                total := add(total, like)
                mstore(add(pos, apart), like)
                pos := add(pos, 32)
                mstore(pos, total)
            }
        }
    }

    /// @dev What the parameter and the row of each role come to.
    function _fillValues(Wanted memory wanted, Room memory room) private pure {
        if (room.metCount == 0) return;
        assembly ("memory-safe") {
            mstore(mload(add(room, 160)), 0) // as above
            let lanes0 := mload(wanted)
            let lanes1 := mload(add(wanted, 32))
            let lanes2 := mload(add(wanted, 64))
            let lanes3 := mload(add(wanted, 96))
            let bias := shl(7, sub(512, mload(add(wanted, 128))))
            let bytes_ := BYTES_
            let rows := add(mload(room), WEIGHTS_BYTES)
            let met := mload(add(room, 32))
            let pos := mload(add(room, 160))
            for { let end := add(pos, shl(5, mload(add(room, 64)))) } lt(pos, end) {
                pos := add(pos, 32)
            } {
                let row := add(rows, shl(6, byte(0, mload(met))))
                met := add(met, 1)
                // each product up to 61,200, each lane of the sum up to 1,020
                let numbers := mload(row)
                let some := and(shr(8, numbers), bytes_)
                let all := some
                let value := shr(240, mul(some, lanes0))
                some := and(numbers, bytes_)
                all := add(all, some)
                value := add(value, shr(240, mul(some, lanes1)))
                numbers := mload(add(row, 32))
                some := and(shr(8, numbers), bytes_)
                all := add(all, some)
                value := add(value, shr(240, mul(some, lanes2)))
                some := and(numbers, bytes_)
                all := add(all, some)
                value := add(value, shr(240, mul(some, lanes3)))
                mstore(pos, add(sub(value, shl(3, shr(240, mul(all, ONES)))), bias))
            }
        }
    }

    /// @dev Six numbers of int8 for each candidate: see `Surroundings` for what a record has.
    function _put(uint256 into, uint256 at, uint256 count, Room memory room) private pure {
        if (count == 0) return;
        assembly ("memory-safe") {
            // Of a value beyond the limits, the limit.
            function limit(value) -> most {
                most := sub(127, mul(254, slt(value, 0)))
            }
            let weights := mload(room)
            let sums := mload(add(room, 96))
            let likes := mload(add(room, 128))
            let values := mload(add(room, 160))
            for { let end := add(into, mul(6, count)) } lt(into, end) { into := add(into, 6) } {
                let value := sub(mload(add(sums, mload(add(at, 32)))), mload(add(sums, mload(at))))
                value := sar(5, value)
                if gt(add(value, 127), 254) { value := limit(value) }
                let six := shl(8, and(value, 0xff))
                let like := add(likes, mload(add(at, 64)))
                value := mul(mload(add(like, 96)), mload(weights))
                value := add(value, mul(mload(add(like, 64)), mload(add(weights, 32))))
                value := add(value, mul(mload(add(like, 32)), mload(add(weights, 64))))
                value := sar(11, add(value, mul(mload(like), mload(add(weights, 96)))))
                if gt(add(value, 127), 254) { value := limit(value) }
                six := shl(8, or(six, and(value, 0xff)))
                like := add(likes, mload(add(at, 96)))
                value := mul(mload(like), mload(add(weights, 128)))
                value := sar(11, add(value, mul(mload(add(like, 32)), mload(add(weights, 160)))))
                if gt(add(value, 127), 254) { value := limit(value) }
                six := shl(8, or(six, and(value, 0xff)))
                value := sar(4, mload(add(values, mload(add(at, 128)))))
                if gt(add(value, 127), 254) { value := limit(value) }
                six := shl(8, or(six, and(value, 0xff)))
                value := mload(add(values, mload(add(at, 160))))
                value := add(value, mload(add(values, mload(add(at, 192)))))
                value := sar(4, add(value, mload(add(values, mload(add(at, 224))))))
                if gt(add(value, 127), 254) { value := limit(value) }
                six := or(shl(8, or(six, and(value, 0xff))), mload(add(at, 256)))
                mstore(into, shl(208, six))
                at := add(at, 288)
            }
        }
    }
}
