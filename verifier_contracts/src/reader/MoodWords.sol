// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Words that `Moods` and `Statements` know by what they say: see `Views.text`
library MoodWords {
    uint256 internal constant AM = 0x616d;
    uint256 internal constant ARE = 0x617265;
    uint256 internal constant AS = 0x6173;
    uint256 internal constant AT = 0x6174;
    uint256 internal constant CHECK = 0x636865636b;
    uint256 internal constant COULD = 0x636f756c64;
    uint256 internal constant DO = 0x646f;
    uint256 internal constant FOR = 0x666f72;
    uint256 internal constant GOT = 0x676f74;
    uint256 internal constant HAVE = 0x68617665;
    uint256 internal constant I = 0x69;
    uint256 internal constant I_AM = 0x69276d;
    uint256 internal constant IF = 0x6966;
    uint256 internal constant IT = 0x6974;
    uint256 internal constant JUST = 0x6a757374;
    uint256 internal constant KNOW = 0x6b6e6f77;
    uint256 internal constant MAY = 0x6d6179;
    uint256 internal constant ME = 0x6d65;
    uint256 internal constant MIGHT = 0x6d69676874;
    uint256 internal constant NO = 0x6e6f;
    uint256 internal constant ONCE = 0x6f6e6365;
    uint256 internal constant PEOPLE = 0x70656f706c65;
    uint256 internal constant PLEASE = 0x706c65617365;
    uint256 internal constant POSSIBLE = 0x706f737369626c65;
    uint256 internal constant SEE = 0x736565;
    uint256 internal constant SO = 0x736f;
    uint256 internal constant SOON = 0x736f6f6e;
    uint256 internal constant THANK = 0x7468616e6b;
    uint256 internal constant THANKS = 0x7468616e6b73;
    uint256 internal constant THAT = 0x74686174;
    uint256 internal constant THERE = 0x7468657265;
    uint256 internal constant THIS = 0x74686973;
    uint256 internal constant TILL = 0x74696c6c;
    uint256 internal constant TO = 0x746f;
    uint256 internal constant U = 0x75;
    uint256 internal constant UNTIL = 0x756e74696c;
    uint256 internal constant WE = 0x7765;
    uint256 internal constant WE_ARE = 0x7765277265;
    uint256 internal constant WHEN = 0x7768656e;
    uint256 internal constant WISH = 0x77697368;
    uint256 internal constant YOU = 0x796f75;

    /// @notice Whether it is who asks.
    function isWe(uint256 text) internal pure returns (bool) {
        return text == I || text == WE;
    }

    /// @notice Whether it is who is asked.
    function isYou(uint256 text) internal pure returns (bool) {
        return text == YOU || text == U;
    }
}
