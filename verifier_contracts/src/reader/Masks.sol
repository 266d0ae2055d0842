// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {Meanings} from "../instructions/Meanings.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {Scanner} from "../instructions/Scanner.sol";
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
}

/// @title Looks at each piece once, so that the rules about texts compare bits
library Masking {
    using Views for View;

    uint256 private constant AMPERSAND = 0x26;
    uint256 private constant APOSTROPHE = 0x27;
    uint256 private constant HYPHEN = 0x2d;
    uint256 private constant LETTER_I = 0x69;
    uint256 private constant CAPITALS = 0x3ffffff << 0x41;
    uint256 private constant CLASS_SHIFT = 208;

    function look(View memory v) internal pure returns (Masks memory m) {
        _each(m, v.pieces, v.count, v.r.original);
        unchecked {
            uint256 marks = m.marks;
            m.starts = 1;
            for (uint256 i = 0; marks >> i != 0; ++i) {
                if ((marks >> i) & 1 == 0) continue;
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

    /// @dev All but where sentences begin and ampersands.
    function _each(Masks memory m, uint256 pos, uint256 count, uint256 original) private pure {
        unchecked {
            uint256 before; // where the word right before ends
            for (uint256 i = 0; i < count; ++i) {
                uint256 word = PieceWord.load(pos + 32 * i);
                uint256 shape = PieceWord.shapeOf(word);
                if (shape == Scanner.WORD) {
                    _word(m, word, 1 << i, original);
                    bool beside = PieceWord.startOf(word) == before + 1;
                    if (beside && Scanner.character(before) == HYPHEN) m.hyphened |= 1 << i;
                    before = PieceWord.endOf(word);
                    continue;
                }
                before = 0;
                if (shape == Scanner.RUN) {
                    m.runs |= 1 << i;
                    m.moments |= 1 << i;
                } else {
                    m.marks |= 1 << i;
                }
            }
        }
    }

    function _word(Masks memory m, uint256 word, uint256 bit, uint256 original) private pure {
        unchecked {
            m.words |= bit;
            uint256 start = PieceWord.startOf(word);
            if (Ascii.isIn(CAPITALS, start + original)) {
                bool alone = PieceWord.endOf(word) == start + 1
                    || Scanner.character(start + 1) == APOSTROPHE;
                if (!alone || Scanner.character(start) != LETTER_I) m.capitals |= bit;
            }
            uint256 classes = word >> CLASS_SHIFT;
            if (Meanings.isIn(Meanings.UNITS | Meanings.TENS, PieceWord.meaningOf(word))) {
                m.counted |= bit;
                m.moments |= bit;
            }
            if (classes == 0) return;
            if (classes & Classes.BEGINS_TIME != 0) m.moments |= bit;
            if (classes & Classes.ENDS_NAME != 0) m.enders |= bit;
            if (classes & Classes.VERB != 0) m.verbs |= bit;
            if (classes & Classes.CALLED != 0) m.called |= bit;
        }
    }
}
