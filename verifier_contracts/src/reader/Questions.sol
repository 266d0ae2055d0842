// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii, FLAGS} from "../encoding/Ascii.sol";
import {Arguments} from "./Arguments.sol";
import {ParamTypes} from "./ParamTypes.sol";

/// @title What an agent answers where an argument is missing, exactly as `question` in
///   `models/reader/arguments.py`
library Questions {
    uint256 private constant MOST_NAME = 32;
    uint256 private constant UNDERSCORES = 0x5f * Ascii.ONES;

    /// @notice Asks for a parameter by its name, or by its place, counted from 0, if a stranger chose a name
    ///   that is not 1 to 32 letters, digits and underscores.
    /// @param text What was chosen, of the prompt.
    function ask(
        uint256 fault,
        bytes memory name,
        uint256 place,
        uint256 paramType,
        bytes memory text
    ) internal pure returns (bytes memory) {
        bytes memory asked = named(name, "parameter ", place);
        bytes memory form = _form(ParamTypes.elementOf(paramType));
        if (ParamTypes.isArray(paramType)) form = bytes.concat("a list, of each ", form);
        asked = bytes.concat("Tell me ", asked, ": ", form, ".");
        if (fault == Arguments.MISSING) return asked;
        return bytes.concat(asked, ' "', text, '" ', _why(fault), ".");
    }

    /// @notice What a stranger calls something, if that is 1 to 32 letters, digits and underscores; otherwise `what`
    ///   and its place, counted from 0 up to 98.
    function named(bytes memory name, bytes memory what, uint256 place)
        internal
        pure
        returns (bytes memory)
    {
        return _isName(name) ? name : bytes.concat(what, _digits(place + 1));
    }

    /// @dev All of its bytes at once; those from 0x80 on are none of these, whatever their lower bits say.
    function _isName(bytes memory name) private pure returns (bool) {
        uint256 length = name.length;
        if (length == 0 || length > MOST_NAME) return false;
        uint256 w;
        assembly ("memory-safe") {
            w := mload(add(name, 32))
        }
        uint256 low = w & Ascii.LOW_BITS;
        uint256 naming = Ascii.letters(Ascii.lower(low)) | Ascii.digits(low)
            | Ascii.zeroBytes(low ^ UNDERSCORES);
        return Ascii.head((w | ~naming) & FLAGS, length) == 0;
    }

    /// @dev A number below 100.
    function _digits(uint256 value) private pure returns (bytes memory) {
        unchecked {
            bytes1 last = bytes1(uint8(0x30 + value % 10));
            if (value < 10) return abi.encodePacked(last);
            return abi.encodePacked(bytes1(uint8(0x30 + value / 10)), last);
        }
    }

    function _form(uint256 paramType) private pure returns (bytes memory) {
        if (paramType == ParamTypes.STRING) return "a text, best in quotes";
        if (paramType == ParamTypes.ADDRESS) return "an address, a contact or a symbol";
        if (paramType == ParamTypes.BOOL) return "yes or no";
        if (paramType == ParamTypes.INT) return "a whole number";
        if (paramType == ParamTypes.UINT) return "a number from 0";
        return "0x and hex digits";
    }

    function _why(uint256 fault) private pure returns (bytes memory) {
        if (fault == Arguments.DOUBTFUL) return "can be read in two ways";
        if (fault == Arguments.NEGATIVE) return "is below 0";
        if (fault == Arguments.TOO_PRECISE) return "has too many decimals";
        if (fault == Arguments.TOO_LARGE) return "is too large";
        if (fault == Arguments.OTHER_UNIT) return "counts in something else";
        if (fault == Arguments.PARTIAL) return "is a part of nothing that is known";
        if (fault == Arguments.NOBODY) return "stands for nobody's account";
        return "has another length";
    }
}
