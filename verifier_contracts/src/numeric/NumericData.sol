// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice How a number on chain becomes a feature: (number - zero) / step, rounded towards zero, from
///   `least` to `most`.
struct Scale {
    int128 zero;
    uint96 step;
    int16 least;
    int16 most;
}

/// @notice What a direction comes to: the call of a tool with an amount, or an answer.
/// @param text The tool's name, or the answer.
struct Direction {
    bool acts;
    string text;
}

/// @notice How amounts are read: output / unit, rounded towards zero, up to `most`; below `least` nothing
///   happens.
/// @param parameter What the tools call it.
struct Amounts {
    uint32 unit;
    uint64 least;
    uint64 most;
    string parameter;
}

/// @title The manifest of a numeric model as it lies in a contract's code
/// @notice Written by `verifier_contracts/deployment/numeric_code.py`. A zero byte; how many numbers, and a
///   word for each: zero (16 bytes), step (12), least, most (2 each); how many directions, and for each
///   whether it acts (1 byte), and a text; unit (4), least, most (8 each), the parameter's name. A text is
///   its length (1 byte) and its bytes.
library NumericData {
    /// @notice The data end before all of it was read, or go on behind: they are no numeric model's.
    error MalformedNumericData(address data, uint256 length);

    /// @notice How numbers become features, and how many bytes of the code say so.
    function scales(address data) internal view returns (Scale[] memory found, uint256 end) {
        bytes memory code = data.code;
        if (code.length < 2) revert MalformedNumericData(data, code.length);
        found = new Scale[](uint8(code[1]));
        end = 2 + 32 * found.length;
        if (found.length == 0 || code.length < end) {
            revert MalformedNumericData(data, code.length);
        }
        for (uint256 i = 0; i < found.length; ++i) {
            uint256 word = _number(code, 2 + 32 * i, 32);
            // casting: a word's parts
            // forge-lint: disable-start(unsafe-typecast)
            found[i] = Scale(
                int128(uint128(word >> 128)),
                uint96(word >> 32),
                int16(uint16(word >> 16)),
                int16(uint16(word))
            );
            // forge-lint: disable-end(unsafe-typecast)
            if (found[i].step == 0 || found[i].least > found[i].most) {
                revert MalformedNumericData(data, code.length);
            }
        }
    }

    /// @notice What outputs mean.
    function meanings(address data)
        internal
        view
        returns (Direction[] memory directions, Amounts memory amounts)
    {
        (, uint256 at) = scales(data);
        bytes memory code = data.code;
        directions = new Direction[](_number(code, at++, 1));
        for (uint256 i = 0; i < directions.length; ++i) {
            directions[i].acts = _number(code, at++, 1) == 1;
            (directions[i].text, at) = _text(code, at);
        }
        amounts.unit = uint32(_number(code, at, 4));
        amounts.least = uint64(_number(code, at + 4, 8));
        amounts.most = uint64(_number(code, at + 12, 8));
        (amounts.parameter, at) = _text(code, at + 20);
        if (
            at != code.length || directions.length == 0 || amounts.unit == 0 || amounts.least == 0
                || amounts.least > amounts.most
        ) revert MalformedNumericData(data, code.length);
    }

    function _text(bytes memory code, uint256 at) private pure returns (string memory, uint256) {
        uint256 length = _number(code, at++, 1);
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; ++i) {
            text[i] = code[at + i];
        }
        return (string(text), at + length);
    }

    /// @dev Reverts behind the end of the code.
    function _number(bytes memory code, uint256 at, uint256 size)
        private
        pure
        returns (uint256 value)
    {
        for (uint256 i = 0; i < size; ++i) {
            value = (value << 8) | uint8(code[at + i]);
        }
    }
}
