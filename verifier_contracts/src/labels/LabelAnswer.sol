// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title A classifier's answer in words, as `models/agents/labels.py` has it: "refund, ahead by 1234"
/// @notice The margin is by how much the label's score is above the next best one, in the model's own
///   units.
library LabelAnswer {
    string internal constant AHEAD = ", ahead by ";

    /// @notice No label and margin: not the answer of a classifier.
    error NotALabel(string answer);

    function write(string memory label, uint256 margin) internal pure returns (string memory) {
        return string.concat(label, AHEAD, Strings.toString(margin));
    }

    /// @notice Label and margin of an answer. The margin is digits alone, so that read from the end there is
    ///   one way to take an answer apart, whatever the label says.
    function read(string memory answer)
        internal
        pure
        returns (string memory label, uint256 margin)
    {
        bytes memory text = bytes(answer);
        uint256 place = text.length;
        uint256 unit = 1;
        while (place > 0 && text[place - 1] >= "0" && text[place - 1] <= "9") {
            --place;
            margin += unit * (uint8(text[place]) & 15);
            unit *= 10;
        }
        uint256 words = bytes(AHEAD).length;
        if (place == text.length || place < words) revert NotALabel(answer);
        label = new string(place - words);
        bytes32 found;
        assembly ("memory-safe") {
            found := keccak256(add(add(text, 32), sub(place, words)), words)
            mcopy(add(label, 32), add(text, 32), sub(place, words))
        }
        if (found != keccak256(bytes(AHEAD))) revert NotALabel(answer);
    }
}
