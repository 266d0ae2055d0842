// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {ModelData} from "../encoding/ModelData.sol";
import {PromptText} from "../encoding/PromptText.sol";
import {ICandidates} from "../interfaces/ICandidates.sol";
import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {IReadingAgent} from "../interfaces/IReadingAgent.sol";
import {IReadingEncoder} from "../interfaces/IReadingEncoder.sol";
import {IToolVectors, SheetParameter, ToolSheet} from "../interfaces/IToolVectors.sol";
import {Candidate} from "./Candidate.sol";
import {Found, FoundCandidates} from "./FoundCandidates.sol";
import {Pairs} from "./Pairs.sol";
import {PromptWords} from "./PromptWords.sol";
import {TextVector} from "./TextVector.sol";
import {ToolScores} from "./ToolScores.sol";
import {WordSum} from "./WordSums.sol";
import {WordTable} from "./WordTable.sol";

/// @notice What a reader's encoder reads with, beside the table of words.
/// @param vectors Where the vectors of tools are, made with the same table.
/// @param texts What finds candidates of texts: a `TextReader`.
/// @param literals What finds all others: a `LiteralReader`.
/// @param roles The contract of rows of roles: see `Pairs`.
struct ReadingParts {
    IToolVectors vectors;
    ICandidates texts;
    ICandidates literals;
    address roles;
}

/// @title From a prompt and what an agent's tools say of themselves to a reader's features, exactly as
///   `features_of` in `models/reader/asking.py`
/// @notice Tools are read as the agent pinned them. Nothing else that they say counts, nor does the history. Of the
///   tool that the prompt is closest to, the parameters and what the prompt has for them are features as well.
///   The second result is that tool's place and these candidates, for the decoder.
contract ReaderEncoder is WordTable, IEncoder, IReadingEncoder {
    uint256 private constant MOST_TOOLS = 8;
    uint256 private constant VECTOR_BYTES = 64;

    IToolVectors private immutable _vectors;
    ICandidates private immutable _texts;
    ICandidates private immutable _literals;
    address private immutable _roles;

    /// @param chunks The contracts that hold the table of words; see `WordTable`.
    /// @param buckets The table's number of buckets.
    constructor(address[] memory chunks, uint256 buckets, ReadingParts memory parts)
        WordTable(chunks, buckets)
    {
        (_vectors, _texts, _literals) = (parts.vectors, parts.texts, parts.literals);
        uint256 expected = 1 + Pairs.ROLES_BYTES;
        if (parts.roles.code.length < expected) {
            revert ModelData.DataTooShort(parts.roles, expected, parts.roles.code.length);
        }
        _roles = parts.roles;
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        uint256 count = c.tools.length;
        if (count == 0 || count > MOST_TOOLS) revert ToolCountOutOfRange(count, MOST_TOOLS);
        WordSum memory sum = _table();
        PromptWords.Words memory words = PromptWords.read(sum, _checked(c.prompt));
        (bytes32 first, bytes32 second) = TextVector.ofSum(sum);
        bytes32[] memory pinned = IReadingAgent(c.agent).toolTexts();
        bytes memory tools = _vectors.vectorsOf(c.tools, pinned);
        uint256 best = ToolScores.best(first, second, tools);
        (bytes memory pairs, Found memory found) = _pairsOf(c, pinned, best, words);
        return (
            bytes.concat(
                first,
                second,
                tools,
                new bytes(VECTOR_BYTES * (MOST_TOOLS - count)),
                bytes2(uint16((1 << count) - 1)),
                pairs
            ),
            abi.encode(found)
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

    /// @dev Zeros where the tool has no parameters, or more than can be filled.
    function _pairsOf(
        Context calldata c,
        bytes32[] memory pinned,
        uint256 best,
        PromptWords.Words memory words
    ) private view returns (bytes memory pairs, Found memory found) {
        SheetParameter[] memory parameters = _vectors.sheetOf(c.tools, pinned, best).parameters;
        if (parameters.length == 0 || parameters.length > Pairs.MOST_PARAMETERS) {
            found.tool = best;
            return (new bytes(Pairs.BYTES), found);
        }
        found = FoundCandidates.find(c, parameters, _texts, _literals);
        found.tool = best;
        pairs = Pairs.features(words, parameters, FoundCandidates.ofEach(found), _rolesContent());
    }

    function _rolesContent() private view returns (bytes memory content) {
        content = new bytes(Pairs.ROLES_BYTES);
        address roles = _roles;
        assembly ("memory-safe") {
            extcodecopy(roles, add(content, 32), 1, mload(content))
        }
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
