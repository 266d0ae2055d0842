// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ParseFormat} from "./ParseFormat.sol";
import {Tokenizer} from "./Tokenizer.sol";

/// @title A model's output read as scores
/// @notice int64 values, big-endian. Order: an action each, report, ask, decline; three sources of
///   the amount; for each of six candidates three slots (asset, amount, recipient).
library Scores {
    uint256 internal constant ANSWERS = 3;
    uint256 internal constant SOURCES = 3;
    uint256 internal constant SLOTS = 3;
    uint256 internal constant ASSET = 0;
    uint256 internal constant AMOUNT = 1;
    uint256 internal constant RECIPIENT = 2;
    uint256 internal constant MAX_CANDIDATES = 6;
    uint256 internal constant NONE = type(uint256).max;

    /// @notice The output's length is not that of this model.
    error OutputLength(uint256 expected, uint256 received);

    /// @notice Reverts unless `output` is that of a model with this many actions.
    function checkLength(bytes calldata output, uint256 actions) internal pure {
        unchecked {
            uint256 expected = 8 * (actions + ANSWERS + SOURCES + MAX_CANDIDATES * SLOTS);
            if (output.length != expected) revert OutputLength(expected, output.length);
        }
    }

    /// @notice Index, counted from `from`, of the largest of `count` scores; the lowest on ties.
    function argmax(bytes calldata output, uint256 from, uint256 count)
        internal
        pure
        returns (uint256 best)
    {
        assembly ("memory-safe") {
            let pos := add(output.offset, shl(3, from))
            let highest := sar(192, calldataload(pos))
            for { let i := 1 } lt(i, count) { i := add(i, 1) } {
                pos := add(pos, 8)
                let score := sar(192, calldataload(pos))
                if sgt(score, highest) {
                    best := i
                    highest := score
                }
            }
        }
    }

    /// @notice Place of the candidate with the highest positive score for `slot` among those of the
    ///   slot's types, the first on ties; NONE if there is none.
    /// @param candidates As in `Parse`.
    function bestCandidate(bytes calldata output, uint256 actions, uint256 slot, uint256 candidates)
        internal
        pure
        returns (uint256 best)
    {
        best = NONE;
        uint256 from;
        unchecked {
            from = actions + ANSWERS + SOURCES + slot;
        }
        uint256 types = _typesOf(slot);
        uint256 count = ParseFormat.countOf(candidates);
        assembly ("memory-safe") {
            let pos := add(output.offset, shl(3, from))
            let highest := 0
            for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                if and(shr(and(shr(32, candidates), 0xff), types), 1) {
                    let score := sar(192, calldataload(pos))
                    if sgt(score, highest) {
                        best := i
                        highest := score
                    }
                }
                candidates := shr(40, candidates)
                pos := add(pos, 24)
            }
        }
    }

    /// @dev The set of token types that fit a slot.
    function _typesOf(uint256 slot) private pure returns (uint256) {
        if (slot == ASSET) return (1 << Tokenizer.SYMBOL) | (1 << Tokenizer.ADDRESS);
        if (slot == AMOUNT) return 1 << Tokenizer.NUMBER;
        return slot == RECIPIENT ? 1 << Tokenizer.ADDRESS : 0;
    }
}
