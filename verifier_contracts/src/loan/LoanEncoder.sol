// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Embedding} from "../encoding/Embedding.sol";
import {ModelData} from "../encoding/ModelData.sol";
import {Scan} from "../encoding/PromptText.sol";
import {SymbolList} from "../encoding/SymbolList.sol";
import {Tokenizer} from "../encoding/Tokenizer.sol";
import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {LoanWords} from "./LoanWords.sol";

/// @title From an application and what was observed to a loan model's features, as `models/agents/loan.py`
/// @notice Features: whether the criteria were read, whether the score was, 32 times 1 or 0 each; the score
///   less the limit, 0 without one; then four times 32 sums of the text table's rows for the criteria, of
///   which one is theirs and the others are 0: where the score is below the limit, at it, above it, or there
///   is none to compare. A limit is the one number in the criteria, 1 to 4 digits. The second result is
///   empty.
contract LoanEncoder is IEncoder {
    uint256 private constant TEXT_BYTES = 64; // 32 features
    uint256 private constant FLAG = 32;
    uint256 private constant FEATURE_BYTES = 6 + 4 * TEXT_BYTES;
    uint256 private constant NO_LIMIT = 3;

    address private immutable _chunk0;
    address private immutable _chunk1;
    address private immutable _data;
    uint256 private immutable _textMask;

    /// @notice The text table is in 1 or 2 contracts, 767 rows in each.
    error ChunkCountMismatch(uint256 expected, uint256 received);

    /// @notice An entry of the reasoning is not what the model's own decision led to.
    error ForeignHistory(uint256 index);

    /// @param chunks The contracts that hold the text table, in order; see `Embedding`.
    /// @param textRows The text table's number of rows.
    /// @param data The contract that holds the vocabulary, behind a zero byte.
    constructor(address[] memory chunks, uint256 textRows, address data) {
        ModelData.checkRows(textRows);
        uint256 perChunk = Embedding.ROWS_PER_CHUNK;
        uint256 expected = (textRows + perChunk - 1) / perChunk;
        if (expected != chunks.length || expected > 2) {
            revert ChunkCountMismatch(expected, chunks.length);
        }
        for (uint256 i = 0; i < expected; ++i) {
            uint256 here = i + 1 == expected ? textRows - i * perChunk : perChunk;
            _checkLength(chunks[i], 1 + 32 * here);
        }
        _checkLength(data, 1 + ModelData.VOCABULARY_BYTES);
        _chunk0 = chunks[0];
        _chunk1 = expected == 2 ? chunks[1] : address(0);
        _data = data;
        _textMask = textRows - 1;
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c)
        external
        view
        returns (bytes memory features, bytes memory)
    {
        (string memory applicant,) = LoanWords.applicantIn(c.prompt);
        features = new bytes(FEATURE_BYTES);
        uint256 entries = c.agentReasoning.length;
        if (entries == 0) return (features, "");
        _set(features, 0, FLAG);
        string calldata criteria = _observed(c, 0, bytes(LoanWords.ASK_CRITERIA));
        if (entries == 1) return (features, "");
        if (entries > 2) revert ForeignHistory(2);
        _set(features, 1, FLAG);
        string calldata answer = _observed(c, 1, _askScore(applicant));
        _compare(c.agent, features, criteria, answer);
        return (features, "");
    }

    /// @dev Writes the difference, and the criteria's sums where they belong.
    function _compare(
        address agent,
        bytes memory features,
        string calldata criteria,
        string calldata answer
    ) private view {
        Scan memory scan = Tokenizer.tokenize(
            criteria, SymbolList.load(ISymbolBookUser(agent).symbolBook().pointer())
        );
        (bool limited, uint256 limit) = _limitIn(scan);
        (bool scored, uint256 score) = _scoreIn(answer);
        uint256 block_ = NO_LIMIT;
        if (limited && scored) {
            // casting: both have at most 4 digits, so the difference fits an int16
            // forge-lint: disable-next-line(unsafe-typecast)
            _set(features, 2, uint16(int16(int256(score) - int256(limit))));
            block_ = score < limit ? 0 : score == limit ? 1 : 2;
        }
        uint256 words = ModelData.load(_data, 1, ModelData.VOCABULARY_BYTES);
        (uint256 low, uint256 high) = Embedding.sumText(scan, _textMask, _chunks(), words);
        assembly ("memory-safe") {
            let pos := add(add(features, 38), mul(block_, TEXT_BYTES))
            mstore(pos, low)
            mstore(add(pos, 32), high)
        }
    }

    /// @dev The one number among the tokens.
    function _limitIn(Scan memory scan) private pure returns (bool known, uint256 limit) {
        uint256 numbers = 0;
        for (uint256 pos = scan.tokens; pos < scan.next; pos += 32) {
            uint256 token = _load(pos);
            if (token >> 64 != Tokenizer.NUMBER) continue;
            ++numbers;
            uint256 start = (token >> 32) & 0xffffffff;
            (known, limit) = LoanWords.numberOf(_copy(start, (token & 0xffffffff) - start));
        }
        if (numbers != 1) return (false, 0);
    }

    function _scoreIn(string calldata answer) private pure returns (bool, uint256) {
        bytes memory opening = bytes(LoanWords.SCORE_IS);
        bytes calldata text = bytes(answer);
        if (text.length < opening.length) return (false, 0);
        if (keccak256(text[:opening.length]) != keccak256(opening)) return (false, 0);
        return LoanWords.numberOf(text[opening.length:]);
    }

    /// @dev What stands behind the decision's own text in its entry.
    function _observed(Context calldata c, uint256 index, bytes memory decision)
        private
        pure
        returns (string calldata)
    {
        bytes calldata entry = bytes(c.agentReasoning[index]);
        bytes memory opening = bytes.concat(decision, bytes(LoanWords.OBSERVATION));
        uint256 length = opening.length;
        if (
            entry.length <= length || keccak256(entry[:length]) != keccak256(opening)
                || entry[entry.length - 1] != "\n"
        ) revert ForeignHistory(index);
        return string(entry[length:entry.length - 1]);
    }

    function _askScore(string memory applicant) private pure returns (bytes memory) {
        return bytes(
            string.concat(LoanWords.ASK_SCORE, LoanWords.SCORE_OF, applicant, LoanWords.END_SCORE)
        );
    }

    function _set(bytes memory features, uint256 place, uint256 value) private pure {
        features[2 * place] = bytes1(uint8(value >> 8));
        features[2 * place + 1] = bytes1(uint8(value));
    }

    /// @dev The addresses of the text table's contracts in memory.
    function _chunks() private view returns (uint256 pos) {
        address[2] memory chunks = [_chunk0, _chunk1];
        assembly ("memory-safe") {
            pos := chunks
        }
    }

    function _copy(uint256 pos, uint256 length) private pure returns (bytes memory text) {
        text = new bytes(length);
        assembly ("memory-safe") {
            mcopy(add(text, 32), pos, length)
        }
    }

    function _load(uint256 pos) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(pos)
        }
    }

    function _checkLength(address data, uint256 minimum) private view {
        uint256 length = data.code.length;
        if (length < minimum) revert ModelData.DataTooShort(data, minimum, length);
    }
}
