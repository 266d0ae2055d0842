// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {LibBit} from "solady/src/utils/LibBit.sol";

import {Meanings} from "../instructions/Meanings.sol";
import {Classes} from "./Classes.sol";
import {View, Views} from "./View.sol";

/// @notice Pieces of a prompt by what they are: bit i of each is piece i.
/// @param words,runs,marks By their shape.
/// @param capitals Words with a capital, but for "I" and what begins with "I'".
/// @param hyphened As `Views.isHyphened`.
/// @param counted As `Views.isCounted`.
/// @param moments A date or a time may begin there.
/// @param enders Words that end names.
/// @param verbs,called Words of these classes.
/// @param starts Sentences begin there.
/// @param ampersands "&" before a word.
/// @param joins Words that may stand within a name.
struct Masks {
    uint256 words;
    uint256 runs;
    uint256 marks;
    uint256 capitals;
    uint256 hyphened;
    uint256 counted;
    uint256 moments;
    uint256 enders;
    uint256 verbs;
    uint256 called;
    uint256 starts;
    uint256 ampersands;
    uint256 joins;
}

/// @title Looks at each piece once, so that the rules about texts compare bits
library Masking {
    using Views for View;

    uint256 private constant AMPERSAND = 0x26;
    uint256 private constant APOSTROPHE = 0x27;
    uint256 private constant HYPHEN = 0x2d;
    uint256 private constant LETTER_I = 0x69;
    uint256 private constant MEANING_SHIFT = 200;
    uint256 private constant CLASS_SHIFT = 208;
    // Sets of characters, meanings and classes, as numbers, for assembly.
    /// @dev Letters.
    uint256 private constant CAPITALS = 0x7fffffe0000000000000000;
    /// @dev . ? ! and &, the last characters of marks that matter here.
    uint256 private constant CHECKED = 0x8000404200000000;
    /// @dev `Meanings.UNITS` and `Meanings.TENS`.
    uint256 private constant COUNTED = 0x401004010040100401ffffe;
    /// @dev `Classes.BEGINS_TIME` but for `THE`: what a moment begins with whatever follows.
    uint256 private constant BEGINS_TIME = 0x2167d0;
    /// @dev `Classes.THE`.
    uint256 private constant THE = 0x40000;
    /// @dev `Classes.ORDINAL`.
    uint256 private constant ORDINAL = 0x4000;
    /// @dev `Classes.ENDS_NAME`.
    uint256 private constant ENDS_NAME = 0xb;
    /// @dev `Classes.JOIN`, one of those.
    uint256 private constant JOIN = 0x2;
    /// @dev `Classes.VERB`.
    uint256 private constant VERB = 0x2000000;
    /// @dev `Classes.CALLED`.
    uint256 private constant CALLED = 0x4000000;
    /// @dev `BEGINS_TIME`, `THE`, `VERB` and `CALLED`.
    uint256 private constant RARE = 0x62567d0;

    function look(View memory v) internal pure returns (Masks memory m) {
        unchecked {
            uint256 count = v.count;
            _each(m, v.pieces, v.pieces + 32 * count, v.r.original);
            uint256 marks = m.ampersands;
            m.ampersands = 0;
            m.words = ((1 << count) - 1) & ~(m.runs | m.marks);
            m.starts = 1;
            for (; marks != 0; marks &= marks - 1) {
                uint256 i = LibBit.ffs(marks);
                if (v.endsSentence(i)) m.starts |= 1 << (i + 1);
                if ((m.words >> (i + 1)) & 1 != 0 && v.isCharacter(i, AMPERSAND)) {
                    m.ampersands |= 1 << i;
                }
            }
        }
    }

    function has(uint256 mask, uint256 i) internal pure returns (bool yes) {
        assembly ("memory-safe") {
            yes := and(shr(i, mask), 1)
        }
    }

    /// @dev All but words and where sentences begin. Ampersands are all marks that may be one or end a sentence.
    function _each(Masks memory m, uint256 pos, uint256 end, uint256 original) private pure {
        if (pos == end) return;
        assembly ("memory-safe") {
            function mark(place, bit) {
                mstore(place, or(mload(place), bit))
            }
            let before := 0 // where the word right before ends
            for { let bit := 1 } lt(pos, end) { pos := add(pos, 32) } {
                let word := mload(pos)
                switch and(shr(64, word), 3)
                case 0 {
                    let start := and(shr(32, word), 0xffffffff)
                    if and(shr(byte(0, mload(add(start, original))), CAPITALS), 1) {
                        let alone :=
                            or(
                                eq(and(word, 0xffffffff), add(start, 1)),
                                eq(byte(0, mload(add(start, 1))), APOSTROPHE)
                            )
                        if iszero(and(alone, eq(byte(0, mload(start)), LETTER_I))) {
                            mark(add(m, 96), bit) // capitals
                        }
                    }
                    if and(eq(start, add(before, 1)), eq(byte(0, mload(before)), HYPHEN)) {
                        mark(add(m, 128), bit) // hyphened
                    }
                    before := and(word, 0xffffffff)
                    word := shr(MEANING_SHIFT, word)
                    if word {
                        if and(shr(and(word, 0xff), COUNTED), 1) {
                            mark(add(m, 160), bit) // counted
                            mark(add(m, 192), bit) // moments
                        }
                        word := shr(8, word)
                        if and(word, ENDS_NAME) {
                            mark(add(m, 224), bit) // enders
                            if and(word, JOIN) { mark(add(m, 384), bit) } // joins
                        }
                        if and(word, RARE) {
                            if and(word, BEGINS_TIME) { mark(add(m, 192), bit) }
                            if and(word, THE) {
                                let next := mload(add(pos, 32))
                                if or(
                                    eq(and(shr(64, next), 3), 1),
                                    and(shr(CLASS_SHIFT, next), ORDINAL)
                                ) { mark(add(m, 192), bit) }
                            }
                            if and(word, VERB) { mark(add(m, 256), bit) } // verbs
                            if and(word, CALLED) { mark(add(m, 288), bit) } // called
                        }
                    }
                }
                case 1 {
                    before := 0
                    mark(add(m, 32), bit) // runs
                    mark(add(m, 192), bit)
                }
                default {
                    before := 0
                    mark(add(m, 64), bit) // marks
                    if and(shr(byte(0, mload(sub(and(word, 0xffffffff), 1))), CHECKED), 1) {
                        mark(add(m, 352), bit)
                    }
                }
                bit := shl(1, bit)
            }
        }
    }
}
