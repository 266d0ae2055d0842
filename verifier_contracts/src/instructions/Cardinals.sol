// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Meanings} from "./Meanings.sol";
import {Quantities} from "./Quantities.sol";

/// @notice A number in words as it grows.
/// @param total What is complete: thousands and millions.
/// @param part Below a thousand, or below ten thousand behind "eleven hundred".
/// @param words How many of them.
/// @param scale The last one; zero behind a zero, which nothing goes on from.
struct Cardinal {
    uint256 total;
    uint256 part;
    uint256 words;
    uint256 scale;
}

/// @title Numbers in words and decimals behind "point", as `models/instructions/quantities.py`
library Cardinals {
    uint256 private constant NO_SCALE = 1e9;

    function begin(bool article) internal pure returns (Cardinal memory number) {
        number.scale = NO_SCALE;
        if (article) number.part = 1;
    }

    function valueOf(Cardinal memory number) internal pure returns (uint256) {
        unchecked {
            return number.total + number.part;
        }
    }

    /// @notice Goes on with a word that fits; says whether it does.
    function takes(Cardinal memory number, uint256 meaning) internal pure returns (bool) {
        unchecked {
            uint256 part = number.part;
            if (Meanings.isIn(Meanings.UNITS, meaning)) {
                if (part % 10 != 0 || part % 100 == 10 || number.scale == 0) return false;
                number.part = part + meaning;
            } else if (Meanings.isIn(Meanings.TENS, meaning)) {
                if (part % 100 != 0 || number.scale == 0) return false;
                number.part = part + meaning;
            } else if (meaning == Meanings.HUNDRED) {
                if (part >= 100 || (number.words != 0 && part == 0)) return false;
                number.part = part == 0 ? 100 : 100 * part;
            } else if (Meanings.isIn(Meanings.SCALES, meaning)) {
                uint256 scale = 10 ** Meanings.powerOf(meaning);
                if (scale >= number.scale || part == 0) return false;
                number.total += part * scale;
                number.part = 0;
                number.scale = scale;
            } else {
                if (meaning != Meanings.ZERO || number.words != 0) return false;
                number.scale = 0;
            }
            ++number.words;
            return true;
        }
    }
}

/// @notice A number with decimals as it grows by digits.
/// @param digits Up to the last digit that is not zero; above 10 ** 30 if too long.
/// @param places Of them behind the point.
/// @param zeros Behind the last digit that is not zero.
struct Decimal {
    uint256 digits;
    uint256 places;
    uint256 zeros;
}

using {append, quantityOf} for Decimal global;

/// @dev Goes on with one digit.
function append(Decimal memory number, uint256 digit) pure {
    unchecked {
        if (digit == 0) {
            ++number.zeros;
            return;
        }
        uint256 shift = number.zeros + 1;
        number.zeros = 0;
        number.places += shift;
        if (number.digits >= Quantities.LIMIT) return;
        number.digits = number.places > Quantities.MAX_DIGITS
            ? Quantities.LIMIT + 1
            : number.digits * 10 ** shift + digit;
    }
}

/// @dev None without digits behind the point, or if it is too long.
function quantityOf(Decimal memory number) pure returns (uint256) {
    if (number.places | number.zeros == 0) return 0;
    return Quantities.exact(number.digits, number.places);
}
