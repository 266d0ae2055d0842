// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title The thought that a numeric decision leaves behind, as `models/agents/numeric.py` writes it
/// @notice It says which features were decided by, so that what follows in the same run is about the same
///   ones: they are the reason, whatever the numbers on chain have become by acting.
library NumericWords {
    string internal constant OPENING = "Thought: The numbers are ";

    /// @notice The thought about features of 2 bytes each, up to its newline.
    function thought(bytes memory features) internal pure returns (string memory text) {
        text = OPENING;
        for (uint256 i = 0; i < features.length; i += 2) {
            string memory comma = i == 0 ? "" : ", ";
            text = string.concat(text, comma, Strings.toStringSigned(_at(features, i)));
        }
        return string.concat(text, ".\n");
    }

    /// @notice The features that a thought at the beginning of `entry` says; empty where there is none.
    function featuresIn(string memory entry, uint256 count)
        internal
        pure
        returns (bytes memory features)
    {
        bytes memory text = bytes(entry);
        features = new bytes(2 * count);
        uint256 at = bytes(OPENING).length;
        for (uint256 i = 0; i < count; ++i) {
            int256 value;
            (value, at) = _read(text, at);
            if (value < type(int16).min || value > type(int16).max) return "";
            // casting: it was just compared
            // forge-lint: disable-next-line(unsafe-typecast)
            uint16 word = uint16(int16(value));
            features[2 * i] = bytes1(uint8(word >> 8));
            features[2 * i + 1] = bytes1(uint8(word));
            at += 2; // a comma and a blank
        }
        if (!beginsWith(text, bytes(thought(features)))) return "";
    }

    /// @notice Whether `text` begins so.
    function beginsWith(bytes memory text, bytes memory start) internal pure returns (bool) {
        if (text.length < start.length) return false;
        for (uint256 i = 0; i < start.length; ++i) {
            if (text[i] != start[i]) return false;
        }
        return true;
    }

    /// @dev A sign and up to five digits; whether they are written as `thought` does is compared later.
    function _read(bytes memory text, uint256 at) private pure returns (int256 value, uint256) {
        bool negative = at < text.length && text[at] == "-";
        if (negative) ++at;
        uint256 end = at + 5;
        for (; at < text.length && at < end; ++at) {
            if (text[at] < "0" || text[at] > "9") break;
            value = value * 10 + int256(uint256(uint8(text[at]) & 15));
        }
        return (negative ? -value : value, at);
    }

    function _at(bytes memory features, uint256 i) private pure returns (int256) {
        // casting: two bytes are a feature
        // forge-lint: disable-next-line(unsafe-typecast)
        return int16(uint16(uint8(features[i])) << 8 | uint16(uint8(features[i + 1])));
    }
}
