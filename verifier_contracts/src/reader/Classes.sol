// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What words do beside naming something: `Class` in `models/reader/lexicon.py`
/// @notice The lowest bits of a word's code in the lexicon, and sets of them.
library Classes {
    uint256 internal constant BITS = 44;

    uint256 internal constant BREAK = 1 << 0;
    uint256 internal constant JOIN = 1 << 1;
    uint256 internal constant PLACE = 1 << 2;
    uint256 internal constant LINK = 1 << 3;
    uint256 internal constant MONTH = 1 << 4;
    uint256 internal constant UNSURE = 1 << 5;
    uint256 internal constant WEEKDAY = 1 << 6;
    uint256 internal constant DAY = 1 << 7;
    uint256 internal constant NEXT = 1 << 8;
    uint256 internal constant PERIOD = 1 << 9;
    uint256 internal constant PART = 1 << 10;
    uint256 internal constant HALF_DAY = 1 << 11;
    uint256 internal constant CLOCK = 1 << 12;
    uint256 internal constant NOON = 1 << 13;
    uint256 internal constant ORDINAL = 1 << 14;
    uint256 internal constant PAST = 1 << 15;
    uint256 internal constant QUARTER = 1 << 16;
    uint256 internal constant OF = 1 << 17;
    uint256 internal constant THE = 1 << 18;
    uint256 internal constant IN = 1 << 19;
    uint256 internal constant AND = 1 << 20;
    uint256 internal constant LATER = 1 << 21;
    uint256 internal constant COIN = 1 << 22;
    uint256 internal constant TITLE = 1 << 23;
    uint256 internal constant UNIT = 1 << 24;
    uint256 internal constant VERB = 1 << 25;
    uint256 internal constant CALLED = 1 << 26;
    uint256 internal constant YES = 1 << 27;
    uint256 internal constant NO = 1 << 28;
    uint256 internal constant NOT = 1 << 29;
    uint256 internal constant SWITCH = 1 << 30;
    uint256 internal constant ON = 1 << 31;
    uint256 internal constant MINUS = 1 << 32;
    uint256 internal constant AWAY = 1 << 33;
    uint256 internal constant QUESTION = 1 << 34;
    uint256 internal constant MODAL = 1 << 35;
    uint256 internal constant LEAD = 1 << 36;
    uint256 internal constant ASKED = 1 << 37;
    uint256 internal constant TELLS = 1 << 38;
    uint256 internal constant HALT = 1 << 39;
    uint256 internal constant WHOSE = 1 << 40;
    uint256 internal constant DUE = 1 << 41;
    uint256 internal constant DID = 1 << 42;
    uint256 internal constant DOES = 1 << 43;

    uint256 internal constant ALL = (1 << BITS) - 1;

    /// @dev What ends a name.
    uint256 internal constant ENDS_NAME = BREAK | JOIN | LINK;
    /// @dev May stand between two names that are one.
    uint256 internal constant BETWEEN = JOIN | LINK;
    /// @dev Of whose words `Moods` looks closer at.
    uint256 internal constant MOODS = AWAY | QUESTION | MODAL | ASKED | TELLS | HALT | DID;
    /// @dev What a statement may say of a name.
    uint256 internal constant SAYS = VERB | DID | DOES;
    /// @dev What "until" makes no condition before.
    uint256 internal constant TIMES = MONTH | WEEKDAY | DAY | NEXT | NOON;
    /// @dev May follow the 13th without an article.
    uint256 internal constant BEHIND_DAY = BREAK | JOIN | LINK | PART;
    /// @dev What a date or a time begins with, beside numbers.
    uint256 internal constant BEGINS_TIME =
        THE | ORDINAL | MONTH | PERIOD | LATER | DAY | NEXT | WEEKDAY | PART | QUARTER | NOON;
}
