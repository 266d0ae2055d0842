// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {Checksum} from "../encoding/Checksum.sol";
import {Strangers} from "../encoding/Strangers.sol";
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
    /// @dev $ # ~ < > + - * / ^ _ @ & . %
    uint256 private constant DOUBTFUL_BEFORE =
        DOUBTFUL_BEHIND | (1 << 0x3e) | (1 << 0x2d) | (1 << 0x2e);
    /// @dev $ + * / < ~ ^ _ @ # & %
    uint256 private constant DOUBTFUL_BEHIND = (1 << 0x25) | (1 << 0x24) | (1 << 0x2b) | (1 << 0x2a)
        | (1 << 0x2f) | (1 << 0x3c) | (1 << 0x7e) | (1 << 0x5e) | (1 << 0x5f) | (1 << 0x40)
        | (1 << 0x23) | (1 << 0x26);
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
            if (_isMarked(start, end)) return Tokens.token(r, Kinds.DOUBT, start, end, 0);
            if (PieceWord.meaningAt(r.next) == 0) {
                // Mostly it is but digits, and nothing behind it belongs to it.
                uint256 plain = Quantities.readPlain(start, end);
                if (plain != 0) return Tokens.token(r, Kinds.DIGITS, start, end, plain);
            }
            (uint256 quantity, uint256 letters, bool scaled) = Quantities.readRun(start, end);
            if (quantity == 0) return Tokens.token(r, Kinds.DOUBT, start, end, 0);
            if (letters != 0) return _glued(r, start, end, letters, quantity);
            if (Quantities.shareOf(quantity) != 0) {
                bool hundredths = Scanner.character(end - 1) == Scanner.PERCENT;
                uint256 kind = hundredths ? Kinds.PERCENT : Kinds.RATIO;
                return share(r, kind, start, quantity);
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
            uint256 symbol = Scanner.word(r, split, end, 0);
            // Foreign books list articles, too: an hundred.
            bool counts = Meanings.isIn(Meanings.COUNTED, PieceWord.meaningAt(pos + 32));
            if (counts && PieceWord.meaningOf(symbol) == Meanings.ARTICLE) {
                symbol = PieceWord.unsettled(symbol);
            }
            PieceWord.store(pos, symbol);
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

    function _address(Reading memory r, uint256 start, uint256 end) private view returns (uint256) {
        unchecked {
            uint256 w = PieceWord.load(start + 2);
            uint256 v = PieceWord.load(start + 34);
            if (end - start != ADDRESS_LENGTH || !Checksum.isHex(w, v)) {
                return Tokens.token(r, Kinds.DOUBT, start, end, 0);
            }
            if (!Checksum.isValid(start + 2 + r.original, start + 2)) {
                revert Tokenizer.AddressChecksum(start - r.start);
            }
            address account = Checksum.parse(w, v);
            uint256 kind = Kinds.ADDRESS;
            if (account == address(0)) kind = Kinds.DOUBT; // nobody's
            else if (_isToken(r, account)) kind = Kinds.SYMBOL;
            return Tokens.token(r, kind, start, end, 0);
        }
    }

    /// @dev Whether the book lists it; of an agent without one, whether it tells decimals.
    function _isToken(Reading memory r, address account) private view returns (bool) {
        if (r.bookless) return Strangers.isToken(account);
        return SymbolList.findToken(r.symbols, account) != 0;
    }

    // Both

    /// @notice The token of a number that begins at `start` and ends before the next piece. In doubt where
    ///   something behind it says more: five thousand thousand, 5 hundred and 10.
    function amount(Reading memory r, uint256 kind, uint256 start, uint256 worth)
        internal
        pure
        returns (uint256)
    {
        uint256 pos = r.next;
        uint256 meaning = PieceWord.meaningAt(pos);
        if (meaning != 0 && (_isUnsettled(pos, meaning) || _addsDigits(pos, meaning))) worth = 0;
        return _ended(r, kind, start, worth);
    }

    /// @notice The token of a part of the balance; a number of "half a token", "a quarter of a token". In
    ///   doubt is a part of anything else that is counted: half a percent, a tenth of 60.
    function share(Reading memory r, uint256 kind, uint256 start, uint256 part)
        internal
        pure
        returns (uint256)
    {
        unchecked {
            uint256 pos = r.next;
            uint256 meaning = PieceWord.meaningAt(pos);
            bool behindOf = meaning == Meanings.GLUE && PieceWord.isOf(PieceWord.load(pos));
            if (part == 0 || _isUnsettled(pos, meaning)) return _ended(r, kind, start, 0);
            if (behindOf) {
                pos += 32;
                meaning = PieceWord.meaningAt(pos);
            }
            if (meaning == Meanings.ARTICLE) {
                uint256 counted = PieceWord.load(pos + 32);
                if (PieceWord.symbolOf(r, counted) != 0) {
                    (kind, part) = (Kinds.CARDINAL, Quantities.ofOne(part));
                } else if (Meanings.isIn(Meanings.UNSETTLING, PieceWord.meaningOf(counted))) {
                    part = 0;
                }
            } else if (behindOf && _counts(pos)) {
                part = 0;
            }
            return _ended(r, kind, start, part);
        }
    }

    /// @dev A token up to the next piece, in doubt without a quantity.
    function _ended(Reading memory r, uint256 kind, uint256 start, uint256 quantity)
        private
        pure
        returns (uint256)
    {
        if (quantity == 0) kind = Kinds.DOUBT;
        return Tokens.token(r, kind, start, Tokens.endBefore(r.next), quantity);
    }

    function _isUnsettled(uint256 pos, uint256 meaning) private pure returns (bool) {
        if (meaning == Meanings.AND) return PieceWord.hasHalf(pos);
        return Meanings.isIn(Meanings.UNSETTLING, meaning);
    }

    /// @dev Five hundred and 10: what in words would be one number.
    function _addsDigits(uint256 pos, uint256 meaning) private pure returns (bool) {
        unchecked {
            if (meaning != Meanings.AND) return false;
            if (!Meanings.isIn(Meanings.POWERS, PieceWord.meaningAt(pos - 32))) return false;
            uint256 behind = PieceWord.load(pos + 32);
            return PieceWord.isRun(behind)
                || Meanings.isIn(Meanings.UNITS | Meanings.TENS, PieceWord.meaningOf(behind));
        }
    }

    /// @dev Whether a number or a part stands there, behind "my" and the like: half of my 60.
    function _counts(uint256 pos) private pure returns (bool) {
        unchecked {
            while (PieceWord.meaningAt(pos) == Meanings.GLUE) pos += 32;
            uint256 piece = PieceWord.load(pos);
            return PieceWord.isRun(piece)
                || Meanings.isIn(
                Meanings.CARDINALS | Meanings.PARTS | (1 << Meanings.ZERO),
                PieceWord.meaningOf(piece)
            );
        }
    }

    /// @dev The token of a number that began at `start`, with what stands behind it: dozens, a half, a
    ///   fraction's denominator, percent.
    function _restOf(Reading memory r, uint256 kind, uint256 start, uint256 quantity)
        private
        pure
        returns (uint256)
    {
        if (quantity != 0) {
            if (PieceWord.meaningAt(r.next) == 0) return _ended(r, kind, start, quantity);
            (kind, quantity) = _extended(r, kind, quantity);
        }
        if (Quantities.shareOf(quantity) != 0) return share(r, kind, start, quantity);
        return amount(r, kind, start, quantity);
    }

    function _extended(Reading memory r, uint256 kind, uint256 worth)
        private
        pure
        returns (uint256, uint256)
    {
        unchecked {
            uint256 pos = r.next;
            uint256 meaning = PieceWord.meaningAt(pos);
            uint256 places = Quantities.placesOf(worth);
            if (meaning == Meanings.DOZEN) {
                r.next = pos + 32;
                return (Kinds.CARDINAL, Quantities.exact(12 * Quantities.digitsOf(worth), places));
            }
            if (Meanings.isIn(Meanings.PARTS, meaning) && places == 0) {
                r.next = pos + 32;
                uint256 whole = meaning == Meanings.HALF ? 2 : meaning - Meanings.FRACTION;
                return (Kinds.RATIO, Quantities.ratio(Quantities.digitsOf(worth), whole));
            }
            bool perCent = meaning == Meanings.PER && PieceWord.isCent(PieceWord.load(pos + 32));
            if (meaning == Meanings.PERCENT || perCent) {
                r.next = pos + (perCent ? 64 : 32);
                return (Kinds.PERCENT, Quantities.percent(worth));
            }
            if (meaning == Meanings.AND && places == 0 && PieceWord.hasHalf(pos)) {
                return _andHalf(r, kind, worth);
            }
            return (kind, worth);
        }
    }

    /// @dev Two and a half, two and a half thousand; a million and a half is in doubt.
    function _andHalf(Reading memory r, uint256 kind, uint256 worth)
        private
        pure
        returns (uint256, uint256)
    {
        unchecked {
            uint256 pos = r.next;
            r.next = pos + 96;
            if (Meanings.isIn(Meanings.COUNTED, PieceWord.meaningAt(pos - 32))) return (kind, 0);
            worth = Quantities.exact(10 * Quantities.digitsOf(worth) + 5, 1);
            uint256 scale = PieceWord.meaningAt(pos + 96);
            if (worth != 0 && Meanings.isIn(Meanings.SCALES, scale)) {
                r.next = pos + 128;
                worth = Quantities.times(worth, Meanings.powerOf(scale));
            }
            return (Kinds.CARDINAL, worth);
        }
    }
}
