// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {INumericAgent} from "../interfaces/INumericAgent.sol";
import {NumericData, Scale} from "./NumericData.sol";
import {NumericWords} from "./NumericWords.sol";

/// @title From numbers on chain to a model's features, as `models/agents/numeric.py`
/// @notice The agent says the numbers; each becomes a feature as the manifest scales it. Whatever the
///   prompt says is not read. Once the run has acted, the features are those that it acted on, so that its
///   answer needs no proof of its own. The second result are the features again, for the decoder.
contract NumericEncoder is IEncoder {
    address private immutable _data;

    /// @notice The agent says another count of numbers than its model takes.
    error ReadingsMismatch(address agent, uint256 expected, uint256 received);

    /// @notice An entry of the reasoning is not what the model's own decision led to.
    error ForeignHistory(uint256 index);

    /// @param data The contract that holds the manifest; see `NumericData`.
    constructor(address data) {
        NumericData.scales(data);
        _data = data;
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c)
        external
        view
        returns (bytes memory features, bytes memory)
    {
        (Scale[] memory scales,) = NumericData.scales(_data);
        uint256 entries = c.agentReasoning.length;
        if (entries > 1) revert ForeignHistory(1);
        if (entries == 1) {
            features = NumericWords.featuresIn(c.agentReasoning[0], scales.length);
            if (features.length == 0) revert ForeignHistory(0);
            return (features, features);
        }
        int256[] memory numbers = INumericAgent(c.agent).readings();
        if (numbers.length != scales.length) {
            revert ReadingsMismatch(c.agent, scales.length, numbers.length);
        }
        features = new bytes(2 * scales.length);
        for (uint256 i = 0; i < scales.length; ++i) {
            uint16 word = uint16(_feature(numbers[i], scales[i]));
            features[2 * i] = bytes1(uint8(word >> 8));
            features[2 * i + 1] = bytes1(uint8(word));
        }
        return (features, features);
    }

    /// @dev Nothing overflows: the ends of the range are at most 2**127 + 2**111, and a number between
    ///   them is divided.
    function _feature(int256 number, Scale memory scale) private pure returns (int16) {
        int256 step = int256(uint256(scale.step));
        if (number >= scale.zero + step * scale.most) return scale.most;
        if (number <= scale.zero + step * scale.least) return scale.least;
        // casting: it lies between least and most
        // forge-lint: disable-next-line(unsafe-typecast)
        return int16((number - scale.zero) / step);
    }
}
