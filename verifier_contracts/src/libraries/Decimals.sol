// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Exact decimal text of token amounts, both ways
/// @notice The same grammar as `models/encoding/amounts.py`: digits, and optionally a point and more digits.
///   No sign, exponent or separators: where money is concerned nothing is guessed.
library Decimals {
    /// @notice The text has more decimals than the asset; cutting them off would change the amount.
    error AmountTooPrecise(string text, uint8 decimals);

    /// @notice The amount does not fit uint256.
    error AmountTooLarge(string text);

    /// @notice Not a number in the form 12 or 12.5.
    error MalformedAmount(string text);

    /// @notice The text of `value` units of an asset with `decimals`: no trailing zeros behind the
    ///   point, no point without digits behind it.
    function toString(uint256 value, uint8 decimals) internal pure returns (string memory text) {
        uint256 fraction = decimals;
        while (fraction > 0 && value % 10 == 0) {
            value /= 10;
            --fraction;
        }
        uint256 digits = _countDigits(value);
        if (digits <= fraction) digits = fraction + 1; // zeros up to one before the point
        uint256 length = fraction == 0 ? digits : digits + 1;
        text = new string(length);
        for (uint256 i = length; i > 0; --i) {
            if (fraction > 0 && i == length - fraction) {
                bytes(text)[i - 1] = ".";
            } else {
                bytes(text)[i - 1] = bytes1(uint8(0x30 + value % 10));
                value /= 10;
            }
        }
    }

    /// @notice The units that `text` stands for. Zeros behind the last significant decimal are
    ///   allowed beyond `decimals`, and so are leading zeros.
    function parse(string memory text, uint8 decimals) internal pure returns (uint256 value) {
        bytes memory b = bytes(text);
        uint256 point = _digitsEnd(b, 0);
        uint256 end = b.length;
        if (point == 0) revert MalformedAmount(text);
        if (point < end) {
            if (b[point] != "." || point + 1 == end || _digitsEnd(b, point + 1) != end) {
                revert MalformedAmount(text);
            }
            while (b[end - 1] == "0") --end; // ends at the point at the latest
            if (end - point - 1 > decimals) revert AmountTooPrecise(text, decimals);
        }
        for (uint256 i = 0; i < end; ++i) {
            if (i != point) value = _append(value, uint8(b[i]) - 0x30, text);
        }
        uint256 missing = point < end ? decimals - (end - point - 1) : decimals;
        if (value == 0) return 0;
        for (; missing > 0; --missing) {
            value = _append(value, 0, text);
        }
    }

    function _append(uint256 value, uint256 digit, string memory text)
        private
        pure
        returns (uint256)
    {
        unchecked {
            if (value > type(uint256).max / 10) revert AmountTooLarge(text);
            uint256 next = value * 10 + digit;
            if (next < digit) revert AmountTooLarge(text);
            return next;
        }
    }

    /// @dev Index of the first byte from `i` on that is not a digit.
    function _digitsEnd(bytes memory b, uint256 i) private pure returns (uint256) {
        while (i < b.length && b[i] >= "0" && b[i] <= "9") ++i;
        return i;
    }

    function _countDigits(uint256 value) private pure returns (uint256 digits) {
        for (; value > 0; value /= 10) {
            ++digits;
        }
    }
}
