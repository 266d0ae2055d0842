// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {EscapedText} from "../libraries/EscapedText.sol";

/// @title The reasoning of a run: an entry for each iteration so far, and no blanks
library ReasoningList {
    /// @notice An empty list with room to `append` so many entries.
    function empty(uint256 room) internal pure returns (string[] memory list) {
        list = new string[](room);
        assembly ("memory-safe") {
            mstore(list, 0)
        }
    }

    /// @notice The same entries, with room for so many in all.
    function copied(string[] memory entries, uint256 room)
        internal
        pure
        returns (string[] memory list)
    {
        list = empty(room);
        for (uint256 i = 0; i < entries.length; ++i) {
            append(list, entries[i]);
        }
    }

    /// @notice Adds an entry; there has to be room.
    function append(string[] memory list, string memory one) internal pure {
        assembly ("memory-safe") {
            let length := mload(list)
            mstore(add(list, shl(5, add(length, 1))), one)
            mstore(list, add(length, 1))
        }
    }

    /// @notice An iteration: what a tool answers cannot end its line.
    function entry(string memory reasoning, string memory result)
        internal
        pure
        returns (string memory)
    {
        return string.concat(reasoning, "Observation: ", EscapedText.escape(result), "\n");
    }
}
