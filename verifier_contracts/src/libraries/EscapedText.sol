// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Foreign text that cannot end the line it stands in
/// @notice The same as `escape_observation` in `models/encoding/context.py`.
library EscapedText {
    bytes16 private constant HEX = "0123456789abcdef";

    /// @notice Replaces each control character by \n, \r, \t or \xNN; all else is kept.
    function escape(string memory text) internal pure returns (string memory) {
        bytes memory source = bytes(text);
        if (!hasControl(source)) return text;
        bytes memory target = new bytes(source.length + _extraLength(source));
        uint256 length = 0;
        for (uint256 i = 0; i < source.length; ++i) {
            if (_isControl(source[i])) length = _writeEscape(target, length, source[i]);
            else target[length++] = source[i];
        }
        return string(target);
    }

    /// @notice Whether any byte is a control character: 32 at a time, as nearly all text has none.
    /// @dev A byte is below 0x20 somewhere if and only if (w - 0x20..20) & ~w & 0x80..80 is not zero;
    ///   the same with 1 finds a zero byte in w ^ 0x7f..7f (Bit Twiddling Hacks, "hasless").
    function hasControl(bytes memory text) internal pure returns (bool found) {
        assembly ("memory-safe") {
            let ones := div(not(0), 0xff)
            let blanks := mul(ones, 0x20)
            let high := mul(ones, 0x80)
            let deletes := mul(ones, 0x7f)
            for { let i := 0 } lt(i, mload(text)) { i := add(i, 32) } {
                let w := mload(add(add(text, 32), i))
                let left := sub(mload(text), i)
                if lt(left, 32) {
                    let behind := shr(shl(3, left), not(0))
                    w := or(and(w, not(behind)), and(blanks, behind))
                }
                let d := xor(w, deletes)
                let marks := or(and(sub(w, blanks), not(w)), and(sub(d, ones), not(d)))
                if and(marks, high) {
                    found := 1
                    break
                }
            }
        }
    }

    function _extraLength(bytes memory source) private pure returns (uint256 extra) {
        for (uint256 i = 0; i < source.length; ++i) {
            if (_isControl(source[i])) extra += _shortName(source[i]) == 0 ? 3 : 1;
        }
    }

    function _writeEscape(bytes memory target, uint256 length, bytes1 c)
        private
        pure
        returns (uint256)
    {
        target[length++] = "\\";
        bytes1 short = _shortName(c);
        if (short != 0) {
            target[length++] = short;
        } else {
            target[length++] = "x";
            target[length++] = HEX[uint8(c) >> 4];
            target[length++] = HEX[uint8(c) & 15];
        }
        return length;
    }

    function _isControl(bytes1 c) private pure returns (bool) {
        return c < 0x20 || c == 0x7f;
    }

    function _shortName(bytes1 c) private pure returns (bytes1) {
        if (c == 0x0a) return "n";
        if (c == 0x0d) return "r";
        return c == 0x09 ? bytes1("t") : bytes1(0);
    }
}
