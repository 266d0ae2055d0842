// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {Checksum} from "../encoding/Checksum.sol";
import {BookEntries, SymbolList} from "../encoding/SymbolList.sol";
import {Books} from "../instructions/Books.sol";
import {Quantities} from "../instructions/Quantities.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {Candidate, CandidateSpan} from "./Candidate.sol";
import {ParamTypes} from "./ParamTypes.sol";
import {Unit, Units} from "./Units.sol";

/// @notice A parameter's type.
/// @param paramType Of `ParamTypes`.
/// @param bits Of an integer, 8 to 256.
/// @param size Of bytes, 1 to 32; zero of any number of them.
/// @param unit What its numbers count in.
struct Slot {
    uint256 paramType;
    uint256 bits;
    uint256 size;
    Unit unit;
}

/// @notice What names stand for at an agent's.
struct Directory {
    BookEntries symbols;
    BookEntries contacts;
    address owner;
}

/// @title From the candidate that was chosen to the argument, exactly as `models/reader/arguments.py`
library Arguments {
    // Why there is no argument.
    uint256 internal constant MISSING = 0;
    uint256 internal constant DOUBTFUL = 1;
    uint256 internal constant NEGATIVE = 2;
    uint256 internal constant TOO_PRECISE = 3;
    uint256 internal constant TOO_LARGE = 4;
    uint256 internal constant OTHER_UNIT = 5;
    uint256 internal constant PARTIAL = 6;
    uint256 internal constant NOBODY = 7;
    uint256 internal constant WRONG_LENGTH = 8;
    /// @notice There is one.
    uint256 internal constant FITS = 9;

    /// @dev 0x
    uint256 private constant HEX = 0x3078;

    /// @notice The argument, ABI-encoded on its own, or why there is none.
    /// @param prompt The candidate's.
    function make(
        Candidate memory candidate,
        Slot memory slot,
        string calldata prompt,
        Directory memory directory
    ) internal pure returns (uint256 fault, bytes memory encoded) {
        uint256 paramType = slot.paramType;
        if (ParamTypes.isArray(paramType)) return _list(candidate, slot, prompt, directory);
        if (paramType == ParamTypes.STRING) {
            return (FITS, abi.encode(_text(candidate.span, prompt)));
        }
        if (paramType == ParamTypes.BYTES && slot.size == 0) {
            return (FITS, abi.encode(_bytes(_text(candidate.span, prompt))));
        }
        uint256 word;
        (fault, word) =
            _word(candidate.span, candidate.quantity, paramType, slot, prompt, directory);
        if (fault == FITS) encoded = abi.encode(word);
    }

    function _list(
        Candidate memory candidate,
        Slot memory slot,
        string calldata prompt,
        Directory memory directory
    ) private pure returns (uint256 fault, bytes memory encoded) {
        if (CandidateSpan.kindOf(candidate.span) != CandidateSpan.LIST) {
            return (DOUBTFUL, encoded);
        }
        uint256 paramType = ParamTypes.elementOf(slot.paramType);
        uint256 count = candidate.elements.length / 2;
        if (paramType == ParamTypes.STRING) {
            string[] memory texts = new string[](count);
            for (uint256 i = 0; i < count; ++i) {
                texts[i] = string(_text(candidate.elements[2 * i], prompt));
            }
            return (FITS, abi.encode(texts));
        }
        uint256[] memory words = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            (fault, words[i]) = _word(
                candidate.elements[2 * i],
                candidate.elements[2 * i + 1],
                paramType,
                slot,
                prompt,
                directory
            );
            if (fault != FITS) return (fault, encoded);
        }
        return (FITS, abi.encode(words));
    }

    function _word(
        uint256 span,
        uint256 quantity,
        uint256 paramType,
        Slot memory slot,
        string calldata prompt,
        Directory memory directory
    ) private pure returns (uint256 fault, uint256 word) {
        if (paramType == ParamTypes.BOOL) {
            return (FITS, span & CandidateSpan.TRUE != 0 ? 1 : 0);
        }
        if (paramType == ParamTypes.ADDRESS) return _account(span, prompt, directory);
        if (paramType == ParamTypes.BYTES) {
            bytes memory content = _bytes(_text(span, prompt));
            if (content.length != slot.size) return (WRONG_LENGTH, 0);
            return (FITS, uint256(bytes32(content)));
        }
        return _number(span, quantity, paramType == ParamTypes.INT, slot, prompt, directory);
    }

    // Accounts

    function _account(uint256 span, string calldata prompt, Directory memory directory)
        private
        pure
        returns (uint256, uint256)
    {
        uint256 kind = CandidateSpan.kindOf(span);
        if (kind == CandidateSpan.DOUBT) return (DOUBTFUL, 0);
        uint160 account;
        if (kind == CandidateSpan.OWNER) {
            account = uint160(directory.owner);
        } else {
            (uint256 start, uint256 end) = _lower(_text(span, prompt));
            if (PieceWord.load(start) >> 240 == HEX) {
                account =
                    uint160(Checksum.parse(PieceWord.load(start + 2), PieceWord.load(start + 34)));
            } else {
                bool isContact = kind == CandidateSpan.CONTACT;
                BookEntries book = isContact ? directory.contacts : directory.symbols;
                account = uint160(Books.findWord(book, start, end));
            }
        }
        return account == 0 ? (NOBODY, 0) : (FITS, account);
    }

    // Numbers

    function _number(
        uint256 span,
        uint256 quantity,
        bool signed,
        Slot memory slot,
        string calldata prompt,
        Directory memory directory
    ) private pure returns (uint256 fault, uint256 units) {
        if (quantity == 0) return (DOUBTFUL, 0);
        if (!_countsIn(span, slot.unit, prompt, directory)) return (OTHER_UNIT, 0);
        (fault, units) = _units(quantity, slot.unit);
        bool negative = span & CandidateSpan.NEGATIVE != 0;
        if (fault == TOO_LARGE && negative && !signed) return (NEGATIVE, 0);
        if (fault != FITS) return (fault, 0);
        unchecked {
            if (negative && units != 0 && !signed) return (NEGATIVE, 0);
            uint256 most = type(uint256).max >> (256 - slot.bits + (signed ? 1 : 0));
            if (signed && negative) ++most;
            if (units > most) return (TOO_LARGE, 0);
            return (FITS, negative ? 0 - units : units);
        }
    }

    /// @dev Whether the token behind a number, if there is one, is what the parameter counts in.
    function _countsIn(
        uint256 span,
        Unit memory unit,
        string calldata prompt,
        Directory memory directory
    ) private pure returns (bool) {
        if (unit.decimals > Units.MAX_DECIMALS) return false; // a foreign book's
        uint256 to = CandidateSpan.symbolEndOf(span);
        if (to == 0) return true;
        (uint256 start, uint256 end) = _lower(bytes(prompt)[CandidateSpan.symbolStartOf(span):to]);
        uint256 entry;
        if (PieceWord.load(start) >> 240 == HEX) {
            address token = Checksum.parse(PieceWord.load(start + 2), PieceWord.load(start + 34));
            entry = SymbolList.findToken(directory.symbols, token);
        } else {
            entry = Books.findWord(directory.symbols, start, end);
        }
        if (entry == 0) return false;
        if (unit.kind == Units.SYMBOL) return SymbolList.tokenOf(entry) == unit.token;
        return unit.kind == Units.DECIMALS && SymbolList.decimalsOf(entry) == unit.decimals;
    }

    /// @dev Without the sign.
    function _units(uint256 quantity, Unit memory unit) private pure returns (uint256, uint256) {
        unchecked {
            uint256 digits = Quantities.digitsOf(quantity);
            uint256 share = Quantities.shareOf(quantity);
            if (share != 0) return _hundredths(quantity, digits, share, unit.kind);
            uint256 places = Quantities.placesOf(quantity);
            if (places > unit.decimals) return (TOO_PRECISE, 0);
            uint256 power = 10 ** (unit.decimals - places);
            uint256 units = digits * power;
            return units / power == digits ? (FITS, units) : (TOO_LARGE, 0);
        }
    }

    /// @dev Of a percentage, for a parameter that counts in those or in basis points.
    function _hundredths(uint256 quantity, uint256 digits, uint256 share, uint256 kind)
        private
        pure
        returns (uint256, uint256)
    {
        unchecked {
            if (kind != Units.PERCENT && kind != Units.BASIS) return (PARTIAL, 0);
            if (Quantities.isBut(quantity) || share % 100 != 0) return (PARTIAL, 0);
            uint256 parts = digits * (kind == Units.PERCENT ? 100 : 10_000);
            return parts % share == 0 ? (FITS, parts / share) : (TOO_PRECISE, 0);
        }
    }

    // Text

    function _text(uint256 span, string calldata prompt) private pure returns (bytes memory) {
        return bytes(prompt)[CandidateSpan.startOf(span):CandidateSpan.endOf(span)];
    }

    /// @dev Makes its letters lower-case; where it starts and ends in memory.
    function _lower(bytes memory text) private pure returns (uint256 start, uint256 end) {
        unchecked {
            assembly ("memory-safe") {
                start := add(text, 32)
            }
            end = start + text.length;
            for (uint256 pos = start; pos < end; pos += 32) {
                PieceWord.store(pos, Ascii.lower(PieceWord.load(pos)));
            }
        }
    }

    /// @dev What 0x and an even number of hex digits stand for.
    function _bytes(bytes memory text) private pure returns (bytes memory content) {
        unchecked {
            content = new bytes(text.length / 2 - 1);
            for (uint256 i = 0; i < content.length; ++i) {
                uint256 high = _nibble(uint8(text[2 * i + 2]));
                content[i] = bytes1(uint8(16 * high + _nibble(uint8(text[2 * i + 3]))));
            }
        }
    }

    function _nibble(uint256 c) private pure returns (uint256) {
        unchecked {
            return (c & 15) + 9 * (c >> 6);
        }
    }
}
