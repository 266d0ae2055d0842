// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {BalanceReading} from "./BalanceReading.sol";
import {Embedding} from "./Embedding.sol";
import {History, HistoryReading} from "./HistoryReading.sol";
import {ModelData} from "./ModelData.sol";
import {Parse, ParseFormat} from "./ParseFormat.sol";
import {Scan} from "./PromptText.sol";
import {Strangers} from "./Strangers.sol";
import {SymbolList} from "./SymbolList.sol";
import {Tokenizer} from "./Tokenizer.sol";

/// @title From a context to a model's features, exactly as `models/encoding/encoder.py`
/// @notice Features: 32 sums of the text table's rows; how often each action was taken, how many
///   iterations there were, whether the last observation is a readable balance; how many numbers,
///   symbols and addresses the prompt has; for each of six candidates 16 sums of the local table's
///   rows. The second result is `abi.encode(Parse)`.
contract TextEncoder is IEncoder {
    uint256 private constant MAX_CHUNKS = 8;
    uint256 private constant MAX_CANDIDATES = 6;
    uint256 private constant TEXT_BYTES = 64; // 32 features
    uint256 private constant LOCAL_BYTES = 32; // 16 features for each candidate
    uint256 private constant COUNTS = 5; // beside those of the actions
    uint256 private constant LANE = 8; // `HistoryReading.COUNT_BITS`
    uint256 private constant COUNT_UNIT = 32;
    uint256 private constant COUNT_LIMIT = 7;
    uint256 private constant PARSE_BYTES = 128;

    bytes4 private constant SYMBOL_BOOK = ISymbolBookUser.symbolBook.selector;
    bytes4 private constant POINTER = ISymbolBook.pointer.selector;

    // Contracts that hold the text table; unused ones are zero.
    address private immutable _chunk0;
    address private immutable _chunk1;
    address private immutable _chunk2;
    address private immutable _chunk3;
    address private immutable _chunk4;
    address private immutable _chunk5;
    address private immutable _chunk6;
    address private immutable _chunk7;

    address private immutable _data;
    uint256 private immutable _textMask;
    uint256 private immutable _localMask;
    uint256 private immutable _vocabulary; // offset in the data's code
    uint256 private immutable _prefixes; // offset in the data's code
    uint256 private immutable _prefixBytes;
    uint256 private immutable _actions;
    uint256 private immutable _balanceAction;

    /// @notice The prompt names too many amounts, assets and addresses: split it into several.
    error TooManyCandidates(uint256 limit);

    /// @notice The text table needs another number of contracts, 767 rows in each.
    error ChunkCountMismatch(uint256 expected, uint256 received);

    /// @param chunks The contracts that hold the text table, in order; see `Embedding`.
    /// @param textRows The text table's number of rows.
    /// @param data The contract that holds local table, vocabulary and manifest; see `ModelData`.
    /// @param localRows The local table's number of rows.
    constructor(address[] memory chunks, uint256 textRows, address data, uint256 localRows) {
        ModelData.checkRows(textRows);
        ModelData.checkRows(localRows);
        _checkChunks(chunks, textRows);
        _data = data;
        _textMask = textRows - 1;
        _localMask = localRows - 1;
        uint256 offset = ModelData.manifestAt(localRows);
        _vocabulary = ModelData.vocabularyAt(localRows);
        _prefixes = offset + ModelData.HEADER_BYTES;
        (_actions, _balanceAction, _prefixBytes) = ModelData.header(data, offset);
        _chunk0 = chunks[0];
        _chunk1 = _at(chunks, 1);
        _chunk2 = _at(chunks, 2);
        _chunk3 = _at(chunks, 3);
        _chunk4 = _at(chunks, 4);
        _chunk5 = _at(chunks, 5);
        _chunk6 = _at(chunks, 6);
        _chunk7 = _at(chunks, 7);
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        Parse memory found;
        found.book = Strangers.addressOf(c.agent, SYMBOL_BOOK, POINTER);
        Scan memory scan = Tokenizer.tokenize(c.prompt, SymbolList.load(found.book));
        if (scan.candidates > MAX_CANDIDATES) revert TooManyCandidates(MAX_CANDIDATES);
        uint256 actions = _actions;
        uint256 length = TEXT_BYTES + 2 * (actions + COUNTS) + LOCAL_BYTES * MAX_CANDIDATES;
        uint256 features = _reserve(length);
        uint256 words = ModelData.load(_data, _vocabulary, ModelData.VOCABULARY_BYTES);
        (uint256 low, uint256 high) = Embedding.sumText(scan, _textMask, _chunks(), words);
        if (Embedding.isForeign(scan)) scan.other = ParseFormat.OTHER;
        _store(features, low);
        _store(features + 32, high);
        uint256 present = _candidates(scan, features + length, found);
        History memory history = _history(c.agentReasoning, found);
        _counts(features + TEXT_BYTES, actions, history, found.balance, present);
        _return(features, length, found);
    }

    /// @dev Zeroed memory for `abi.encode(features, parse)`.
    /// @return features Where the features go.
    function _reserve(uint256 length) private pure returns (uint256 features) {
        bytes memory room = new bytes(128 + PARSE_BYTES + ((length + 31) & ~uint256(31)));
        assembly ("memory-safe") {
            features := add(room, 128)
        }
    }

    /// @dev Ends the call with the features, which are in place, and `found`.
    function _return(uint256 features, uint256 length, Parse memory found) private pure {
        assembly ("memory-safe") {
            let start := sub(features, 96)
            let parse := add(features, and(add(length, 31), not(31)))
            mstore(start, 64)
            mstore(add(start, 32), sub(parse, start))
            mstore(add(start, 64), length)
            mstore(parse, PARSE_BYTES)
            mcopy(add(parse, 32), found, PARSE_BYTES)
            return(start, sub(add(parse, add(32, PARSE_BYTES)), start))
        }
    }

    /// @dev Writes the local features, which end at `end`, and collects the candidates.
    /// @return present How many numbers, symbols, addresses, in lanes as `History.taken`.
    function _candidates(Scan memory scan, uint256 end, Parse memory found)
        private
        view
        returns (uint256 present)
    {
        unchecked {
            uint256 count = scan.candidates;
            uint256 places = scan.places;
            uint256 pos = end - LOCAL_BYTES * MAX_CANDIDATES;
            uint256 candidates;
            for (uint256 i = 0; i < count; ++i) {
                uint256 place = places & 0xff;
                places >>= 8;
                _store(pos, Embedding.sumLocal(scan, place, _data, _localMask));
                pos += LOCAL_BYTES;
                uint256 token = _load(scan.tokens + (place << 5));
                candidates = ParseFormat.append(candidates, i, token, scan.start);
                present += _lane(token >> 64);
            }
            found.candidates = candidates | scan.other;
        }
    }

    function _history(string[] calldata reasoning, Parse memory found)
        private
        view
        returns (History memory history)
    {
        if (reasoning.length == 0) return history;
        uint256 prefixes = ModelData.load(_data, _prefixes, _prefixBytes);
        history = HistoryReading.read(reasoning, prefixes, _actions);
        found.observation = history.observation;
        if (history.observation != 0 && history.lastAction == _balanceAction) {
            string calldata entry = reasoning[ParseFormat.entryOf(history.observation)];
            (uint256 start, uint256 end) = ParseFormat.span(history.observation, 0);
            found.balance = BalanceReading.read(entry, start, end);
        }
    }

    /// @dev Writes the counts to `pos`: actions, entries, whether the balance is readable, numbers,
    ///   symbols, addresses. Clamped and scaled, each fits the lower byte of its feature.
    function _counts(
        uint256 pos,
        uint256 actions,
        History memory history,
        uint256 balance,
        uint256 present
    ) private pure {
        unchecked {
            uint256 readable = balance == 0 ? 0 : 1;
            uint256 entries = history.entries < COUNT_LIMIT ? history.entries : COUNT_LIMIT;
            uint256 lanes = present << (2 * LANE) | readable << LANE | entries;
            lanes = history.taken | (lanes << (LANE * actions));
            uint256 end = pos + 2 * (actions + COUNTS);
            assembly ("memory-safe") {
                for {} lt(pos, end) { pos := add(pos, 2) } {
                    let count := and(lanes, 0xff)
                    if gt(count, COUNT_LIMIT) { count := COUNT_LIMIT }
                    mstore8(add(pos, 1), mul(count, COUNT_UNIT))
                    lanes := shr(LANE, lanes)
                }
            }
        }
    }

    /// @dev The addresses of the text table's contracts in memory.
    function _chunks() private view returns (uint256 pos) {
        address[MAX_CHUNKS] memory chunks =
            [_chunk0, _chunk1, _chunk2, _chunk3, _chunk4, _chunk5, _chunk6, _chunk7];
        assembly ("memory-safe") {
            pos := chunks
        }
    }

    function _checkChunks(address[] memory chunks, uint256 rows) private view {
        uint256 perChunk = Embedding.ROWS_PER_CHUNK;
        uint256 expected = (rows + perChunk - 1) / perChunk;
        if (expected != chunks.length || expected > MAX_CHUNKS) {
            revert ChunkCountMismatch(expected, chunks.length);
        }
        for (uint256 i = 0; i < expected; ++i) {
            uint256 here = i + 1 == expected ? rows - i * perChunk : perChunk;
            uint256 length = chunks[i].code.length;
            if (length < 1 + 32 * here) {
                revert ModelData.DataTooShort(chunks[i], 1 + 32 * here, length);
            }
        }
    }

    function _at(address[] memory chunks, uint256 i) private pure returns (address) {
        return i < chunks.length ? chunks[i] : address(0);
    }

    /// @dev A one in the lane of a candidate's type: numbers, symbols, addresses.
    function _lane(uint256 kind) private pure returns (uint256) {
        if (kind == Tokenizer.NUMBER) return 1;
        return kind == Tokenizer.SYMBOL ? 1 << LANE : 1 << (2 * LANE);
    }

    function _store(uint256 pos, uint256 w) private pure {
        assembly ("memory-safe") {
            mstore(pos, w)
        }
    }

    function _load(uint256 pos) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(pos)
        }
    }
}
