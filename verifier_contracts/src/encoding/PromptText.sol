// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "./Ascii.sol";
import {BookEntries} from "./SymbolList.sol";

/// @notice A prompt being cut into tokens. Positions are memory addresses in the lower-cased copy.
/// @param start The lower-cased prompt, with at least 32 spaces behind its end.
/// @param end Where the prompt ends.
/// @param original What to add to a position to find the character as it was written.
/// @param backward The prompt lies backward, too: the word at (backward - position) has the
///   character at the position last, the following ones before it.
/// @param tokens Room for 64 tokens, a word each: type << 64 | start << 32 | end, positions. Behind
///   it is the room for their hashes; see `Embedding`.
/// @param next Where the next token goes.
/// @param symbols The agent's symbol book.
/// @param candidates How many tokens could be arguments: numbers, symbols, addresses.
/// @param places Which tokens the first of them are: candidate i is token (places >> 8 i) & 255.
/// @param other `ParseFormat.OTHER` if a token is OTHER, otherwise zero.
/// @param unknown Where the hashes of words that the model does not know end; they begin where memory
///   is free. See `Embedding`.
struct Scan {
    uint256 start;
    uint256 end;
    uint256 original;
    uint256 backward;
    uint256 tokens;
    uint256 next;
    BookEntries symbols;
    uint256 candidates;
    uint256 places;
    uint256 other;
    uint256 unknown;
}

/// @title A prompt in memory, checked and ready to be cut into tokens
library PromptText {
    uint256 internal constant MAX_CHARACTERS = 512;
    uint256 internal constant MAX_TOKENS = 64;

    /// @dev Room for 64 tokens, for the hashes of 4 + 64 + 4, and for those of 64 pairs.
    uint256 internal constant TOKEN_BYTES = 2048;
    uint256 private constant HASH_BYTES = 4352;

    /// @notice The prompt has more characters than are read: shorten it.
    error PromptTooLong(uint256 length, uint256 limit);

    /// @notice The byte at `position` is not printable ASCII: write it with plain letters.
    error PromptNotAscii(uint256 position);

    /// @notice Copies the prompt as it is, in lower case and backward, each with 33 to 64 spaces behind
    ///   it, and reserves memory for the tokens and their hashes. Fills in all but the symbols.
    function open(Scan memory scan, string calldata prompt) internal pure {
        uint256 length = bytes(prompt).length;
        if (length > MAX_CHARACTERS) revert PromptTooLong(length, MAX_CHARACTERS);
        unchecked {
            uint256 room = (length & ~uint256(31)) + 64;
            uint256 written;
            assembly ("memory-safe") {
                written := mload(0x40)
                calldatacopy(written, prompt.offset, length)
                mstore(0x40, add(written, add(mul(3, room), add(TOKEN_BYTES, HASH_BYTES))))
            }
            _fillWithSpaces(written + length, written + room);
            uint256 backward = written + 3 * room;
            for (uint256 pos = written; pos < written + room; pos += 32) {
                uint256 w = _load(pos);
                uint256 bad = Ascii.unprintable(w);
                if (bad != 0) revert PromptNotAscii(pos + Ascii.first(bad) - written);
                w = Ascii.lower(w);
                _store(pos + room, w);
                backward -= 32;
                _store(backward, Ascii.reverse(w));
            }
            scan.start = written + room;
            scan.end = written + room + length;
            scan.original = 0 - room;
            scan.tokens = written + 3 * room;
            scan.backward = scan.tokens - 32 + scan.start;
            scan.next = scan.tokens;
        }
    }

    /// @dev Overwrites up to 32 bytes behind `end`, where nothing is yet.
    function _fillWithSpaces(uint256 pos, uint256 end) private pure {
        unchecked {
            for (; pos < end; pos += 32) {
                _store(pos, Ascii.SPACES);
            }
        }
    }

    function _load(uint256 pos) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(pos)
        }
    }

    function _store(uint256 pos, uint256 w) private pure {
        assembly ("memory-safe") {
            mstore(pos, w)
        }
    }
}
