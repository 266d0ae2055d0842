// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii, BEHIND_Z, FLAGS, FLAG_INDEX, FROM_A} from "../encoding/Ascii.sol";
import {PromptText} from "../encoding/PromptText.sol";

/// @notice A prompt in memory, cut into pieces. Positions are memory addresses in the lower-cased
///   copy, which has at least 32 spaces before it and behind it.
/// @param start Where the lower-cased prompt begins.
/// @param end Where it ends.
/// @param original What to add to a position to find the character as it was written.
/// @param backward The prompt lies backward, too: the word at (backward - position) has the
///   character at the position last, the following ones before it.
/// @param pieces A word each, see `PieceWord`; zero words before and behind them.
/// @param last Where the pieces end.
struct Pieces {
    uint256 start;
    uint256 end;
    uint256 original;
    uint256 backward;
    uint256 pieces;
    uint256 last;
}

/// @title A prompt's bytes to pieces, exactly as `models/instructions/scanner.py`
library Scanner {
    uint256 internal constant WORD = 0;
    uint256 internal constant RUN = 1;
    uint256 internal constant MARK = 2;

    uint256 internal constant SPACE = 0x20;
    uint256 internal constant POINT = 0x2e;
    uint256 internal constant PERCENT = 0x25;
    uint256 private constant APOSTROPHE = 0x27;
    uint256 private constant HYPHEN = 0x2d;
    /// @dev Goes on with a word behind its letters, or may.
    uint256 private constant MORE_SET = Ascii.DIGIT_SET | (1 << APOSTROPHE);
    /// @dev Printable characters that are no letters, digits or spaces.
    uint256 private constant MARK_SET = (type(uint128).max >> 1) & ~(Ascii.ALNUM_SET | 0x1ffffffff);
    uint256 private constant SENTINELS = 160; // bytes: one word before the pieces, four behind

    /// @notice The pieces of `prompt` in order. Reverts with PromptTooLong or PromptNotAscii.
    function scan(string calldata prompt) internal pure returns (Pieces memory p) {
        uint256 length = bytes(prompt).length;
        if (length > PromptText.MAX_CHARACTERS) {
            revert PromptText.PromptTooLong(length, PromptText.MAX_CHARACTERS);
        }
        _open(p, prompt, length);
        _run(p);
    }

    /// @dev Memory: as it is, in lower case, backward, each with spaces behind it; the pieces.
    function _open(Pieces memory p, string calldata prompt, uint256 length) private pure {
        unchecked {
            uint256 room = (length & ~uint256(31)) + 64;
            uint256 spaces = Ascii.SPACES;
            uint256 written;
            uint256 sentinels = SENTINELS;
            assembly ("memory-safe") {
                written := mload(0x40)
                calldatacopy(written, prompt.offset, length)
                mstore(add(written, length), spaces)
                mstore(add(written, add(length, 32)), spaces)
                let pieces := add(written, mul(3, room))
                let size := add(shl(5, length), sentinels)
                calldatacopy(pieces, calldatasize(), size)
                mstore(0x40, add(pieces, size))
            }
            uint256 backward = written + 3 * room;
            for (uint256 pos = written; pos < written + room; pos += 32) {
                uint256 w;
                assembly ("memory-safe") {
                    w := mload(pos)
                }
                uint256 bad = Ascii.unprintable(w);
                if (bad != 0) {
                    revert PromptText.PromptNotAscii(pos + Ascii.first(bad) - written);
                }
                w = Ascii.lower(w);
                uint256 reversed = Ascii.reverse(w);
                backward -= 32;
                assembly ("memory-safe") {
                    mstore(add(pos, room), w)
                    mstore(backward, reversed)
                }
            }
            p.start = written + room;
            p.end = written + room + length;
            p.original = 0 - room;
            p.backward = written + 3 * room - 32 + p.start;
            p.pieces = written + 3 * room + 32;
        }
    }

    function _run(Pieces memory p) private pure {
        unchecked {
            uint256 pos = p.start;
            uint256 end = p.end;
            uint256 next = p.pieces;
            uint256 backward = p.backward;
            while (true) {
                (pos, next) = _plainWords(pos, end, backward, next);
                if (pos >= end) break;
                uint256 ends;
                uint256 shape;
                if (Ascii.isIn(Ascii.LETTER_SET, pos)) {
                    ends = _wordEnd(pos, backward);
                } else if (Ascii.isIn(Ascii.DIGIT_SET, pos) || _isLeadingPoint(pos)) {
                    (shape, ends) = (RUN, _runEnd(pos, backward));
                } else {
                    (shape, ends) = (MARK, _markEnd(pos));
                    if (
                        ends == pos + 1 && character(pos) == HYPHEN
                            && _between(Ascii.LETTER_SET, pos)
                    ) {
                        pos = ends;
                        continue;
                    }
                }
                assembly ("memory-safe") {
                    mstore(next, or(shl(64, shape), or(shl(32, pos), ends)))
                    next := add(next, 32)
                }
                pos = ends;
            }
            p.last = next;
        }
    }

    /// @dev Skips spaces and takes words, up to the end or to what needs a closer look: digits, marks,
    ///   words with digits or apostrophes or of more than 30 letters.
    /// @return Where it stopped: not at a space.
    /// @return Where the next piece goes.
    function _plainWords(uint256 pos, uint256 end, uint256 backward, uint256 next)
        private
        pure
        returns (uint256, uint256)
    {
        uint256 more = MORE_SET;
        assembly ("memory-safe") {
            for {} lt(pos, end) {} {
                let w := mload(sub(backward, pos))
                // `Ascii.behindLast` of what is no letter
                let length := and(not(and(add(w, FROM_A), not(add(w, BEHIND_Z)))), FLAGS)
                length := byte(0, mul(FLAG_INDEX, and(length, sub(0, length))))
                let behind := byte(sub(31, length), w)
                if length {
                    if and(shr(behind, more), 1) { break }
                    length := add(pos, length)
                    mstore(next, or(shl(32, pos), length))
                    next := add(next, 32)
                    pos := add(length, eq(behind, SPACE))
                    continue
                }
                if xor(behind, SPACE) { break }
                pos := add(pos, 1)
            }
        }
        return (pos, next);
    }

    function _wordEnd(uint256 pos, uint256 backward) private pure returns (uint256) {
        unchecked {
            while (true) {
                pos = _alnumEnd(pos, backward);
                if (character(pos) != APOSTROPHE || !_between(Ascii.LETTER_SET, pos)) return pos;
                ++pos;
            }
            return pos;
        }
    }

    function _runEnd(uint256 pos, uint256 backward) private pure returns (uint256) {
        unchecked {
            ++pos;
            while (true) {
                pos = _alnumEnd(pos, backward);
                if (!Ascii.isIn(MARK_SET, pos)) return pos;
                if (!_between(Ascii.DIGIT_SET, pos)) break;
                ++pos;
            }
            return character(pos) == PERCENT ? pos + 1 : pos;
        }
    }

    function _markEnd(uint256 pos) private pure returns (uint256) {
        unchecked {
            ++pos;
            while (Ascii.isIn(MARK_SET, pos) && !_isLeadingPoint(pos)) ++pos;
            return pos;
        }
    }

    /// @dev The first position from `pos` on that has no letter or digit.
    function _alnumEnd(uint256 pos, uint256 backward) private pure returns (uint256) {
        unchecked {
            while (Ascii.isIn(Ascii.ALNUM_SET, pos)) {
                uint256 w;
                assembly ("memory-safe") {
                    w := mload(sub(backward, pos))
                }
                uint256 others = FLAGS ^ (Ascii.letters(w) | Ascii.digits(w));
                uint256 length = Ascii.behindLast(others);
                if (length != 0) return pos + length;
                pos += 30; // to where the last character looked at is the first one
            }
            return pos;
        }
    }

    /// @dev A point with a digit behind it, and no letter or digit before it.
    function _isLeadingPoint(uint256 pos) private pure returns (bool) {
        unchecked {
            return character(pos) == POINT && Ascii.isIn(Ascii.DIGIT_SET, pos + 1)
                && !Ascii.isIn(Ascii.ALNUM_SET, pos - 1);
        }
    }

    function _between(uint256 set, uint256 pos) private pure returns (bool) {
        unchecked {
            return Ascii.isIn(set, pos - 1) && Ascii.isIn(set, pos + 1);
        }
    }

    /// @notice The character at `pos`.
    function character(uint256 pos) internal pure returns (uint256 c) {
        assembly ("memory-safe") {
            c := byte(0, mload(pos))
        }
    }
}
