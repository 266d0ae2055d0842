// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Scores} from "../encoding/Scores.sol";
import {IDecoder} from "../interfaces/IDecoder.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {AgentIterationResult} from "../interfaces/erc/IERCAgentExecutor.sol";
import {LabelAnswer} from "./LabelAnswer.sol";
import {LabelData} from "./LabelData.sol";

/// @title From a classifier's scores to its label and margin, as `models/agents/labels.py`
/// @notice The label of the highest score, the first one on ties, is the final answer, with what it is
///   ahead of the next best: `LabelAnswer`.
contract LabelDecoder is IDecoder {
    address private immutable _data;
    uint256 private immutable _count;

    /// @param data The contract that holds the labels; see `LabelData`.
    constructor(address data) {
        _count = LabelData.check(data);
        _data = data;
    }

    /// @inheritdoc IDecoder
    function decode(Context calldata, bytes calldata, bytes calldata output)
        external
        view
        returns (AgentIterationResult memory made)
    {
        uint256 count = _count;
        if (output.length != 8 * count) revert Scores.OutputLength(8 * count, output.length);
        uint256 best = Scores.argmax(output, 0, count);
        string memory label = LabelData.labelAt(LabelData.load(_data), best);
        made.isFinalAnswer = true;
        made.finalAnswer = LabelAnswer.write(label, _margin(output, best, count));
    }

    function _margin(bytes calldata output, uint256 best, uint256 count)
        private
        pure
        returns (uint256)
    {
        int256 next = type(int64).min;
        for (uint256 i = 0; i < count; ++i) {
            int256 score = _score(output, i);
            if (i != best && score > next) next = score;
        }
        // casting: none is above the best
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint256(_score(output, best) - next);
    }

    function _score(bytes calldata output, uint256 i) private pure returns (int256) {
        return int64(uint64(bytes8(output[8 * i:8 * i + 8])));
    }
}
