// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What the encoder found in a prompt, as words of a byte string
/// @notice Word 0: the symbol book's entries. Word 1: the contact book's, or zero. Word 2: the number of
///   tokens. Then one word for each token that fills a slot or is in doubt, in order; see `Tokens`.
library ParsedTokens {
    uint256 internal constant HEAD_WORDS = 3;

    /// @notice Not what the encoder returns.
    error MalformedTokens(uint256 length);

    /// @notice How many words of tokens there are. Reverts unless all are whole.
    function count(bytes calldata parse) internal pure returns (uint256) {
        if (parse.length < 32 * HEAD_WORDS || parse.length & 31 != 0) {
            revert MalformedTokens(parse.length);
        }
        return parse.length / 32 - HEAD_WORDS;
    }

    /// @notice The word of token `i` of those that are there.
    function tokenAt(bytes calldata parse, uint256 i) internal pure returns (uint256) {
        return word(parse, HEAD_WORDS + i);
    }

    /// @notice Word `i` of the byte string.
    function word(bytes calldata parse, uint256 i) internal pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := calldataload(add(parse.offset, shl(5, i)))
        }
    }
}
