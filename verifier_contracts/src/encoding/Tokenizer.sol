// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii, BEHIND_Z, FLAGS, FLAG_INDEX, FROM_A} from "./Ascii.sol";
import {Checksum} from "./Checksum.sol";
import {ParseFormat} from "./ParseFormat.sol";
import {PromptText, Scan} from "./PromptText.sol";
import {BookEntries, SymbolList} from "./SymbolList.sol";

/// @title From a prompt to typed tokens, exactly as `models/encoding/tokens.py`
/// @notice Rules in docs/encoding.md. Plain words take a short path, 32 characters at a time.
library Tokenizer {
    uint256 internal constant WORD = 0;
    uint256 internal constant NUMBER = 1;
    uint256 internal constant ADDRESS = 2;
    uint256 internal constant STRING = 3;
    uint256 internal constant SYMBOL = 4;
    uint256 internal constant OTHER = 5;
    uint256 internal constant QUESTION = 6;
    uint256 internal constant BREAK = 7;
    uint256 internal constant START = 8;
    uint256 internal constant END = 9;

    uint256 private constant CANDIDATE_SET = (1 << NUMBER) | (1 << SYMBOL) | (1 << ADDRESS);
    uint256 private constant SPACE = 0x20;
    uint256 private constant QUOTE = 0x22;
    uint256 private constant POINT_SET = 1 << 0x2e;
    uint256 private constant QUESTION_SET = 1 << 0x3f;
    uint256 private constant ADDRESS_LENGTH = 42;

    /// @notice The prompt has no word, number or sign that means anything.
    error EmptyPrompt();

    /// @notice The prompt has too many words: shorten it.
    error TooManyTokens(uint256 limit);

    /// @notice The address at `position` has a wrong EIP-55 checksum: copy it again, or write it in
    ///   lower case if you are sure of it.
    error AddressChecksum(uint256 position);

    /// @notice Cuts `prompt` into 1 to 64 tokens; they lie at [tokens, next) of the result.
    function tokenize(string calldata prompt, BookEntries symbols)
        internal
        pure
        returns (Scan memory scan)
    {
        PromptText.open(scan, prompt);
        scan.symbols = symbols;
        _run(scan);
        if (scan.next == scan.tokens) revert EmptyPrompt();
    }

    function _run(Scan memory scan) private pure {
        unchecked {
            uint256 pos = scan.start;
            uint256 length;
            while (true) {
                (pos, length) = _plainWords(scan, pos);
                if (pos >= scan.end) return;
                uint256 behind = _character(pos + length);
                if (length == 0) {
                    pos = behind == QUOTE ? _quoted(scan, pos) : _chunk(scan, pos);
                } else if (behind == SPACE || behind == QUOTE) {
                    _word(scan, pos, pos + length);
                    pos += length;
                } else {
                    pos = _chunk(scan, pos);
                }
            }
        }
    }

    /// @dev Skips spaces and takes words between spaces, up to the end or to what needs a closer
    ///   look: other characters, more than 30 letters, a word that may be a symbol, a 65th token.
    /// @return Where it stopped: not at a space.
    /// @return length How many letters stand there, 0 also for more than 30.
    function _plainWords(Scan memory scan, uint256 pos)
        private
        pure
        returns (uint256, uint256 length)
    {
        uint256 end = scan.end;
        uint256 next = scan.next;
        uint256 backward = scan.backward;
        uint256 filter = SymbolList.filterOf(scan.symbols);
        uint256 filterBits = SymbolList.FILTER_BITS;
        uint256 limit;
        unchecked {
            limit = scan.tokens + PromptText.TOKEN_BYTES;
        }
        assembly ("memory-safe") {
            for {} lt(pos, end) {} {
                let w := mload(sub(backward, pos))
                // `Ascii.behindLast` of what is no letter
                length := and(not(and(add(w, FROM_A), not(add(w, BEHIND_Z)))), FLAGS)
                length := byte(0, mul(FLAG_INDEX, and(length, sub(0, length))))
                if xor(byte(sub(31, length), w), 0x20) { break }
                if length {
                    if and(shr(mod(shr(240, mload(pos)), filterBits), filter), 1) { break }
                    if eq(next, limit) { break }
                    mstore(next, or(shl(32, pos), add(pos, length))) // WORD is 0
                    next := add(next, 32)
                }
                pos := add(pos, add(length, 1))
            }
        }
        scan.next = next;
        return (pos, length);
    }

    function _emit(Scan memory scan, uint256 kind, uint256 start, uint256 end) private pure {
        unchecked {
            uint256 next = scan.next;
            uint256 written = next - scan.tokens;
            if (written == PromptText.TOKEN_BYTES) revert TooManyTokens(PromptText.MAX_TOKENS);
            _store(next, (kind << 64) | (start << 32) | end);
            scan.next = next + 32;
            if ((CANDIDATE_SET >> kind) & 1 == 0) return;
            scan.places |= (written >> 5) << (scan.candidates << 3);
            ++scan.candidates;
        }
    }

    /// @dev One STRING for a closed pair of double quotes; a lone quote is skipped.
    function _quoted(Scan memory scan, uint256 pos) private pure returns (uint256) {
        unchecked {
            uint256 end = scan.end;
            for (uint256 close = pos + 1; close < end; ++close) {
                if (_character(close) == QUOTE) {
                    _emit(scan, STRING, pos + 1, close);
                    return close + 1;
                }
            }
            return pos + 1;
        }
    }

    /// @dev The characters up to the next space or quote: core and punctuation behind it.
    function _chunk(Scan memory scan, uint256 i) private pure returns (uint256 j) {
        unchecked {
            j = _chunkEnd(scan, i);
            uint256 a = i;
            while (a < j && !Ascii.isIn(Ascii.ALNUM_SET, a)) ++a;
            if (a == j) {
                _punctuation(scan, i, j);
                return j;
            }
            uint256 b = j;
            while (!Ascii.isIn(Ascii.ALNUM_SET, b - 1)) --b;
            if (_hasDigit(a, b)) {
                bool clean = (a == i || Ascii.isIn(Ascii.LEAD_SET, a - 1))
                    && (b == j || Ascii.isIn(Ascii.TRAIL_SET, b));
                _withDigits(scan, a, b, clean);
            } else {
                _lettersOnly(scan, a, b);
            }
            if (b != j) _punctuation(scan, b, j);
        }
    }

    /// @dev The spaces behind the prompt end the last chunk.
    function _chunkEnd(Scan memory scan, uint256 pos) private pure returns (uint256) {
        unchecked {
            uint256 i;
            while (true) {
                i = Ascii.behindLast(Ascii.separators(_load(scan.backward - pos)));
                if (i != 0) return pos + i;
                pos += 30; // to where the last character looked at is the first one
            }
            return pos;
        }
    }

    function _punctuation(Scan memory scan, uint256 b, uint256 j) private pure {
        if (Ascii.anyIn(QUESTION_SET, b, j)) _emit(scan, QUESTION, b, j);
        else if (Ascii.anyIn(Ascii.BREAK_SET, b, j)) _emit(scan, BREAK, b, j);
    }

    function _lettersOnly(Scan memory scan, uint256 a, uint256 b) private pure {
        unchecked {
            while (a < b) {
                uint256 end = a;
                while (end < b && Ascii.isIn(Ascii.LETTER_SET, end)) ++end;
                if (end != a) _word(scan, a, end);
                a = end + 1; // what ended the word is no letter
            }
        }
    }

    function _word(Scan memory scan, uint256 a, uint256 b) private pure {
        bool known = SymbolList.findWord(scan.symbols, a, b) != 0;
        _emit(scan, known ? SYMBOL : WORD, a, b);
    }

    function _withDigits(Scan memory scan, uint256 a, uint256 b, bool clean) private pure {
        if (Ascii.isIn(Ascii.LETTER_SET, a) && _allAlnum(a, b)) {
            _word(scan, a, b);
        } else if (clean && _startsWith0x(scan, a)) {
            _address(scan, a, b);
        } else if (clean && Ascii.isIn(Ascii.DIGIT_SET, a)) {
            _number(scan, a, b);
        } else {
            _other(scan, a, b);
        }
    }

    function _other(Scan memory scan, uint256 a, uint256 b) private pure {
        scan.other = ParseFormat.OTHER;
        _emit(scan, OTHER, a, b);
    }

    /// @dev As written: 0X does not begin an address.
    function _startsWith0x(Scan memory scan, uint256 a) private pure returns (bool) {
        unchecked {
            return _load(a + scan.original) >> 240 == 0x3078;
        }
    }

    function _address(Scan memory scan, uint256 a, uint256 b) private pure {
        unchecked {
            if (b - a != ADDRESS_LENGTH || !Checksum.isHex(_load(a + 2), _load(a + 34))) {
                _other(scan, a, b);
                return;
            }
            if (!Checksum.isValid(a + 2 + scan.original, a + 2)) {
                revert AddressChecksum(a - scan.start);
            }
            _emit(scan, ADDRESS, a, b);
        }
    }

    function _number(Scan memory scan, uint256 a, uint256 b) private pure {
        uint256 e = numberEnd(a, b);
        if (e == b) {
            _emit(scan, NUMBER, a, b);
        } else if (
            Ascii.isIn(Ascii.LETTER_SET, e) && _allAlnum(e, b)
                && SymbolList.findWord(scan.symbols, e, b) != 0
        ) {
            _emit(scan, NUMBER, a, e);
            _emit(scan, SYMBOL, e, b);
        } else {
            _other(scan, a, b);
        }
    }

    /// @notice End of the longest digits[.digits] that begins at `a` and ends by `b`; `a` if none.
    function numberEnd(uint256 a, uint256 b) internal pure returns (uint256 e) {
        unchecked {
            e = _digitsEnd(a, b);
            if (a < e && e + 1 < b && Ascii.isIn(POINT_SET, e)) {
                uint256 fraction = _digitsEnd(e + 1, b);
                if (fraction != e + 1) e = fraction;
            }
        }
    }

    function _digitsEnd(uint256 a, uint256 b) private pure returns (uint256) {
        unchecked {
            while (a < b && Ascii.isIn(Ascii.DIGIT_SET, a)) ++a;
            return a;
        }
    }

    function _hasDigit(uint256 a, uint256 b) private pure returns (bool) {
        unchecked {
            for (; a < b; a += 32) {
                if (Ascii.head(Ascii.digits(_load(a)), b - a) != 0) return true;
            }
            return false;
        }
    }

    function _allAlnum(uint256 a, uint256 b) private pure returns (bool) {
        unchecked {
            for (; a < b; a += 32) {
                uint256 w = _load(a);
                uint256 others = (Ascii.letters(w) | Ascii.digits(w)) ^ FLAGS;
                if (Ascii.head(others, b - a) != 0) return false;
            }
            return true;
        }
    }

    function _character(uint256 pos) private pure returns (uint256) {
        return _load(pos) >> 248;
    }

    function _load(uint256 pos) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(pos)
        }
    }

    function _store(uint256 pos, uint256 w) private pure {
        assembly ("memory-safe") {
            mstore(pos, w)
        }
    }
}
