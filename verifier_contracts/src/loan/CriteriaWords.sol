// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What words mean where loans are concerned, as `Word` in `models/agents/criteria.py`
/// @notice Classes of words, and the lexicon that says them: of 4,096 slots a word has two, by bits 236 to
///   247 and 224 to 235 of its hash, and is in one of them: a fingerprint, the hash's top 8 bits (zero:
///   empty), and 4,096 bytes behind it the class.
library CriteriaWords {
    uint256 internal constant PLAIN = 0;
    uint256 internal constant START = 1;
    uint256 internal constant END = 2;
    uint256 internal constant UNKNOWN = 3;
    uint256 internal constant LIMIT = 4;
    uint256 internal constant OTHER_NUMBER = 5;
    uint256 internal constant BREAK = 6;
    uint256 internal constant GREATER = 7;
    uint256 internal constant LESS = 8;
    uint256 internal constant EQUAL = 9;
    uint256 internal constant MINIMUM = 10;
    uint256 internal constant MAXIMUM = 11;
    uint256 internal constant AND = 21;
    /// @dev At, from, to: kept only before a number. Sets: bit c is class c.
    uint256 internal constant BEFORE_NUMBERS = 7 << 12;
    uint256 internal constant NUMBERS = (1 << LIMIT) | (1 << OTHER_NUMBER);
    /// @dev Of no class.
    uint256 internal constant CLASSLESS = (1 << PLAIN) | (1 << UNKNOWN);
    /// @dev Breaks, who, persons, scores, loans, needs, all: what most texts have.
    uint256 internal constant LEFT_OUT = (1 << BREAK) | (0x3f << 15);
    /// @dev Not, nobody, refuse, unless: what turns a text into its opposite.
    uint256 internal constant TURNING = (1 << 23) | (1 << 24) | (1 << 26) | (1 << 28);
    uint256 internal constant TURNED = (1 << LIMIT) | (0x1f << GREATER);

    /// @notice From here on words of numbers: this and what they mean, as `Meanings` has it.
    uint256 internal constant NUMBER_WORD = 128;

    uint256 internal constant LEXICON_BYTES = 2 * SLOTS;
    uint256 private constant SLOTS = 4096;

    function isIn(uint256 set, uint256 class) internal pure returns (bool) {
        return (set >> class) & 1 != 0;
    }

    /// @notice The class of the word with this hash.
    /// @param lexicon Its memory position.
    function classOf(uint256 lexicon, uint256 word) internal pure returns (bool known, uint256) {
        for (uint256 shift = 236; shift > 223; shift -= 12) {
            uint256 pos = lexicon + ((word >> shift) & (SLOTS - 1));
            uint256 found = _byte(pos);
            if (found != 0 && found == word >> 248) return (true, _byte(pos + SLOTS));
        }
        return (false, UNKNOWN);
    }

    function _byte(uint256 pos) private pure returns (uint256 b) {
        assembly ("memory-safe") {
            b := byte(0, mload(pos))
        }
    }
}
