// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

import {WordCuts} from "./WordCuts.sol";
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
    /// @dev Of the length 1,024.
    uint256 private constant FINE_BITS = 10;
    uint256 private constant LENGTH = 320;
    /// @dev Of a parameter's direction; four bits for each number.
    uint256 private constant DIRECTION = 24;

    /// @notice The vector of a prompt.
    function ofPrompt(WordSum memory sum, bytes memory prompt)
        internal
        view
        returns (bytes32 first, bytes32 second)
    {
        _sumUp(sum, prompt);
        return ofSum(sum);
    }

    /// @notice The vector of the text whose rows were summed up.
    function ofSum(WordSum memory sum) internal pure returns (bytes32 first, bytes32 second) {
        uint256 vector;
        assembly ("memory-safe") {
            vector := mload(0x40)
            mstore(0x40, add(vector, VECTOR_BYTES))
        }
        return _narrow(vector, sum.writeScaled(vector, FINE_BITS));
    }

    /// @notice The direction of a parameter: 64 numbers from -8 to 7, packed.
    function ofParameter(WordSum memory sum, bytes memory name, bytes memory description)
        internal
        view
        returns (bytes32 packed)
    {
        _sumUp(sum, bytes.concat(name, " ", description));
        return bytes32(sum.nibbles(DIRECTION));
    }

    /// @notice The vector of a tool, and the directions of its parameters.
    /// @param shares What name, description, parameters and examples count for: 16 bits each, the name's
    ///   lowest.
    /// @param most Of how many parameters directions are wanted.
    function ofTool(WordSum memory sum, ToolTexts memory tool, uint256 shares, uint256 most)
        internal
        view
        returns (bytes32 first, bytes32 second, bytes32[] memory directions)
    {
        unchecked {
            uint256 total = _room();
            _sumUp(sum, tool.name);
            sum.addScaled(total, FINE_BITS, shares & 0xffff);
            _sumUp(sum, tool.description);
            sum.addScaled(total, FINE_BITS, (shares >> 16) & 0xffff);
            WordSum memory all = sum.another();
            directions = _parameters(sum, all, tool.parameters, most);
            all.addScaled(total, FINE_BITS, (shares >> 32) & 0xffff);
            if (tool.examples.length != 0) {
                uint256 examples = _room();
                for (uint256 i = 0; i < tool.examples.length && i < MOST_EXAMPLES; ++i) {
                    _sumUp(sum, tool.examples[i]);
                    sum.addScaled(examples, FINE_BITS, 1);
                }
                _addScaled(total, examples, _squares(examples), (shares >> 48) & 0xffff);
            }
            (first, second) = _narrow(total, _squares(total));
        }
    }

    /// @dev Adds the rows of all of the parameters' words to `all`. What has a direction is read once for both, where
    ///   both count all of its words.
    /// @param texts Name and description of each.
    function _parameters(WordSum memory sum, WordSum memory all, bytes[] memory texts, uint256 most)
        private
        view
        returns (bytes32[] memory directions)
    {
        unchecked {
            uint256 count = texts.length / 2;
            directions = new bytes32[](count);
            for (uint256 i = 0; i < count; ++i) {
                bytes memory name = texts[2 * i];
                bytes memory description = texts[2 * i + 1];
                bool fits = false;
                if (i < most) {
                    directions[i] = ofParameter(sum, name, description);
                    fits = name.length + description.length < WordCuts.MOST_BYTES
                        && sum.words + all.words <= WordCuts.MOST_WORDS;
                }
                if (fits) {
                    all.merge(sum);
                } else {
                    all.add(name);
                    all.add(description);
                }
            }
            if (texts.length % 2 != 0) all.add(texts[2 * count]);
        }
    }

    /// @dev The sum of a text's rows.
    function _sumUp(WordSum memory sum, bytes memory text) private view {
        sum.clear();
        sum.add(text);
    }

    /// @dev 64 zeros.
    function _room() private pure returns (uint256 pos) {
        uint256[64] memory room;
        assembly ("memory-safe") {
            pos := room
        }
    }

    /// @dev Adds `share` times a vector in the length 1,024, which is left as it is.
    /// @param squares Of all numbers of the part, added up.
    function _addScaled(uint256 total, uint256 part, uint256 squares, uint256 share) private pure {
        if (squares == 0) return;
        uint256 size = Math.sqrt(squares);
        assembly ("memory-safe") {
            let end := add(part, VECTOR_BYTES)
            for {} lt(part, end) {} {
                let value := mul(sdiv(shl(FINE_BITS, mload(part)), size), share)
                mstore(total, add(mload(total), value))
                let at := add(part, 32)
                let into := add(total, 32)
                value := mul(sdiv(shl(FINE_BITS, mload(at)), size), share)
                mstore(into, add(mload(into), value))
                at := add(part, 64)
                into := add(total, 64)
                value := mul(sdiv(shl(FINE_BITS, mload(at)), size), share)
                mstore(into, add(mload(into), value))
                at := add(part, 96)
                into := add(total, 96)
                value := mul(sdiv(shl(FINE_BITS, mload(at)), size), share)
                mstore(into, add(mload(into), value))
                part := add(part, 128)
                total := add(total, 128)
            }
        }
    }

    function _squares(uint256 vector) private pure returns (uint256 squares) {
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
    }

    /// @dev Gives a vector the length 320 and packs it.
    function _narrow(uint256 vector, uint256 squares)
        private
        pure
        returns (bytes32 first, bytes32 second)
    {
        uint256 size = Math.sqrt(squares);
        return (_pack(vector, size), _pack(vector + VECTOR_BYTES / 2, size));
    }

    /// @dev 32 numbers as int8. size: of the vector.
    function _pack(uint256 pos, uint256 size) private pure returns (bytes32 packed) {
        assembly ("memory-safe") {
            let word := 0
            let far := 0 // as large as that of 128 if any square is
            let end := add(pos, 1024)
            for { let at := pos } lt(at, end) { at := add(at, 128) } {
                let value := sdiv(mul(mload(at), LENGTH), size)
                let next := sdiv(mul(mload(add(at, 32)), LENGTH), size)
                far := or(far, or(mul(value, value), mul(next, next)))
                word := or(shl(16, word), or(shl(8, and(value, 0xff)), and(next, 0xff)))
                value := sdiv(mul(mload(add(at, 64)), LENGTH), size)
                next := sdiv(mul(mload(add(at, 96)), LENGTH), size)
                far := or(far, or(mul(value, value), mul(next, next)))
                word := or(shl(16, word), or(shl(8, and(value, 0xff)), and(next, 0xff)))
            }
            if gt(far, 0x3fff) {
                word := 0
                for { let at := pos } lt(at, end) { at := add(at, 32) } {
                    let value := sdiv(mul(mload(at), LENGTH), size)
                    if gt(add(value, 127), 254) {
                        value := sub(127, mul(254, slt(value, 0)))
                    }
                    word := or(shl(8, word), and(value, 0xff))
                }
            }
            packed := word
        }
    }
}
