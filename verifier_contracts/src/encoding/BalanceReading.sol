// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "./Ascii.sol";
import {ParseFormat} from "./ParseFormat.sol";
import {Tokenizer} from "./Tokenizer.sol";

/// @title The one observation whose numbers may become arguments, exactly as `models/encoding/balances.py`
/// @notice The text as a whole has to be "The balance is: 120.5 USDC" or "The balance is: 120.5
///   USDC in the pool, 30 USDC in the wallet", or as the ERC's converter has it, "The balance is:
///   120500000"; anything more makes it unreadable. Without a unit it is what the pool's contract
///   returned, the asset's smallest units, of the asset that the entry says the tool was asked for.
library BalanceReading {
    uint256 internal constant POOL = 0;
    uint256 internal constant WALLET = 1;
    uint256 internal constant UNIT = 2;

    uint256 private constant MARKER_LENGTH = 14; // of what `HistoryReading` finds observations by
    uint256 private constant CLOSING = 0x227d; // "} behind the asset
    uint256 private constant CLOSING_LENGTH = 2;
    uint256 private constant OPENED = 0x223a22; // ":" before it
    uint256 private constant OPENED_LENGTH = 3;
    uint256 private constant POINT = 0x2e;
    uint256 private constant MIN_UNIT = 2;
    uint256 private constant MAX_UNIT = 42;
    bytes32 private constant OPENING = "The balance is: ";
    uint256 private constant OPENING_LENGTH = 16;
    bytes32 private constant IN_THE_POOL = " in the pool, ";
    uint256 private constant IN_THE_POOL_LENGTH = 14;
    bytes32 private constant IN_THE_WALLET = " in the wallet";
    uint256 private constant IN_THE_WALLET_LENGTH = 14;

    /// @dev A cursor over a text in memory; positions are memory addresses.
    struct Reader {
        uint256 pos;
        uint256 end;
    }

    /// @dev NUMBER UNIT: [start, middle) is the number, [middle + 1, end) the unit.
    struct Quantity {
        uint256 start;
        uint256 middle;
        uint256 end;
    }

    /// @notice Reads the observation at [start, end) of `entry`.
    /// @return balance The spans of amounts and unit, as in `Parse`; zero if it is not readable.
    function read(string calldata entry, uint256 start, uint256 end)
        internal
        pure
        returns (uint256 balance)
    {
        unchecked {
            Reader memory reader = _open(entry, start, end);
            uint256 base = reader.pos - start; // offset 0 of the entry
            if (!_literal(reader, OPENING, OPENING_LENGTH)) return 0;
            (bool ok, Quantity memory pool) = _quantity(reader);
            if (!ok) return _isWhole(pool, reader.end) ? _inUnits(entry, start, pool, base) : 0;
            balance = _span(
                _span(0, POOL, pool.start, pool.middle, base), UNIT, pool.middle + 1, pool.end, base
            );
            if (reader.pos == reader.end) return balance;
            if (!_literal(reader, IN_THE_POOL, IN_THE_POOL_LENGTH)) return 0;
            Quantity memory wallet;
            (ok, wallet) = _quantity(reader);
            if (!ok || !_literal(reader, IN_THE_WALLET, IN_THE_WALLET_LENGTH)) return 0;
            if (reader.pos != reader.end || !_sameUnit(pool, wallet)) return 0;
            return _span(balance, WALLET, wallet.start, wallet.middle, base);
        }
    }

    /// @dev Copies the observation to memory, unless its beginning shows that it is no balance. The
    ///   64 bytes behind it are zero: no character that the reader accepts.
    function _open(string calldata entry, uint256 start, uint256 end)
        private
        pure
        returns (Reader memory reader)
    {
        assembly ("memory-safe") {
            let pos := mload(0x40)
            let from := add(entry.offset, start)
            let length := sub(end, start)
            if shr(128, xor(calldataload(from), OPENING)) { length := 0 }
            calldatacopy(pos, from, length)
            mstore(add(pos, length), 0)
            mstore(add(pos, add(length, 32)), 0)
            mstore(0x40, and(add(pos, add(length, 95)), not(31)))
            mstore(reader, pos)
            mstore(add(reader, 32), add(pos, length))
        }
    }

    /// @dev Whether it is digits alone, up to the end.
    function _isWhole(Quantity memory found, uint256 end) private pure returns (bool) {
        unchecked {
            if (found.start == end || found.middle != end) return false;
            for (uint256 pos = found.start; pos < end; ++pos) {
                if (_load(pos) >> 248 == POINT) return false;
            }
            return true;
        }
    }

    /// @dev An amount without a unit, in an entry of which the line before the observation ends with
    ///   the asset: `:"USDC"}`. Zero where it does not.
    function _inUnits(string calldata entry, uint256 start, Quantity memory found, uint256 base)
        private
        pure
        returns (uint256)
    {
        unchecked {
            uint256 end = start - MARKER_LENGTH - CLOSING_LENGTH;
            if (_at(entry, end) >> 240 != CLOSING) return 0;
            uint256 from = end;
            while (from > OPENED_LENGTH && _isAlnum(_at(entry, from - 1) >> 248)) --from;
            if (end - from < MIN_UNIT || end - from > MAX_UNIT) return 0;
            if (_at(entry, from - OPENED_LENGTH) >> 232 != OPENED) return 0;
            uint256 pool = _span(ParseFormat.UNITS, POOL, found.start, found.middle, base);
            return ParseFormat.withSpan(pool, UNIT, from, end);
        }
    }

    function _isAlnum(uint256 character) private pure returns (bool) {
        return (Ascii.ALNUM_SET >> character) & 1 == 1;
    }

    function _at(string calldata entry, uint256 i) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := calldataload(add(entry.offset, i))
        }
    }

    function _literal(Reader memory reader, bytes32 text, uint256 length)
        private
        pure
        returns (bool)
    {
        unchecked {
            uint256 pos = reader.pos;
            if (reader.end - pos < length) return false;
            if (Ascii.head(_load(pos) ^ uint256(text), length) != 0) return false;
            reader.pos = pos + length;
            return true;
        }
    }

    function _quantity(Reader memory reader) private pure returns (bool ok, Quantity memory found) {
        unchecked {
            found.start = reader.pos;
            found.middle = Tokenizer.numberEnd(reader.pos, reader.end);
            uint256 unit = found.middle + 1;
            if (found.middle == found.start || _load(found.middle) >> 248 != 0x20) {
                return (false, found);
            }
            found.end = _alnumEnd(unit, reader.end);
            reader.pos = found.end;
            ok = found.end - unit >= MIN_UNIT && found.end - unit <= MAX_UNIT;
        }
    }

    function _sameUnit(Quantity memory a, Quantity memory b) private pure returns (bool) {
        unchecked {
            uint256 length = a.end - a.middle;
            if (b.end - b.middle != length) return false;
            uint256 firstWord = _load(a.middle) ^ _load(b.middle);
            uint256 secondWord = _load(a.middle + 32) ^ _load(b.middle + 32);
            if (Ascii.head(firstWord, length) != 0) return false;
            return length <= 32 || Ascii.head(secondWord, length - 32) == 0;
        }
    }

    function _alnumEnd(uint256 pos, uint256 end) private pure returns (uint256) {
        unchecked {
            while (pos < end && Ascii.isIn(Ascii.ALNUM_SET, pos)) ++pos;
            return pos;
        }
    }

    /// @dev A span of memory as a span of the entry, whose offset 0 is at `base`.
    function _span(uint256 balance, uint256 i, uint256 start, uint256 end, uint256 base)
        private
        pure
        returns (uint256)
    {
        unchecked {
            return ParseFormat.withSpan(balance, i, start - base, end - base);
        }
    }

    function _load(uint256 pos) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(pos)
        }
    }
}
