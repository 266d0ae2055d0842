// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";

/// @title Words of what tools say of themselves, exactly as `models/reader/words.py`
/// @notice No text is refused: what is no ASCII letter or digit parts words, but for an apostrophe between two
///   letters, and only the first 2,000 bytes and the first 256 words count.
library ToolWords {
    uint256 internal constant MOST_BYTES = 2000;
    uint256 internal constant MOST_WORDS = 256;

    uint256 private constant APOSTROPHE = 0x27;
    /// @dev Kinds of characters. What goes on within words of letters has a bit in common.
    uint256 private constant OTHER = 0;
    uint256 private constant DIGIT = 1;
    uint256 private constant SMALL = 2;
    uint256 private constant CAPITAL = 6;
    /// @dev An apostrophe between two letters.
    uint256 private constant INNER = 10;
    uint256 private constant LETTER = 2;
    uint256 private constant SMALL_SET = 0x3ffffff << 0x61;
    uint256 private constant CAPITAL_SET = 0x3ffffff << 0x41;

    /// @notice The words of `text`, whose letters become lower-case in place.
    /// @return words Positions in memory: start << 32 | end of each.
    function split(bytes memory text) internal pure returns (uint256[] memory words) {
        unchecked {
            words = new uint256[](MOST_WORDS);
            uint256 begins;
            assembly ("memory-safe") {
                begins := add(text, 32)
            }
            uint256 length = text.length < MOST_BYTES ? text.length : MOST_BYTES;
            uint256 count = _split(begins, begins + length, words);
            for (uint256 pos = begins; pos < begins + length; ++pos) {
                _lower(pos);
            }
            assembly ("memory-safe") {
                mstore(words, count)
            }
        }
    }

    function _split(uint256 begins, uint256 end, uint256[] memory words)
        private
        pure
        returns (uint256 count)
    {
        unchecked {
            uint256 start = begins;
            uint256 before = OTHER;
            for (uint256 pos = begins; pos < end; ++pos) {
                uint256 here = _kindAt(pos, end);
                if (here == OTHER && _isInner(pos, before, end)) here = INNER;
                if (pos > start && !_goesOn(before, here, pos, end)) {
                    if (before != OTHER) {
                        words[count++] = (start << 32) | pos;
                        if (count == MOST_WORDS) return count;
                    }
                    start = pos;
                }
                before = here;
            }
            if (before != OTHER && end > start) words[count++] = (start << 32) | end;
        }
    }

    /// @dev Whether it is an apostrophe between two letters.
    function _isInner(uint256 pos, uint256 before, uint256 end) private pure returns (bool) {
        unchecked {
            uint256 c;
            assembly ("memory-safe") {
                c := byte(0, mload(pos))
            }
            return c == APOSTROPHE && before & LETTER != 0 && _kindAt(pos + 1, end) & LETTER != 0;
        }
    }

    /// @dev Whether one word has the character at `pos` and the one before.
    function _goesOn(uint256 before, uint256 here, uint256 pos, uint256 end)
        private
        pure
        returns (bool)
    {
        unchecked {
            if (here == OTHER || before == OTHER) return false;
            if (here == DIGIT || before == DIGIT) return here == before;
            if (here != CAPITAL || before == INNER) return true;
            return before == CAPITAL && _kindAt(pos + 1, end) != SMALL;
        }
    }

    function _kindAt(uint256 pos, uint256 end) private pure returns (uint256) {
        if (pos >= end) return OTHER;
        if (Ascii.isIn(SMALL_SET, pos)) return SMALL;
        if (Ascii.isIn(CAPITAL_SET, pos)) return CAPITAL;
        return Ascii.isIn(Ascii.DIGIT_SET, pos) ? DIGIT : OTHER;
    }

    function _lower(uint256 pos) private pure {
        if (!Ascii.isIn(CAPITAL_SET, pos)) return;
        assembly ("memory-safe") {
            mstore8(pos, or(byte(0, mload(pos)), 0x20))
        }
    }
}
