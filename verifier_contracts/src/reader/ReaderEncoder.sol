// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {ModelData} from "../encoding/ModelData.sol";
import {PromptText} from "../encoding/PromptText.sol";
import {Codebook} from "../instructions/Codebook.sol";
import {ICandidates} from "../interfaces/ICandidates.sol";
import {Context, IEncoder, IPromptEncoder} from "../interfaces/IEncoder.sol";
import {IReadingAgent} from "../interfaces/IReadingAgent.sol";
import {IReadingEncoder} from "../interfaces/IReadingEncoder.sol";
import {IToolVectors} from "../interfaces/IToolVectors.sol";
import {AgentBooks} from "./AgentBooks.sol";
import {Findings} from "./Findings.sol";
import {FlatLists} from "./FlatLists.sol";
import {Finders, Found, FoundCandidates} from "./FoundCandidates.sol";
import {Pairs} from "./Pairs.sol";
import {Pinned, PinnedTools} from "./PinnedTools.sol";
import {PromptWords} from "./PromptWords.sol";
import {TextVector} from "./TextVector.sol";
import {ToolScores} from "./ToolScores.sol";
import {ToolSheets} from "./ToolSheets.sol";
import {View, Views} from "./View.sol";
import {WordSum} from "./WordSums.sol";
import {WordTable} from "./WordTable.sol";

/// @notice What a reader's encoder reads with, beside the table of words.
/// @param vectors Where the vectors of tools are, made with the same table.
/// @param texts What finds candidates of texts: a `TextReader`.
/// @param literals What finds all others: a `LiteralReader`.
/// @param roles The contract of rows of roles: see `Pairs`.
/// @param lexicon That by which both find candidates: see `PromptReader`.
struct ReadingParts {
    IToolVectors vectors;
    ICandidates texts;
    ICandidates literals;
    address roles;
    address lexicon;
}

