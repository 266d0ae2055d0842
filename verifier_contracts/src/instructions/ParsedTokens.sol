// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title What the encoder found in a prompt, as words of a byte string
/// @notice Word 0: the symbol book's entries. Word 1: the contact book's, or zero. Word 2: the number of
///   tokens. Then one word for each token that fills a slot or is in doubt, in order: place (bits 0 to
///   4), kind, as `Kinds` has it (5 to 8), where it begins (9 to 18) and ends (19 to 28), whether its amount is to be left
///   (29), the amount's decimal places (30 to 34), its digits (48 to 147) and what they are divided by
///   (148 to 254; 0 of an exact amount). `Tokens` writes the same.
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

    function placeOf(uint256 token) internal pure returns (uint256) {
        return token & 0x1f;
    }

    function kindOf(uint256 token) internal pure returns (uint256) {
        return (token >> 5) & 0xf;
    }

    function startOf(uint256 token) internal pure returns (uint256) {
        return (token >> 9) & 0x3ff;
    }

    function endOf(uint256 token) internal pure returns (uint256) {
        return (token >> 19) & 0x3ff;
    }

    /// @notice Whether the amount is what is to be left of the balance.
    function isBut(uint256 token) internal pure returns (bool) {
        return (token >> 29) & 1 == 1;
    }

    function placesOf(uint256 token) internal pure returns (uint256) {
        return (token >> 30) & 0x1f;
    }

    function digitsOf(uint256 token) internal pure returns (uint256) {
        return (token >> 48) & ((1 << 100) - 1);
    }

    function shareOf(uint256 token) internal pure returns (uint256) {
        return (token >> 148) & ((1 << 107) - 1);
    }
}
