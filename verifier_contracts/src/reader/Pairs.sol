// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SheetParameter} from "../interfaces/IToolVectors.sol";
import {Candidate, CandidateSpan} from "./Candidate.sol";
import {Links} from "./Links.sol";
import {ParamTypes} from "./ParamTypes.sol";
import {PromptWords} from "./PromptWords.sol";

/// @notice A candidate among the words of a prompt. first, last: of the words inside, [first, last). before: how
///   many words end in front of it; behind: the first word behind it. links: roles at its three seats, a byte
///   each, the first seat's lowest.
struct Around {
    uint256 first;
    uint256 last;
    uint256 before;
    uint256 behind;
    uint256 kind;
    uint256 links;
    uint256 pieces;
}

/// @notice A parameter's direction: lanes of 16 bits in the reverse of the order of rows, each number eight too
///   large, and the sum of these.
struct Wanted {
    uint256 lanes0;
    uint256 lanes1;
    uint256 lanes2;
    uint256 lanes3;
    uint256 sum;
}

/// @title What a network is told of each parameter and each candidate for it, exactly as
///   `models/reader/pairs.py`
/// @dev The product of two words of 16 lanes has in its highest lane the sum of the products of the first lane of
///   one and the last of the other, and so on: no lane carries over into the next, as none gets beyond 16 bits.
library Pairs {
    using PromptWords for PromptWords.Words;

    uint256 internal constant MOST_PARAMETERS = 6;
    uint256 internal constant MOST_CANDIDATES = 8;
    /// @notice Bytes of all pairs, six each, and two of which parameters share candidates.
    uint256 internal constant BYTES = 6 * MOST_PARAMETERS * MOST_CANDIDATES + 2;
    /// @notice Of the data of roles: weights, a word each; then of each role four words of lanes, whose numbers
    ///   are 128 too large, and eight times their sum.
    uint256 internal constant ROLES_BYTES = 32 * (WEIGHTS + 5 * ROLES);

    uint256 private constant WEIGHTS = 6;
    uint256 private constant BEFORE = 4;
    uint256 private constant BEHIND = 2;
    uint256 private constant ROLES = Links.KINDS + Links.SEATS * Links.COUNT;
    uint256 private constant WORD_SHIFT = 5;
    uint256 private constant WEIGHTED_SHIFT = 11;
    uint256 private constant ROLE_SHIFT = 4;
    int256 private constant MOST = 127;
    int256 private constant ROLE_BIAS = 128;
    uint256 private constant LOWEST =
        0x000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f000f;
    uint256 private constant SIGNS =
        0x8888888888888888888888888888888888888888888888888888888888888888;
    uint256 private constant ONES =
        0x0001000100010001000100010001000100010001000100010001000100010001;

    /// @notice The features of pairs.
    /// @param found Of each parameter its candidates; parameters of one type have the same array.
    /// @param roles The data of roles.
    function features(
        PromptWords.Words memory words,
        SheetParameter[] memory parameters,
        Candidate[][] memory found,
        bytes memory roles
    ) internal pure returns (bytes memory made) {
        unchecked {
            made = new bytes(BYTES);
            Around[][] memory around = new Around[][](parameters.length);
            uint256 sharing = 0;
            for (uint256 p = 0; p < parameters.length; ++p) {
                uint256 like = _firstLike(parameters, p);
                around[p] = like == p ? _aroundAll(words, found[p]) : around[like];
                _put(made, p, words, around[p], parameters[p].direction, roles);
                for (uint256 q = p + 1; q < parameters.length; ++q) {
                    if (_alike(parameters[p].paramType, parameters[q].paramType)) {
                        sharing |= 1 << (p * MOST_PARAMETERS - p * (p + 1) / 2 + q - p - 1);
                    }
                }
            }
            // casting: 15 bits
            // forge-lint: disable-next-line(unsafe-typecast)
            made[BYTES - 2] = bytes1(uint8(sharing >> 8));
            // forge-lint: disable-next-line(unsafe-typecast)
            made[BYTES - 1] = bytes1(uint8(sharing));
        }
    }

    /// @notice Whether parameters of these types have the same candidates.
    function _alike(uint256 one, uint256 other) private pure returns (bool) {
        return ParamTypes.read(one) == ParamTypes.read(other);
    }

    function _firstLike(SheetParameter[] memory parameters, uint256 p)
        private
        pure
        returns (uint256 first)
    {
        while (!_alike(parameters[first].paramType, parameters[p].paramType)) ++first;
    }

    // Where candidates stand

    function _aroundAll(PromptWords.Words memory words, Candidate[] memory found)
        private
        pure
        returns (Around[] memory around)
    {
        around = new Around[](found.length);
        for (uint256 i = 0; i < found.length; ++i) {
            _look(words, found[i].span, around[i]);
        }
    }

    function _look(PromptWords.Words memory words, uint256 span, Around memory seen) private pure {
        unchecked {
            uint256 start = CandidateSpan.startOf(span);
            uint256 end = CandidateSpan.endOf(span);
            seen.first = words.startingBefore(start);
            seen.last = words.endingBefore(end + 1);
            if (seen.last < seen.first) seen.last = seen.first;
            seen.before = words.endingBefore(start + 1);
            seen.behind = words.startingBefore(end);
            seen.kind = CandidateSpan.kindOf(span);
            seen.pieces = CandidateSpan.lastOf(span) - CandidateSpan.firstOf(span);
            seen.links = _seat(words, 0, seen.before, 1) | (_seat(words, 1, seen.before, 2) << 8);
            uint256 behind = seen.behind < words.count
                ? Links.numberOf(words.textAt(seen.behind))
                : Links.NOTHING;
            seen.links |= (Links.KINDS + 2 * Links.COUNT + behind) << 16;
        }
    }

    /// @dev The role of the word `back` places in front of a candidate.
    function _seat(PromptWords.Words memory words, uint256 seat, uint256 before, uint256 back)
        private
        pure
        returns (uint256)
    {
        unchecked {
            uint256 link =
                before < back ? Links.NOTHING : Links.numberOf(words.textAt(before - back));
            return Links.KINDS + seat * Links.COUNT + link;
        }
    }

    // Numbers

    function _put(
        bytes memory made,
        uint256 p,
        PromptWords.Words memory words,
        Around[] memory around,
        bytes32 direction,
        bytes memory roles
    ) private pure {
        unchecked {
            if (around.length == 0) return;
            Wanted memory wanted = _wanted(direction);
            uint256 sums = _likes(words, wanted);
            for (uint256 c = 0; c < around.length; ++c) {
                uint256 six = _six(sums, words.count, around[c], wanted, roles);
                uint256 at = 32 + 6 * (p * MOST_CANDIDATES + c);
                assembly ("memory-safe") {
                    let pos := add(made, at)
                    mstore(pos, or(shl(208, six), and(mload(pos), shr(48, not(0)))))
                }
            }
        }
    }

    /// @dev Six numbers of int8, the first one the highest.
    function _six(
        uint256 sums,
        uint256 count,
        Around memory seen,
        Wanted memory wanted,
        bytes memory roles
    ) private pure returns (uint256 six) {
        unchecked {
            six = _narrow(_between(sums, seen.first, seen.last) >> WORD_SHIFT);
            int256 sum = 0;
            for (uint256 i = 0; i < BEFORE && i < seen.before; ++i) {
                uint256 at = seen.before - 1 - i;
                sum += _between(sums, at, at + 1) * _weight(roles, i);
            }
            six = (six << 8) | _narrow(sum >> WEIGHTED_SHIFT);
            sum = 0;
            for (uint256 i = 0; i < BEHIND && seen.behind + i < count; ++i) {
                uint256 at = seen.behind + i;
                sum += _between(sums, at, at + 1) * _weight(roles, BEFORE + i);
            }
            six = (six << 8) | _narrow(sum >> WEIGHTED_SHIFT);
            six = (six << 8) | _narrow(_role(roles, seen.kind, wanted) >> ROLE_SHIFT);
            sum = _role(roles, seen.links & 0xff, wanted);
            sum += _role(roles, (seen.links >> 8) & 0xff, wanted);
            sum += _role(roles, seen.links >> 16, wanted);
            six = (six << 8) | _narrow(sum >> ROLE_SHIFT);
            uint256 pieces = seen.pieces;
            if (pieces == 0) pieces = 1;
            if (pieces > uint256(MOST)) pieces = uint256(MOST);
            six = (six << 8) | pieces;
        }
    }

    function _narrow(int256 value) private pure returns (uint256) {
        if (value > MOST) value = MOST;
        if (value < -MOST) value = -MOST;
        // casting: the lowest byte of two's complement
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint256(value) & 0xff;
    }

    /// @dev The sum of likes of the words [first, last).
    function _between(uint256 sums, uint256 first, uint256 last)
        private
        pure
        returns (int256 found)
    {
        assembly ("memory-safe") {
            found := sub(mload(add(sums, shl(5, last))), mload(add(sums, shl(5, first))))
        }
    }

    function _weight(bytes memory roles, uint256 i) private pure returns (int256 weight) {
        assembly ("memory-safe") {
            weight := mload(add(add(roles, 32), shl(5, i)))
        }
    }

    function _wanted(bytes32 direction) private pure returns (Wanted memory wanted) {
        uint256 lanes = uint256(direction) ^ SIGNS;
        wanted.lanes0 = _backward((lanes >> 12) & LOWEST);
        wanted.lanes1 = _backward((lanes >> 8) & LOWEST);
        wanted.lanes2 = _backward((lanes >> 4) & LOWEST);
        wanted.lanes3 = _backward(lanes & LOWEST);
        unchecked {
            uint256 all = wanted.lanes0 + wanted.lanes1 + wanted.lanes2 + wanted.lanes3;
            wanted.sum = (all * ONES) >> 240;
        }
    }

    /// @dev The first of 16 lanes becomes the last.
    function _backward(uint256 x) private pure returns (uint256 y) {
        assembly ("memory-safe") {
            let pairs := 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff
            let fours := 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff
            let eights := 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff
            y := or(and(shr(16, x), pairs), shl(16, and(x, pairs)))
            y := or(and(shr(32, y), fours), shl(32, and(y, fours)))
            y := or(and(shr(64, y), eights), shl(64, and(y, eights)))
            y := or(shr(128, y), shl(128, y))
        }
    }

    /// @dev What a parameter and each word's row come to, added up word by word from zero on: memory position.
    function _likes(PromptWords.Words memory words, Wanted memory wanted)
        private
        pure
        returns (uint256 sums)
    {
        assembly ("memory-safe") {
            sums := mload(0x40)
            let count := mload(words)
            mstore(0x40, add(sums, shl(5, add(count, 1))))
            mstore(sums, 0)
            let lanes0 := mload(wanted)
            let lanes1 := mload(add(wanted, 32))
            let lanes2 := mload(add(wanted, 64))
            let lanes3 := mload(add(wanted, 96))
            let beyond := sub(mload(add(wanted, 128)), 512)
            let total := 0
            let row := mload(add(words, 96))
            let pos := add(sums, 32)
            for { let end := add(pos, shl(5, count)) } lt(pos, end) { pos := add(pos, 32) } {
                let like := shr(240, mul(mload(row), lanes0))
                like := add(like, shr(240, mul(mload(add(row, 32)), lanes1)))
                like := add(like, shr(240, mul(mload(add(row, 64)), lanes2)))
                like := add(like, shr(240, mul(mload(add(row, 96)), lanes3)))
                like := sub(like, mload(add(row, 160)))
                total := add(total, sub(like, mul(mload(add(row, 128)), beyond)))
                mstore(pos, total)
                row := add(row, 192)
            }
        }
    }

    /// @dev What a parameter and the row of a role come to.
    function _role(bytes memory roles, uint256 role, Wanted memory wanted)
        private
        pure
        returns (int256 found)
    {
        unchecked {
            uint256 sum;
            assembly ("memory-safe") {
                let pos := add(add(roles, add(32, mul(32, WEIGHTS))), mul(160, role))
                sum := shr(240, mul(mload(pos), mload(wanted)))
                sum := add(sum, shr(240, mul(mload(add(pos, 32)), mload(add(wanted, 32)))))
                sum := add(sum, shr(240, mul(mload(add(pos, 64)), mload(add(wanted, 64)))))
                sum := add(sum, shr(240, mul(mload(add(pos, 96)), mload(add(wanted, 96)))))
                sum := sub(sum, mload(add(pos, 128)))
            }
            // casting: far below 2^255, in two's complement
            // forge-lint: disable-next-line(unsafe-typecast)
            found = int256(sum) + ROLE_BIAS * (512 - int256(wanted.sum));
        }
    }
}
