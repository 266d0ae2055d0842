// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Short words whose place beside a candidate counts, by the numbers of `LINKS` in
///   `models/reader/pairs.py`
library Links {
    /// @notice Kinds of candidates, whose roles come first.
    uint256 internal constant KINDS = 17;
    /// @notice Places at which links are looked at.
    uint256 internal constant SEATS = 3;
    /// @notice Links, any other word, and none.
    uint256 internal constant COUNT = 21;
    uint256 internal constant OTHER = 19;
    uint256 internal constant NOTHING = 20;

    /// @param word In lower case, at the end of a word.
    function numberOf(uint256 word) internal pure returns (uint256) {
        if (word <= 0xff) return word == 0x61 ? 10 : OTHER; // a
        if (word <= 0xffff) return _ofTwo(word);
        if (word == 0x746865) return 9; // the
        if (word == 0x666f72) return 5; // for
        if (word == 0x616e64) return 15; // and
        if (word == 0x66726f6d) return 0; // from
        if (word == 0x77697468) return 6; // with
        if (word == 0x696e746f) return 17; // into
        if (word == 0x6e656172) return 13; // near
        if (word == 0x756e74696c) return 11; // until
        if (word == 0x61626f7574) return 18; // about
        if (word == 0x61726f756e64) return 12; // around
        if (word == 0x63616c6c6564) return 16; // called
        return OTHER;
    }

    function _ofTwo(uint256 word) private pure returns (uint256) {
        if (word == 0x746f) return 1; // to
        if (word == 0x6174) return 2; // at
        if (word == 0x696e) return 3; // in
        if (word == 0x6f6e) return 4; // on
        if (word == 0x6279) return 7; // by
        if (word == 0x6f66) return 8; // of
        if (word == 0x6973) return 14; // is
        return OTHER;
    }
}
