// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {Scanner} from "./Scanner.sol";

/// @title Amounts as people write them, exactly, or in doubt, as `models/instructions/quantities.py`
/// @notice A quantity is a word: bit 29 `but`, bits 30 to 34 places, bits 48 to 147 digits, bits 148
///   to 254 share, bit 255 set. Zero is none.
library Quantities {
    uint256 internal constant BUT = 1 << 29;
    uint256 internal constant PRESENT = 1 << 255;
    uint256 internal constant SHARE_SHIFT = 148;
    /// @dev All there is: a share of 1 in 1.
    uint256 internal constant ALL = PRESENT | (1 << SHARE_SHIFT) | (1 << DIGITS_SHIFT);
    /// @dev 1/2 of the balance; 0.5; 6.
    uint256 internal constant HALF = PRESENT | (2 << SHARE_SHIFT) | (1 << DIGITS_SHIFT);
    uint256 internal constant POINT_FIVE = PRESENT | (1 << PLACES_SHIFT) | (5 << DIGITS_SHIFT);
    uint256 internal constant SIX = PRESENT | (6 << DIGITS_SHIFT);

    uint256 internal constant MAX_DIGITS = 30;
    uint256 internal constant LIMIT = 10 ** MAX_DIGITS;
    uint256 private constant PLACES_SHIFT = 30;
    uint256 private constant DIGITS_SHIFT = 48;
    uint256 private constant DIGITS_MASK = (1 << 100) - 1;
    uint256 private constant SHARE_MASK = (1 << 107) - 1;

    uint256 private constant ZERO = 0x30;
    uint256 private constant COMMA = 0x2c;
    uint256 private constant SLASH = 0x2f;
    uint256 private constant LETTER_K = 0x6b;
    uint256 private constant LETTER_M = 0x6d;

    /// @notice The balance less the number of a token.
    function lessOf(uint256 token) internal pure returns (uint256) {
        uint256 number = (DIGITS_MASK << DIGITS_SHIFT) | (31 << PLACES_SHIFT);
        return PRESENT | BUT | (1 << SHARE_SHIFT) | (token & number);
    }

    /// @notice Whether it is what is to be left of the balance.
    function isBut(uint256 quantity) internal pure returns (bool) {
        return quantity & BUT != 0;
    }

    function digitsOf(uint256 quantity) internal pure returns (uint256) {
        return (quantity >> DIGITS_SHIFT) & DIGITS_MASK;
    }

    function placesOf(uint256 quantity) internal pure returns (uint256) {
        return (quantity >> PLACES_SHIFT) & 31;
    }

    function shareOf(uint256 quantity) internal pure returns (uint256) {
        return (quantity >> SHARE_SHIFT) & SHARE_MASK;
    }

    /// @notice A number of so many places behind the point, without zeros at its end; none if too long.
    function exact(uint256 digits, uint256 places) internal pure returns (uint256) {
        unchecked {
            while (places != 0 && digits % 10 == 0) {
                digits /= 10;
                --places;
            }
            if (digits >= LIMIT || places > MAX_DIGITS) return 0;
            return PRESENT | (digits << DIGITS_SHIFT) | (places << PLACES_SHIFT);
        }
    }

    /// @notice A number times 10 ** `power`; power: up to 8.
    function times(uint256 quantity, uint256 power) internal pure returns (uint256) {
        unchecked {
            if (power == 0) return quantity;
            uint256 places = placesOf(quantity);
            uint256 digits = digitsOf(quantity);
            if (power <= places) return exact(digits, places - power);
            return exact(digits * 10 ** (power - places), 0);
        }
    }

    /// @notice So many hundredths of the balance; none of zero and above 100 %.
    function percent(uint256 quantity) internal pure returns (uint256) {
        unchecked {
            uint256 digits = digitsOf(quantity);
            uint256 share = 100 * 10 ** placesOf(quantity);
            return digits == 0 || digits > share ? 0 : _share(digits, share);
        }
    }

    /// @notice A part of the balance; none of zero and from the whole on.
    function ratio(uint256 part, uint256 whole) internal pure returns (uint256) {
        return part == 0 || part >= whole ? 0 : _share(part, whole);
    }

    /// @notice A part of one token, not of a balance: half a token, a quarter of one. None of a third.
    function ofOne(uint256 part) internal pure returns (uint256) {
        unchecked {
            uint256 thousandths = 1000 * digitsOf(part);
            uint256 share = shareOf(part);
            return thousandths % share == 0 ? exact(thousandths / share, 3) : 0;
        }
    }

    function _share(uint256 digits, uint256 share) private pure returns (uint256) {
        return PRESENT | (digits << DIGITS_SHIFT) | (share << SHARE_SHIFT);
    }

    /// @notice The same as `readRun` of digits, commas between each three and a point or none, 30 characters
    ///   at most, that need no closer look; none of any other run. What begins with a zero or has one behind
    ///   the point at its end may need one, and three digits behind the point.
    function readPlain(uint256 pos, uint256 end) internal pure returns (uint256) {
        unchecked {
            if (Scanner.character(pos) == ZERO || end - pos > MAX_DIGITS) return 0;
            (uint256 digits, uint256 e) = _digits(pos, 0);
            if (e == end) return PRESENT | (digits << DIGITS_SHIFT);
            uint256 length = e - pos;
            if (length == 0) return 0;
            if (Scanner.character(e) == COMMA) {
                if (length > 3) return 0;
                do {
                    uint256 from = e + 1;
                    (digits, e) = _digits(from, digits);
                    if (e != from + 3) return 0;
                    if (e == end) return PRESENT | (digits << DIGITS_SHIFT);
                } while (Scanner.character(e) == COMMA);
            }
            if (Scanner.character(e) != Scanner.POINT) return 0;
            uint256 places = end - e - 1;
            if (places == 3 || Scanner.character(end - 1) == ZERO) return 0;
            (digits, e) = _digits(e + 1, digits);
            return e == end ? PRESENT | (digits << DIGITS_SHIFT) | (places << PLACES_SHIFT) : 0;
        }
    }

    /// @notice What the run with digits at [pos, end), which does not begin with 0x, says.
    /// @return quantity None where it is in doubt.
    /// @return letters How many letters at its end are no part of it.
    /// @return scaled Whether it is one of thousands or millions (5k).
    function readRun(uint256 pos, uint256 end)
        internal
        pure
        returns (uint256 quantity, uint256 letters, bool scaled)
    {
        unchecked {
            uint256 e;
            uint256 digits;
            (digits, e) = _digits(pos, 0);
            uint256 count = e - pos;
            uint256 c = Scanner.character(e);
            if (e < end && c == SLASH) return (_ratio(pos, e, end, digits), 0, false);
            uint256 whole = count; // characters, commas too
            if (e < end && c == COMMA) {
                if (count - 1 > 2) return (0, 0, false);
                do {
                    uint256 from = e + 1;
                    (digits, e) = _digits(from, digits);
                    if (e != from + 3) return (0, 0, false);
                    count += 3;
                } while (e < end && Scanner.character(e) == COMMA);
                whole = e - pos;
            }
            uint256 places;
            if (e < end && Scanner.character(e) == Scanner.POINT) {
                uint256 from = e + 1;
                (digits, e) = _digits(from, digits);
                places = e - from;
                if (places == 0) return (0, 0, false);
            }
            count += places;
            if (count - 1 >= MAX_DIGITS) return (0, 0, false);
            if (Scanner.character(pos) == ZERO ? whole > 1 : places == 3 && whole - 1 < 3) {
                return (0, 0, false);
            }
            return _tail(exact(digits, places), e, end);
        }
    }

    /// @dev What stands behind the digits: a percent sign, or letters up to the end.
    function _tail(uint256 number, uint256 pos, uint256 end)
        private
        pure
        returns (uint256, uint256, bool)
    {
        unchecked {
            uint256 length = end - pos;
            if (length == 0) return (number, 0, false);
            uint256 c = Scanner.character(pos);
            if (c == Scanner.PERCENT) return (length == 1 ? percent(number) : 0, 0, false);
            if (length == 1) {
                if (c == LETTER_K) return (times(number, 3), 0, true);
                if (c == LETTER_M) return (times(number, 6), 0, true);
            }
            for (; pos < end; ++pos) {
                if (!Ascii.isIn(Ascii.LETTER_SET, pos)) return (0, 0, false);
            }
            return (number, length, false);
        }
    }

    /// @dev Of `1/3`: one to three digits on either side of `slash`, without leading zeros.
    function _ratio(uint256 pos, uint256 slash, uint256 end, uint256 part)
        private
        pure
        returns (uint256)
    {
        unchecked {
            (uint256 whole, uint256 e) = _digits(slash + 1, 0);
            if (e != end || slash - pos - 1 > 2 || end - slash - 2 > 2) return 0;
            if (Scanner.character(pos) == ZERO || Scanner.character(slash + 1) == ZERO) return 0;
            return ratio(part, whole);
        }
    }

    /// @dev Goes on with a number over the digits from `pos` on; wraps around if there are very many.
    function _digits(uint256 pos, uint256 value) private pure returns (uint256, uint256) {
        assembly ("memory-safe") {
            for {} 1 { pos := add(pos, 1) } {
                let digit := sub(byte(0, mload(pos)), 0x30)
                if gt(digit, 9) { break }
                value := add(mul(value, 10), digit)
            }
        }
        return (value, pos);
    }
}
