// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What a token is to the network, beside its text: `Kind` in `models/instructions/reader.py`
library Kinds {
    uint256 internal constant WORD = 0;
    uint256 internal constant MARK = 1;
    uint256 internal constant DIGITS = 2;
    uint256 internal constant CARDINAL = 3;
    uint256 internal constant ONE = 4;
    uint256 internal constant PERCENT = 5;
    uint256 internal constant RATIO = 6;
    uint256 internal constant PART = 7;
    uint256 internal constant DOUBT = 8;
    uint256 internal constant SYMBOL = 9;
    uint256 internal constant ADDRESS = 10;
    uint256 internal constant CONTACT = 11;
    uint256 internal constant OWNER = 12;

    /// @dev Sets of kinds: bit k of the set is kind k.
    uint256 internal constant NUMBERS = (1 << DIGITS) | (1 << CARDINAL) | (1 << ONE);
    uint256 internal constant SHARES = (1 << PERCENT) | (1 << RATIO) | (1 << PART);
    uint256 internal constant AMOUNTS = NUMBERS | SHARES;
    /// @dev Payees that are not the agent's owner.
    uint256 internal constant OTHERS = (1 << ADDRESS) | (1 << CONTACT);
    uint256 internal constant BY_TEXT = (1 << WORD) | (1 << MARK) | (1 << PART) | (1 << OWNER);

    function isIn(uint256 set, uint256 kind) internal pure returns (bool) {
        return (set >> kind) & 1 != 0;
    }
}
