// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @dev Words that are tokens of their own and say no amount, if none is in the making: those without a
///   meaning, PERCENT, EXCEPT, GLUE, AND, ARTICLE, PER, UNREAD. An article is one unless what it makes a
///   number stands behind it. A number, for assembly.
uint256 constant PLAIN_MEANINGS = 0xde400000000000000000000000001;

/// @title What a word does in an amount: the vocabulary's meaning byte
/// @notice 1 to 9: a unit; 10 to 19: a teen; 20, 30 to 90: a ten; 120 + d: a fraction of denominator d.
library Meanings {
    uint256 internal constant ZERO = 100;
    uint256 internal constant HUNDRED = 101;
    uint256 internal constant THOUSAND = 102;
    uint256 internal constant MILLION = 103;
    uint256 internal constant DOZEN = 104;
    uint256 internal constant POINT = 105;
    uint256 internal constant PERCENT = 106;
    uint256 internal constant HALF = 107;
    uint256 internal constant ALL = 108;
    uint256 internal constant EXCEPT = 109;
    uint256 internal constant GLUE = 110;
    uint256 internal constant ARTICLE = 111;
    uint256 internal constant AND = 112;
    uint256 internal constant OWNER = 113;
    uint256 internal constant PER = 114;
    /// @dev Billions, basis points: the number before it is in doubt.
    uint256 internal constant UNREAD = 115;
    uint256 internal constant FRACTION = 120;

    /// @dev Sets of meanings: bit m of the set is meaning m.
    uint256 internal constant UNITS = 0x3fe;
    uint256 internal constant DIGITS = UNITS | (1 << ZERO);
    uint256 internal constant TENS = (0x3ff << 10) | (1 << 20) | (1 << 30) | (1 << 40) | (1 << 50)
        | (1 << 60) | (1 << 70) | (1 << 80) | (1 << 90);
    uint256 internal constant SCALES = (1 << THOUSAND) | (1 << MILLION);
    uint256 internal constant POWERS = SCALES | (1 << HUNDRED);
    /// @dev What an article makes a number: a hundred, a dozen.
    uint256 internal constant COUNTED = POWERS | (1 << DOZEN);
    /// @dev What begins a number in words by itself.
    uint256 internal constant CARDINALS = UNITS | TENS | (1 << HUNDRED);
    /// @dev What goes on from "zero" or "point" as a number.
    uint256 internal constant DECIMALS = DIGITS | (1 << POINT);

    /// @dev Half, and all fractions.
    uint256 internal constant PARTS = (1 << HALF) | (0x7fe << FRACTION);
    /// @dev Right behind an amount that does not go on with them they make a doubt of it.
    uint256 internal constant UNSETTLING =
        COUNTED | PARTS | (1 << PERCENT) | (1 << PER) | (1 << UNREAD);

    uint256 internal constant PLAIN = PLAIN_MEANINGS;
    /// @dev Those whose words need a closer look at their neighbours, or name somebody.
    uint256 internal constant ALONE = PLAIN | SCALES | (1 << DOZEN) | (1 << OWNER);

    function isIn(uint256 set, uint256 meaning) internal pure returns (bool) {
        return (set >> meaning) & 1 != 0;
    }

    /// @notice The power of ten of a thousand or a million.
    function powerOf(uint256 scale) internal pure returns (uint256) {
        return scale == THOUSAND ? 3 : 6;
    }
}
