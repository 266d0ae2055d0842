// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {IERCAgentTool} from "../interfaces/erc/IERCAgentTool.sol";
import {Questions} from "./Questions.sol";

/// @title What a reader's decisions are written in, exactly as `models/reader/deciding.py`
library ReaderWords {
    bytes internal constant DECLINE = "None of my tools is for that.";
    bytes internal constant TOO_MANY = " takes more than 6 parameters: I cannot fill them.";
    bytes internal constant HOLD = "I act when I am asked to, now: say plainly what to do.";
    bytes internal constant THOUGHT = "Thought: The prompt means this tool.\nAction: ";

    bytes private constant OBSERVATION = "\nObservation: ";
    bytes1 private constant QUOTE = '"';
    bytes1 private constant BACKSLASH = "\\";

    /// @notice An entry that no agent of ours writes stands in the history.
    error ForeignHistory(uint256 index);

    /// @notice Whether a tool answered, and what the last one did. Blank entries do not count.
    function lastAnswer(string[] calldata reasoning)
        internal
        pure
        returns (bool answered, bytes memory answer)
    {
        for (uint256 i = reasoning.length; i > 0; --i) {
            bytes calldata entry = bytes(reasoning[i - 1]);
            if (entry.length != 0) return (true, _observation(entry, i - 1));
        }
    }

    /// @notice Asks which of an agent's tools is meant.
    function askWhich(IERCAgentTool[] calldata tools) internal view returns (bytes memory text) {
        text = "Which of ";
        for (uint256 i = 0; i < tools.length; ++i) {
            bytes memory name = Questions.named(bytes(tools[i].name()), "tool ", i);
            text = bytes.concat(text, i == 0 ? bytes("") : bytes(", "), name);
        }
        return bytes.concat(text, " do you mean?");
    }

    /// @notice Printable text as it stands in quotes.
    function quoted(bytes memory text) internal pure returns (bytes memory written) {
        uint256 places = _toEscape(text);
        if (places == 0) return text;
        written = new bytes(2 * text.length);
        uint256 length = 0;
        for (uint256 i = 0; i < text.length; ++i) {
            if (text[i] == QUOTE || text[i] == BACKSLASH) written[length++] = BACKSLASH;
            written[length++] = text[i];
        }
        assembly ("memory-safe") {
            mstore(written, length)
        }
    }

    /// @dev Not zero if there is a quote or a backslash.
    function _toEscape(bytes memory text) private pure returns (uint256 found) {
        unchecked {
            uint256 length = text.length;
            for (uint256 at = 0; at < length; at += 32) {
                uint256 w;
                assembly ("memory-safe") {
                    w := mload(add(add(text, 32), at))
                }
                uint256 flags =
                    Ascii.zeroBytes(w ^ Ascii.QUOTES) | Ascii.zeroBytes(w ^ (0x5c * Ascii.ONES));
                if (length - at < 32) flags &= ~(type(uint256).max >> (8 * (length - at)));
                found |= flags;
            }
        }
    }

    /// @notice Arguments, each encoded on its own, as `abi.encode(a, b, ...)` has them.
    function together(IERCAgentTool.ParamValue[] memory values)
        internal
        pure
        returns (bytes memory all)
    {
        unchecked {
            uint256 count = values.length;
            uint256 size = 32 * count;
            for (uint256 i = 0; i < count; ++i) {
                size += values[i].value.length - 32; // a word, or a place and what is there
            }
            all = new bytes(size);
            uint256 tail = 32 * count;
            for (uint256 i = 0; i < count; ++i) {
                bytes memory value = values[i].value;
                assembly ("memory-safe") {
                    let content := add(all, 32)
                    let length := sub(mload(value), 32)
                    mstore(add(content, shl(5, i)), mload(add(value, 32)))
                    if length {
                        mstore(add(content, shl(5, i)), tail)
                        mcopy(add(content, tail), add(value, 64), length)
                        tail := add(tail, length)
                    }
                }
            }
        }
    }

    /// @dev What follows the first marker, without the newline at the end.
    function _observation(bytes calldata entry, uint256 place) private pure returns (bytes memory) {
        uint256 marker = OBSERVATION.length;
        bytes32 wanted = keccak256(OBSERVATION);
        for (uint256 at = 0; at + marker <= entry.length; ++at) {
            if (entry[at] != "\n" || keccak256(entry[at:at + marker]) != wanted) continue;
            uint256 end = entry.length;
            if (end > at + marker && entry[end - 1] == "\n") --end;
            return entry[at + marker:end];
        }
        revert ForeignHistory(place);
    }
}
