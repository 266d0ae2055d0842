// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {PromptText} from "../encoding/PromptText.sol";
import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {IReadingAgent} from "../interfaces/IReadingAgent.sol";
import {IReadingEncoder} from "../interfaces/IReadingEncoder.sol";
import {IToolVectors} from "../interfaces/IToolVectors.sol";
import {TextVector} from "./TextVector.sol";
import {WordTable} from "./WordTable.sol";

/// @title From a prompt and what an agent's tools say of themselves to a reader's features, exactly as
///   `features` in `models/reader/vectors.py`
/// @notice Tools are read as the agent pinned them, by their vectors. Nothing else that they say counts, nor
///   does the history. The second result is empty.
contract ReaderEncoder is WordTable, IEncoder, IReadingEncoder {
    uint256 private constant MOST_TOOLS = 8;
    uint256 private constant VECTOR_BYTES = 64;

    IToolVectors private immutable _vectors;

    /// @param chunks The contracts that hold the table of words; see `WordTable`.
    /// @param buckets The table's number of buckets.
    /// @param vectors_ Where the vectors of tools are, made with the same table.
    constructor(address[] memory chunks, uint256 buckets, IToolVectors vectors_)
        WordTable(chunks, buckets)
    {
        _vectors = vectors_;
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        uint256 count = c.tools.length;
        if (count == 0 || count > MOST_TOOLS) revert ToolCountOutOfRange(count, MOST_TOOLS);
        (bytes32 first, bytes32 second) = TextVector.ofPrompt(_table(), _checked(c.prompt));
        bytes32[] memory pinned = IReadingAgent(c.agent).toolTexts();
        return (
            bytes.concat(
                first,
                second,
                _vectors.vectorsOf(c.tools, pinned),
                new bytes(VECTOR_BYTES * (MOST_TOOLS - count)),
                bytes2(uint16((1 << count) - 1))
            ),
            ""
        );
    }

    /// @inheritdoc IReadingEncoder
    function mostTools() external pure returns (uint256) {
        return MOST_TOOLS;
    }

    /// @inheritdoc IReadingEncoder
    function vectors() external view returns (IToolVectors) {
        return _vectors;
    }

    /// @dev A copy of the prompt, which has to be one that arguments are found in.
    function _checked(string calldata prompt) private pure returns (bytes memory text) {
        unchecked {
            uint256 length = bytes(prompt).length;
            if (length > PromptText.MAX_CHARACTERS) {
                revert PromptText.PromptTooLong(length, PromptText.MAX_CHARACTERS);
            }
            text = bytes(prompt);
            for (uint256 at = 0; at < length; at += 32) {
                uint256 w;
                assembly ("memory-safe") {
                    w := mload(add(add(text, 32), at))
                }
                uint256 bad = Ascii.unprintable(w);
                if (length - at < 32) bad &= ~(type(uint256).max >> (8 * (length - at)));
                if (bad != 0) revert PromptText.PromptNotAscii(at + Ascii.first(bad));
            }
        }
    }
}
