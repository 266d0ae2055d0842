// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {Checksum} from "../encoding/Checksum.sol";
import {SymbolList} from "../encoding/SymbolList.sol";
import {Tokenizer} from "../encoding/Tokenizer.sol";
import {Books} from "./Books.sol";
import {Cardinal, Cardinals, Decimal} from "./Cardinals.sol";
import {Kinds} from "./Kinds.sol";
import {Meanings} from "./Meanings.sol";
import {Quantities} from "./Quantities.sol";
import {PieceWord, Reading} from "./Reading.sol";
import {Scanner} from "./Scanner.sol";
import {Tokens} from "./Tokens.sol";

/// @title The tokens of numbers and of other runs with digits, as `models/instructions/reader.py`
library Numbers {
    /// @dev $ # ~ < > + - * / ^ _ @ &
    uint256 private constant DOUBTFUL_BEFORE = DOUBTFUL_BEHIND | (1 << 0x3e) | (1 << 0x2d);
    /// @dev $ + * / < ~ ^ _ @ # &
    uint256 private constant DOUBTFUL_BEHIND = (1 << 0x24) | (1 << 0x2b) | (1 << 0x2a) | (1 << 0x2f)
        | (1 << 0x3c) | (1 << 0x7e) | (1 << 0x5e) | (1 << 0x5f) | (1 << 0x40) | (1 << 0x23)
        | (1 << 0x26);
    uint256 private constant ADDRESS_LENGTH = 42;

    // Words

    /// @notice A number in words and what belongs to it.
    function cardinal(Reading memory r) internal pure returns (uint256) {
        unchecked {
            uint256 first = r.next;
            uint256 pos = first;
            bool article = PieceWord.meaningAt(pos) == Meanings.ARTICLE;
            Cardinal memory number = Cardinals.begin(article);
            if (article) pos += 32;
            uint256 meaning = PieceWord.meaningAt(pos);
            while (Cardinals.takes(number, meaning) || (meaning == Meanings.AND && _joins(pos))) {
                pos += 32;
                meaning = PieceWord.meaningAt(pos);
            }
            uint256 value = Cardinals.valueOf(number);
            uint256 quantity = Quantities.exact(value, 0);
            if (meaning == Meanings.POINT) {
                (quantity, pos) = _decimals(value, pos + 32);
            }
            r.next = pos;
            uint256 kind = value == 1 && pos == first + 32 ? Kinds.ONE : Kinds.CARDINAL;
            return _restOf(r, kind, PieceWord.startOf(PieceWord.load(first)), quantity);
        }
    }

    /// @dev Whether an "and" stands within a number: a hundred and ten.
    function _joins(uint256 pos) private pure returns (bool) {
        unchecked {
            return Meanings.isIn(Meanings.POWERS, PieceWord.meaningAt(pos - 32))
                && Meanings.isIn(Meanings.UNITS | Meanings.TENS, PieceWord.meaningAt(pos + 32));
        }
    }

    /// @dev The digits behind "point", and where they end.
    function _decimals(uint256 whole, uint256 pos) private pure returns (uint256, uint256) {
        unchecked {
            Decimal memory number;
            number.digits = whole;
            while (true) {
                uint256 meaning = PieceWord.meaningAt(pos);
                if (!Meanings.isIn(Meanings.DIGITS, meaning)) break;
                number.append(meaning == Meanings.ZERO ? 0 : meaning);
                pos += 32;
            }
            return (number.quantityOf(), pos);
        }
    }

    // Digits

    /// @notice The token of a run with digits.
    function run(Reading memory r, uint256 piece) internal view returns (uint256) {
        unchecked {
            uint256 start = PieceWord.startOf(piece);
            uint256 end = PieceWord.endOf(piece);
            r.next += 32;
            // 0x as it was written: no 0X
            if (PieceWord.load(start + r.original) >> 240 == 0x3078 && end > start + 1) {
                return _address(r, start, end);
            }
            (uint256 quantity, uint256 letters, bool scaled) = Quantities.readRun(start, end);
            if (quantity == 0 || _isMarked(start, end)) {
                return Tokens.token(r, Kinds.DOUBT, start, end, 0);
            }
            if (letters != 0) return _glued(r, start, end, letters, quantity);
            if (Quantities.shareOf(quantity) != 0) {
                bool hundredths = Scanner.character(end - 1) == Scanner.PERCENT;
                uint256 kind = hundredths ? Kinds.PERCENT : Kinds.RATIO;
                return Tokens.token(r, kind, start, end, quantity);
            }
            if (!scaled) quantity = Quantities.times(quantity, _power(r));
            return _restOf(r, Kinds.DIGITS, start, quantity);
        }
    }

    /// @dev A symbol behind a number becomes a piece of its own; other letters make a doubt.
    function _glued(Reading memory r, uint256 start, uint256 end, uint256 letters, uint256 quantity)
        private
        view
        returns (uint256)
    {
        unchecked {
            uint256 split = end - letters;
            if (Books.findWord(r.symbols, split, end) == 0) {
                return Tokens.token(r, Kinds.DOUBT, start, end, 0);
            }
            uint256 pos = r.next - 32;
            PieceWord.store(pos, Scanner.word(r, split, end, 0));
            r.next = pos;
            return Tokens.token(r, Kinds.DIGITS, start, split, quantity);
        }
    }

    /// @dev Of ten, by the words behind a number: 5 thousand, 3 hundred, 2 hundred thousand.
    function _power(Reading memory r) private pure returns (uint256 found) {
        unchecked {
            uint256 meaning = PieceWord.meaningAt(r.next);
            if (meaning == Meanings.HUNDRED) {
                found = 2;
                r.next += 32;
                meaning = PieceWord.meaningAt(r.next);
            }
            if (Meanings.isIn(Meanings.SCALES, meaning)) {
                found += Meanings.powerOf(meaning);
                r.next += 32;
            }
        }
    }

    function _isMarked(uint256 start, uint256 end) private pure returns (bool) {
        unchecked {
            return Ascii.isIn(DOUBTFUL_BEFORE, start - 1) || Ascii.isIn(DOUBTFUL_BEHIND, end);
        }
    }

    function _address(Reading memory r, uint256 start, uint256 end) private pure returns (uint256) {
        unchecked {
            uint256 w = PieceWord.load(start + 2);
            uint256 v = PieceWord.load(start + 34);
            if (end - start != ADDRESS_LENGTH || !Checksum.isHex(w, v)) {
                return Tokens.token(r, Kinds.DOUBT, start, end, 0);
            }
            if (!Checksum.isValid(start + 2 + r.original, start + 2)) {
                revert Tokenizer.AddressChecksum(start - r.start);
            }
            bool listed = SymbolList.findToken(r.symbols, Checksum.parse(w, v)) != 0;
            return Tokens.token(r, listed ? Kinds.SYMBOL : Kinds.ADDRESS, start, end, 0);
        }
    }

    // Both

    /// @dev The token of a number that began at `start`, with what stands behind it: dozens, a half, a
    ///   fraction's denominator, percent.
    function _restOf(Reading memory r, uint256 kind, uint256 start, uint256 quantity)
        private
        pure
        returns (uint256)
    {
        unchecked {
            if (quantity != 0) (kind, quantity) = _extended(r, kind, quantity);
            uint256 pos = r.next;
            // five thousand thousand, a dozen and a half
            if (
                quantity == 0 || Meanings.isIn(Meanings.COUNTED, PieceWord.meaningAt(pos))
                    || PieceWord.hasHalf(pos)
            ) (kind, quantity) = (Kinds.DOUBT, 0);
            return Tokens.token(r, kind, start, Tokens.endBefore(pos), quantity);
        }
    }

    function _extended(Reading memory r, uint256 kind, uint256 number)
        private
        pure
        returns (uint256, uint256)
    {
        unchecked {
            uint256 pos = r.next;
            uint256 meaning = PieceWord.meaningAt(pos);
            uint256 places = Quantities.placesOf(number);
            if (meaning == Meanings.DOZEN) {
                r.next = pos + 32;
                return (Kinds.CARDINAL, Quantities.exact(12 * Quantities.digitsOf(number), places));
            }
            if (meaning > Meanings.FRACTION && places == 0) {
                r.next = pos + 32;
                uint256 whole = meaning - Meanings.FRACTION;
                return (Kinds.RATIO, Quantities.ratio(Quantities.digitsOf(number), whole));
            }
            if (
                meaning == Meanings.PERCENT
                    || PieceWord.isCharacter(PieceWord.load(pos), Scanner.PERCENT)
            ) {
                r.next = pos + 32;
                return (Kinds.PERCENT, Quantities.percent(number));
            }
            if (meaning == Meanings.AND && places == 0 && PieceWord.hasHalf(pos)) {
                return _andHalf(r, kind, number);
            }
            return (kind, number);
        }
    }

    /// @dev Two and a half, two and a half thousand; a million and a half is in doubt.
    function _andHalf(Reading memory r, uint256 kind, uint256 number)
        private
        pure
        returns (uint256, uint256)
    {
        unchecked {
            uint256 pos = r.next;
            r.next = pos + 96;
            if (Meanings.isIn(Meanings.COUNTED, PieceWord.meaningAt(pos - 32))) return (kind, 0);
            number = Quantities.exact(10 * Quantities.digitsOf(number) + 5, 1);
            uint256 scale = PieceWord.meaningAt(pos + 96);
            if (number != 0 && Meanings.isIn(Meanings.SCALES, scale)) {
                r.next = pos + 128;
                number = Quantities.times(number, Meanings.powerOf(scale));
            }
            return (Kinds.CARDINAL, number);
        }
    }
}
