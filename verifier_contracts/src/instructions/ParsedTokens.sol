// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What the encoder found in a prompt, as words of a byte string
/// @notice Word 0: the symbol book's entries. Word 1: the contact book's, or zero. Word 2: the number of
///   tokens. Then one word for each token that fills a slot or is in doubt, in order; see `Tokens`.
library ParsedTokens {
    uint256 internal constant HEAD_WORDS = 3;

    /// @notice Not what the encoder returns.
    error MalformedTokens(uint256 length);

    /// @notice Where in calldata the words of tokens begin and end. Reverts unless all are whole.
    function tokens(bytes calldata parse) internal pure returns (uint256 pos, uint256 end) {
        if (parse.length < 32 * HEAD_WORDS || parse.length & 31 != 0) {
            revert MalformedTokens(parse.length);
        }
        unchecked {
            assembly ("memory-safe") {
                pos := parse.offset
            }
            end = pos + parse.length;
            pos += 32 * HEAD_WORDS;
        }
    }

    /// @notice The word at `pos` in calldata.
    function load(uint256 pos) internal pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := calldataload(pos)
        }
    }

    /// @notice Word `i` of the byte string.
    function word(bytes calldata parse, uint256 i) internal pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := calldataload(add(parse.offset, shl(5, i)))
        }
    }
}
