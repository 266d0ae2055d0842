// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";
import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {Criteria, Criterion} from "./Criteria.sol";
import {CriteriaNgrams} from "./CriteriaNgrams.sol";
import {CriteriaWords} from "./CriteriaWords.sol";
import {LoanWords} from "./LoanWords.sol";

/// @title From an application and what was observed to a loan model's features, as `models/agents/loan.py`
/// @notice Features: whether the criteria were read, whether the score was, 32 times 1 or 0 each; the score
///   less the limit, 0 without one; then four times 32 sums of the text table's rows for the criteria, of
///   which one is theirs and the others are 0: where the score is below the limit, at it, above it, or there
///   is none to compare. How criteria are read: `Criteria`. The second result is empty.
contract LoanEncoder is IEncoder {
    uint256 private constant TEXT_BYTES = 64; // 32 features
    uint256 private constant FLAG = 32;
    uint256 private constant FEATURE_BYTES = 6 + 4 * TEXT_BYTES;
    uint256 private constant NO_LIMIT = 3;

    /// @dev The table's 4,096 rows, 767 in each.
    uint256 private constant CHUNKS = 6;
    uint256 private constant CHUNK_BYTES = 1 + 32 * 767;
    uint256 private constant LAST_CHUNK_BYTES = 1 + 32 * (4096 - 5 * 767);

    address private immutable _chunk0;
    address private immutable _chunk1;
    address private immutable _chunk2;
    address private immutable _chunk3;
    address private immutable _chunk4;
    address private immutable _chunk5;
    address private immutable _data;

    /// @notice The text table is in 6 contracts.
    error ChunkCountMismatch(uint256 expected, uint256 received);

    /// @notice An entry of the reasoning is not what the model's own decision led to.
    error ForeignHistory(uint256 index);

    /// @param chunks The contracts that hold the text table, in order; see `CriteriaTable`.
    /// @param data The contract that holds the lexicon, behind a zero byte; see `CriteriaWords`.
    constructor(address[] memory chunks, address data) {
        if (chunks.length != CHUNKS) revert ChunkCountMismatch(CHUNKS, chunks.length);
        for (uint256 i = 0; i < CHUNKS; ++i) {
            _checkLength(chunks[i], i + 1 == CHUNKS ? LAST_CHUNK_BYTES : CHUNK_BYTES);
        }
        _checkLength(data, 1 + CriteriaWords.LEXICON_BYTES);
        _chunk0 = chunks[0];
        _chunk1 = chunks[1];
        _chunk2 = chunks[2];
        _chunk3 = chunks[3];
        _chunk4 = chunks[4];
        _chunk5 = chunks[5];
        _data = data;
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
        _compare(features, criteria, answer);
        return (features, "");
    }

    /// @dev Writes the difference, and the criteria's sums where they belong.
    function _compare(bytes memory features, string calldata criteria, string calldata answer)
        private
        view
    {
        uint256 lexicon = ModelData.load(_data, 1, CriteriaWords.LEXICON_BYTES);
        Criterion memory criterion = Criteria.read(criteria, lexicon);
        (bool scored, uint256 score) = _scoreIn(answer);
        uint256 block_ = NO_LIMIT;
        if (criterion.limited && scored) {
            uint256 limit = criterion.limit;
            // casting: both have at most 4 digits, so the difference fits an int16
            // forge-lint: disable-next-line(unsafe-typecast)
            _set(features, 2, uint16(int16(int256(score) - int256(limit))));
            block_ = score < limit ? 0 : score == limit ? 1 : 2;
        }
        (uint256 low, uint256 high) = CriteriaNgrams.sum(criterion, _chunks());
        assembly ("memory-safe") {
            let pos := add(add(features, 38), mul(block_, TEXT_BYTES))
            mstore(pos, low)
            mstore(add(pos, 32), high)
        }
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
        address[6] memory chunks = [_chunk0, _chunk1, _chunk2, _chunk3, _chunk4, _chunk5];
        assembly ("memory-safe") {
            pos := chunks
        }
    }

    function _checkLength(address data, uint256 minimum) private view {
        uint256 length = data.code.length;
        if (length < minimum) revert ModelData.DataTooShort(data, minimum, length);
    }
}