/// @title From a prompt and what an agent's tools say of themselves to a reader's features, exactly as
///   `features_of` in `models/reader/asking.py`
/// @notice Tools are read as the agent pinned them. Nothing else that they say counts, nor does the history. Of the
///   tool that the prompt is closest to, the parameters and what the prompt has for them are features as well.
///   The second result is what the decoder needs of these: see `Findings`.
contract ReaderEncoder is WordTable, IPromptEncoder, IReadingEncoder {
    uint256 private constant MOST_TOOLS = 8;
    /// @dev Of all features, and where those of pairs begin behind vectors and a bit for each tool.
    uint256 private constant FEATURE_BYTES = PAIRS_AT + Pairs.BYTES;
    uint256 private constant PAIRS_AT = 64 * (MOST_TOOLS + 1) + 2;

    IToolVectors private immutable _vectors;
    ICandidates private immutable _texts;
    ICandidates private immutable _literals;
    address private immutable _roles;
    address private immutable _lexicon;

    /// @param chunks The contracts that hold the table of words; see `WordTable`.
    /// @param buckets The table's number of buckets.
    constructor(address[] memory chunks, uint256 buckets, ReadingParts memory parts)
        WordTable(chunks, buckets)
    {
        (_vectors, _texts, _literals) = (parts.vectors, parts.texts, parts.literals);
        _check(parts.roles, 1 + Pairs.ROLES_BYTES);
        _check(parts.lexicon, 1 + 32 * Codebook.BUCKETS_PER_CHUNK);
        (_roles, _lexicon) = (parts.roles, parts.lexicon);
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        uint256 count = c.tools.length;
        if (count == 0 || count > MOST_TOOLS) revert ToolCountOutOfRange(count, MOST_TOOLS);
        WordSum memory sum = _table();
        PromptWords.Words memory words = PromptWords.read(sum, _checked(c.prompt));
        (bytes32 first, bytes32 second) = TextVector.ofSum(sum);
        Pinned memory pinned = PinnedTools.read(_vectors, c.agent, c.tools);
        uint256 best = ToolScores.best(first, second, pinned.content, count);
        bytes memory features = _features(first, second, pinned.content, count);
        (bytes memory found, bytes32 read) = _find(c, pinned, best, words, features);
        _return(features, found, read);
    }

    /// @inheritdoc IPromptEncoder
    function readings(address agent) external view returns (bytes32) {
        (address symbols, address contacts) = AgentBooks.pointersOf(agent);
        return _readings(IReadingAgent(agent).toolTexts(), symbols, contacts);
    }

    /// @inheritdoc IReadingEncoder
    function mostTools() external pure returns (uint256) {
        return MOST_TOOLS;
    }

    /// @inheritdoc IReadingEncoder
    function vectors() external view returns (IToolVectors) {
        return _vectors;
    }

    /// @dev Those of the prompt and of tools; zeros, so far, of pairs, and 24 bytes of room behind.
    function _features(bytes32 first, bytes32 second, bytes memory tools, uint256 count)
        private
        pure
        returns (bytes memory features)
    {
        uint256 size = FEATURE_BYTES;
        uint256 bitsAt = PAIRS_AT;
        assembly ("memory-safe") {
            features := mload(0x40)
            mstore(features, size)
            mstore(add(features, 32), first)
            mstore(add(features, 64), second)
            let pos := add(features, 96)
            calldatacopy(add(features, bitsAt), calldatasize(), sub(add(size, 64), bitsAt))
            let length := shl(6, count)
            mcopy(pos, add(tools, 32), length)
            calldatacopy(add(pos, length), calldatasize(), sub(512, length))
            mstore8(add(add(features, bitsAt), 31), sub(shl(count, 1), 1))
            mstore(0x40, and(add(add(features, size), 95), not(31)))
        }
    }

    /// @dev What there is for the parameters of a tool, and the features of that: none where the tool has no
    ///   parameters, or more than can be filled.
    /// @return found See `Findings`.
    /// @return read The readings. None where tools are not stored together, whose sheets they tell at each time, and of
    ///   an agent without a symbol book that takes what is no text: what tokens say counts there.
    function _find(
        Context calldata c,
        Pinned memory pinned,
        uint256 tool,
        PromptWords.Words memory words,
        bytes memory features
    ) internal view returns (bytes memory found, bytes32 read) {
        bytes memory sheet = PinnedTools.sheetOf(pinned, _vectors, c.tools, tool);
        uint256 mood = (uint256(pinned.texts[tool]) & 1) << 8;
        Finders memory by;
        (by.texts, by.literals) = (_texts, _literals);
        (by.symbols, by.contacts) = AgentBooks.pointersOf(c.agent);
        Found memory lists;
        mood |= _fill(c, by, sheet, lists, words, features);
        found = Findings.pack(tool, mood, by.symbols, by.contacts, lists, sheet);
        bool told = lists.literals.length != 0 && by.symbols == address(0);
        if (pinned.together && !told) read = _readings(pinned.texts, by.symbols, by.contacts);
    }

    /// @dev Finds candidates and writes the features of pairs.
    /// @return mood The prompt's, or that it is not known.
    function _fill(
        Context calldata c,
        Finders memory by,
        bytes memory sheet,
        Found memory lists,
        PromptWords.Words memory words,
        bytes memory features
    ) private view returns (uint256 mood) {
        (uint256 count, uint256[] memory types, uint256[] memory directions) =
            ToolSheets.slots(sheet, Pairs.MOST_PARAMETERS);
        if (count == 0 || count > Pairs.MOST_PARAMETERS) return Findings.UNKNOWN_MOOD;
        mood = _look(c.prompt, by, types, lists);
        Pairs.write(words, directions, lists.lists, _roles, _pairsIn(features));
    }

    function _look(
        string calldata prompt,
        Finders memory by,
        uint256[] memory types,
        Found memory lists
    ) private view returns (uint256 mood) {
        View memory v = AgentBooks.look(prompt, _lexicon, by.symbols, by.contacts);
        FoundCandidates.find(v, prompt, types, by, lists);
        mood = FlatLists.moodOf(lists.texts);
    }

    function _pairsIn(bytes memory features) private pure returns (uint256 pos) {
        uint256 at = 32 + PAIRS_AT;
        assembly ("memory-safe") {
            pos := add(features, at)
        }
    }

    /// @dev Tools as they are pinned, and the agent's books: what they point to may come to have code later on.
    function _readings(bytes32[] memory texts, address symbols, address contacts)
        private
        view
        returns (bytes32 read)
    {
        assembly ("memory-safe") {
            let words := mload(0x40)
            mstore(words, keccak256(texts, shl(5, add(mload(texts), 1))))
            mstore(add(words, 32), symbols)
            mstore(add(words, 64), extcodehash(symbols))
            mstore(add(words, 96), contacts)
            mstore(add(words, 128), 0)
            if contacts { mstore(add(words, 128), extcodehash(contacts)) }
            read := keccak256(words, 160)
        }
    }

    /// @dev Ends the call with features, findings and readings.
    function _return(bytes memory features, bytes memory found, bytes32 read) private pure {
        assembly ("memory-safe") {
            let start := mload(0x40)
            mstore(start, 96)
            mstore(add(start, 64), read)
            let size := add(mload(features), 32)
            let to := add(start, 96)
            mcopy(to, features, size)
            let behind := add(to, size)
            mstore(behind, 0)
            behind := and(add(behind, 31), not(31))
            mstore(add(start, 32), sub(behind, start))
            size := add(mload(found), 32)
            mcopy(behind, found, size)
            behind := add(behind, size)
            mstore(behind, 0)
            return(start, sub(and(add(behind, 31), not(31)), start))
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

    function _check(address data, uint256 expected) private view {
        uint256 length = data.code.length;
        if (length < expected) revert ModelData.DataTooShort(data, expected, length);
    }
}
