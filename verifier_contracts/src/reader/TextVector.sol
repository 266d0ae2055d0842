// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

import {WordSum, WordSums} from "./WordSums.sol";

/// @notice What a tool says of itself. parameters: names and descriptions, each behind the other.
struct ToolTexts {
    bytes name;
    bytes description;
    bytes[] parameters;
    bytes[] examples;
}

/// @title Texts as directions of 64 numbers, exactly as `models/reader/vectors.py` computes them
/// @notice A vector is 64 words of memory. In the end it is 64 numbers of int8, from -127 to 127, packed.
library TextVector {
    using WordSums for WordSum;

    uint256 internal constant MOST_EXAMPLES = 8;

    uint256 private constant VECTOR_BYTES = 2048;
    uint256 private constant FINE = 1024;
    uint256 private constant LENGTH = 320;

    /// @notice The vector of a prompt.
    function ofPrompt(WordSum memory sum, bytes memory prompt)
        internal
        view
        returns (bytes32 first, bytes32 second)
    {
        uint256 vector = _room();
        _ofText(sum, prompt, vector);
        return _narrow(vector);
    }

    /// @notice The vector of a tool.
    /// @param shares What name, description, parameters and examples count for: 16 bits each, the name's
    ///   lowest.
    function ofTool(WordSum memory sum, ToolTexts memory tool, uint256 shares)
        internal
        view
        returns (bytes32 first, bytes32 second)
    {
        unchecked {
            (uint256 total, uint256 part) = (_room(), _room());
            _ofText(sum, tool.name, part);
            _add(total, part, shares & 0xffff);
            _ofText(sum, tool.description, part);
            _add(total, part, (shares >> 16) & 0xffff);
            if (tool.parameters.length != 0) {
                sum.clear();
                for (uint256 i = 0; i < tool.parameters.length; ++i) {
                    sum.add(tool.parameters[i]);
                }
                sum.write(part);
                _scale(part, FINE);
                _add(total, part, (shares >> 32) & 0xffff);
            }
            if (tool.examples.length != 0) {
                _ofExamples(sum, tool.examples, part);
                _add(total, part, (shares >> 48) & 0xffff);
            }
            return _narrow(total);
        }
    }

    function _ofExamples(WordSum memory sum, bytes[] memory examples, uint256 into) private view {
        unchecked {
            (uint256 all, uint256 one) = (_room(), _room());
            for (uint256 i = 0; i < examples.length && i < MOST_EXAMPLES; ++i) {
                _ofText(sum, examples[i], one);
                _add(all, one, 1);
            }
            _scale(all, FINE);
            assembly ("memory-safe") {
                mcopy(into, all, VECTOR_BYTES)
            }
        }
    }

    function _ofText(WordSum memory sum, bytes memory text, uint256 into) private view {
        sum.clear();
        sum.add(text);
        sum.write(into);
        _scale(into, FINE);
    }

    /// @dev 64 zeros.
    function _room() private pure returns (uint256 pos) {
        uint256[64] memory room;
        assembly ("memory-safe") {
            pos := room
        }
    }

    function _add(uint256 total, uint256 part, uint256 share) private pure {
        assembly ("memory-safe") {
            let end := add(part, VECTOR_BYTES)
            for {} lt(part, end) {} {
                mstore(total, add(mload(total), mul(mload(part), share)))
                part := add(part, 32)
                total := add(total, 32)
            }
        }
    }

    /// @dev Gives a vector this length. Quotients are truncated towards zero.
    function _scale(uint256 vector, uint256 length) private pure {
        uint256 size = _sizeOf(vector);
        assembly ("memory-safe") {
            let end := add(vector, VECTOR_BYTES)
            for { let pos := vector } lt(pos, end) { pos := add(pos, 128) } {
                mstore(pos, sdiv(mul(mload(pos), length), size)) // zero of zero
                let next := add(pos, 32)
                mstore(next, sdiv(mul(mload(next), length), size))
                next := add(pos, 64)
                mstore(next, sdiv(mul(mload(next), length), size))
                next := add(pos, 96)
                mstore(next, sdiv(mul(mload(next), length), size))
            }
        }
    }

    function _sizeOf(uint256 vector) private pure returns (uint256) {
        uint256 squares;
        assembly ("memory-safe") {
            let end := add(vector, VECTOR_BYTES)
            for { let pos := vector } lt(pos, end) { pos := add(pos, 128) } {
                let one := mload(pos)
                squares := add(squares, mul(one, one))
                one := mload(add(pos, 32))
                squares := add(squares, mul(one, one))
                one := mload(add(pos, 64))
                squares := add(squares, mul(one, one))
                one := mload(add(pos, 96))
                squares := add(squares, mul(one, one))
            }
        }
        return Math.sqrt(squares);
    }

    /// @dev Gives a vector the length 320 and packs it.
    function _narrow(uint256 vector) private pure returns (bytes32 first, bytes32 second) {
        uint256 size = _sizeOf(vector);
        return (_pack(vector, size), _pack(vector + VECTOR_BYTES / 2, size));
    }

    /// @dev 32 numbers as int8. size: of the vector.
    function _pack(uint256 pos, uint256 size) private pure returns (bytes32 packed) {
        assembly ("memory-safe") {
            let word := 0
            for { let end := add(pos, 1024) } lt(pos, end) { pos := add(pos, 64) } {
                let value := sdiv(mul(mload(pos), LENGTH), size)
                if gt(add(value, 127), 254) { value := sub(127, mul(254, slt(value, 0))) }
                let next := sdiv(mul(mload(add(pos, 32)), LENGTH), size)
                if gt(add(next, 127), 254) { next := sub(127, mul(254, slt(next, 0))) }
                word := or(shl(16, word), or(shl(8, and(value, 0xff)), and(next, 0xff)))
            }
            packed := word
        }
    }
}
