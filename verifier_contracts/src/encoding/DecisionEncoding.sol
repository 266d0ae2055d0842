// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Action, Parameter} from "./ModelData.sol";

/// @title Returns a decision, as `abi.encode` of an `AgentIterationResult`
/// @dev Both functions end the call. Offsets count from the beginning of the struct, which has five
///   words of head: whether it is an answer, where the answer is, tool, where the input is, where
///   the reasoning is.
library DecisionEncoding {
    uint256 private constant HEAD = 160;
    /// @dev Of a piece: it lies in memory.
    uint256 private constant IN_MEMORY = 1 << 255;

    /// @notice Returns a final answer: the text in memory at `pos`.
    function returnAnswer(uint256 pos, uint256 length) internal pure {
        assembly ("memory-safe") {
            let start := mload(0x40)
            let base := add(start, 32)
            mcopy(add(base, 192), pos, length)
            let end := add(add(base, 192), length)
            mstore(end, 0)
            end := and(add(end, 31), not(31))
            mstore(start, 32)
            mstore(base, 1)
            mstore(add(base, 32), HEAD)
            mstore(add(base, 64), 0)
            mstore(add(base, 96), sub(end, base))
            mstore(add(base, 128), add(sub(end, base), 128))
            mstore(add(base, HEAD), length)
            mstore(end, 64) // input: no parameters, no bytes
            mstore(add(end, 32), 96)
            mstore(add(end, 64), 0)
            mstore(add(end, 96), 0)
            mstore(add(end, 128), 0) // reasoning
            return(start, sub(add(end, 160), start))
        }
    }

    /// @notice Returns a call of `tool` with the action's parameters, whose texts and values are in
    ///   place. Texts are pieces, of which some may lie in memory.
    function returnCall(address tool, Action memory action) internal pure {
        uint256 start = _free();
        unchecked {
            uint256 base = start + 32;
            uint256 input = base + HEAD + 32; // behind an empty answer
            uint256 reasoning = _writeInput(input, action.parameters);
            _writeHead(start, tool, input, reasoning);
            uint256 end = _appendText(reasoning + 32, action.prefix);
            for (uint256 i = 0; i < action.parameters.length; ++i) {
                Parameter memory parameter = action.parameters[i];
                end = appendPiece(_appendText(end, parameter.opening), parameter.text);
            }
            end = _endReasoning(reasoning, end);
            assembly ("memory-safe") {
                return(start, sub(end, start))
            }
        }
    }

    function _writeHead(uint256 start, address tool, uint256 input, uint256 reasoning)
        private
        pure
    {
        unchecked {
            uint256 base = start + 32;
            _store(start, 32);
            _store(base, 0);
            _store(base + 32, HEAD);
            _store(base + 64, uint160(tool));
            _store(base + 96, input - base);
            _store(base + 128, reasoning - base);
            _store(base + HEAD, 0);
        }
    }

    /// @return The end of the string at `start`, whose text ends at `end` with the JSON still open.
    function _endReasoning(uint256 start, uint256 end) private pure returns (uint256) {
        unchecked {
            _store(end, uint256(bytes32('"}\n')));
            _store(start, end + 3 - (start + 32));
            return (end + 34) & ~uint256(31);
        }
    }

    /// @notice The piece that is a text in memory.
    function inMemory(uint256 pos, uint256 length) internal pure returns (uint256 piece) {
        return IN_MEMORY | pos << 32 | length;
    }

    /// @notice The same of a string.
    function inMemory(string memory text) internal pure returns (uint256 piece) {
        uint256 pos;
        assembly ("memory-safe") {
            pos := add(text, 32)
        }
        return inMemory(pos, bytes(text).length);
    }

    /// @notice Writes a piece to memory: a text there, or a span of calldata as `Texts` describes it.
    function appendPiece(uint256 end, uint256 piece) internal pure returns (uint256 newEnd) {
        if (piece & IN_MEMORY == 0) return _appendSpan(end, piece);
        assembly ("memory-safe") {
            let length := and(piece, 0xffffffff)
            mcopy(end, shr(33, shl(1, piece)), length)
            newEnd := add(end, length)
        }
    }

    /// @dev `IERCAgentTool.Input`: the values one by one, and encoded together.
    function _writeInput(uint256 input, Parameter[] memory parameters)
        private
        pure
        returns (uint256 end)
    {
        unchecked {
            uint256 count = parameters.length;
            uint256 offset = 32 * count; // of the first parameter, from behind the array's length
            uint256 together = input + 96 + offset + 128 * count;
            _store(input, 64);
            _store(input + 32, together - input);
            _store(input + 64, count);
            _store(together, offset);
            for (uint256 i = 0; i < count; ++i) {
                Parameter memory parameter = parameters[i];
                uint256 pos = input + 96 + offset;
                _store(input + 96 + 32 * i, offset);
                _store(pos, parameter.paramType);
                _store(pos + 32, 64);
                _store(pos + 64, 32);
                _store(pos + 96, parameter.value);
                _store(together + 32 + 32 * i, parameter.value);
                offset += 128;
            }
            return together + 32 + 32 * count;
        }
    }

    /// @dev A text in memory, as `ModelData` describes it.
    function _appendText(uint256 end, uint256 text) private pure returns (uint256 newEnd) {
        assembly ("memory-safe") {
            let length := shr(240, mload(text))
            mcopy(end, add(text, 2), length)
            newEnd := add(end, length)
        }
    }

    /// @dev A span of calldata, as `Texts` describes it.
    function _appendSpan(uint256 end, uint256 span) private pure returns (uint256 newEnd) {
        assembly ("memory-safe") {
            let length := and(span, 0xffffffff)
            calldatacopy(end, shr(32, span), length)
            newEnd := add(end, length)
        }
    }

    function _free() private pure returns (uint256 pos) {
        assembly ("memory-safe") {
            pos := mload(0x40)
        }
    }

    function _store(uint256 pos, uint256 w) private pure {
        assembly ("memory-safe") {
            mstore(pos, w)
        }
    }
}
