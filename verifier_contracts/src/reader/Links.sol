// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Short words whose place beside a candidate counts, by the numbers of `LINKS` in
///   `models/reader/pairs.py`
/// @dev A word's text as a number, modulo 1,515 and then 32, is another for each of them.
library Links {
    /// @notice Kinds of candidates, whose roles come first.
    uint256 internal constant KINDS = 17;
    /// @notice Places at which links are looked at.
    uint256 internal constant SEATS = 3;
    /// @notice Links, any other word, and none.
    uint256 internal constant COUNT = 21;
    uint256 internal constant OTHER = 19;
    uint256 internal constant NOTHING = 20;
    uint256 internal constant ROLES = KINDS + SEATS * COUNT;

    uint256 private constant TABLE_BYTES = 1024;

    /// @notice A table to look words up in, in memory: text << 8 | number of each.
    function table() internal pure returns (uint256 pos) {
        assembly ("memory-safe") {
            pos := mload(0x40)
            calldatacopy(pos, calldatasize(), TABLE_BYTES)
            mstore(0x40, add(pos, TABLE_BYTES))
            mstore(pos, 0x6f6608) // of
            mstore(add(pos, 32), 0x610a) // a
            mstore(add(pos, 96), 0x61726f756e640c) // around
            mstore(add(pos, 128), 0x617402) // at
            mstore(add(pos, 256), 0x6f6e04) // on
            mstore(add(pos, 288), 0x627907) // by
            mstore(add(pos, 320), 0x66726f6d00) // from
            mstore(add(pos, 384), 0x74686509) // the
            mstore(add(pos, 416), 0x666f7205) // for
            mstore(add(pos, 448), 0x696e746f11) // into
            mstore(add(pos, 512), 0x7769746806) // with
            mstore(add(pos, 544), 0x61626f757412) // about
            mstore(add(pos, 576), 0x616e640f) // and
            mstore(add(pos, 608), 0x696e03) // in
            mstore(add(pos, 736), 0x756e74696c0b) // until
            mstore(add(pos, 768), 0x69730e) // is
            mstore(add(pos, 864), 0x6e6561720d) // near
            mstore(add(pos, 896), 0x63616c6c656410) // called
            mstore(add(pos, 960), 0x746f01) // to
        }
    }

    /// @param pos Where the table is.
    /// @param text In lower case, at the end of a word; zero is none of them.
    function numberOf(uint256 pos, uint256 text) internal pure returns (uint256 link) {
        uint256 other = OTHER;
        assembly ("memory-safe") {
            let entry := mload(add(pos, shl(5, and(mod(text, 1515), 31))))
            link := other
            if eq(shr(8, entry), text) { link := and(entry, 0xff) }
        }
    }
}
