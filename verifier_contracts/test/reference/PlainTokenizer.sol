// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PromptText} from "../../src/encoding/PromptText.sol";
import {Tokenizer} from "../../src/encoding/Tokenizer.sol";

/// @notice A token at [start, end) of the prompt.
struct PlainToken {
    uint256 kind;
    uint256 start;
    uint256 end;
}

/// @title `Tokenizer` without assembly, character by character as models/encoding/tokens.py
contract PlainTokenizer {
    bytes private _text;
    bytes32[] private _symbols;
    PlainToken[] private _tokens;

    function tokenize(bytes memory prompt, bytes32[] memory symbols)
        external
        returns (PlainToken[] memory)
    {
        delete _tokens;
        _text = prompt;
        _symbols = symbols;
        if (prompt.length > PromptText.MAX_CHARACTERS) {
            revert PromptText.PromptTooLong(prompt.length, PromptText.MAX_CHARACTERS);
        }
        for (uint256 i = 0; i < prompt.length; ++i) {
            if (uint8(prompt[i]) < 0x20 || uint8(prompt[i]) > 0x7e) {
                revert PromptText.PromptNotAscii(i);
            }
        }
        uint256 pos = 0;
        while (pos < prompt.length) {
            if (prompt[pos] == " ") ++pos;
            else if (prompt[pos] == '"') pos = _quoted(pos);
            else pos = _chunkAt(pos);
        }
        if (_tokens.length == 0) revert Tokenizer.EmptyPrompt();
        return _tokens;
    }

    function _emit(uint256 kind, uint256 start, uint256 end) private {
        if (_tokens.length == PromptText.MAX_TOKENS) {
            revert Tokenizer.TooManyTokens(PromptText.MAX_TOKENS);
        }
        _tokens.push(PlainToken(kind, start, end));
    }

    function _quoted(uint256 i) private returns (uint256) {
        for (uint256 close = i + 1; close < _text.length; ++close) {
            if (_text[close] == '"') {
                _emit(Tokenizer.STRING, i + 1, close);
                return close + 1;
            }
        }
        return i + 1;
    }

    function _chunkAt(uint256 i) private returns (uint256 j) {
        j = i;
        while (j < _text.length && _text[j] != " " && _text[j] != '"') ++j;
        uint256 a = i;
        uint256 b = j;
        while (a < j && !_isAlnum(_text[a])) ++a;
        while (b > a && !_isAlnum(_text[b - 1])) --b;
        if (a == j) {
            _punctuation(i, j);
            return j;
        }
        bool digits = false;
        for (uint256 k = a; k < b; ++k) {
            digits = digits || _isDigit(_text[k]);
        }
        bool clean =
            (a == i || _isIn("([{':", _text[a - 1])) && (b == j || _isIn(".,;:!?)]}'", _text[b]));
        if (digits) _withDigits(a, b, clean);
        else _lettersOnly(a, b);
        _punctuation(b, j);
    }

    function _punctuation(uint256 b, uint256 j) private {
        bool question = false;
        bool pause = false;
        for (uint256 k = b; k < j; ++k) {
            question = question || _text[k] == "?";
            pause = pause || _isIn(",;.!:", _text[k]);
        }
        if (question) _emit(Tokenizer.QUESTION, b, j);
        else if (pause) _emit(Tokenizer.BREAK, b, j);
    }

    function _lettersOnly(uint256 a, uint256 b) private {
        while (a < b) {
            uint256 end = a;
            while (end < b && _isLetter(_text[end])) ++end;
            if (end > a) _word(a, end);
            a = end > a ? end : a + 1;
        }
    }

    function _word(uint256 a, uint256 b) private {
        _emit(_known(a, b) ? Tokenizer.SYMBOL : Tokenizer.WORD, a, b);
    }

    function _known(uint256 a, uint256 b) private view returns (bool) {
        if (b - a < 2 || b - a > 11) return false;
        bytes memory word = new bytes(32);
        for (uint256 k = a; k < b; ++k) {
            word[k - a] = _lower(_text[k]);
        }
        for (uint256 s = 0; s < _symbols.length; ++s) {
            if (_symbols[s] == bytes32(word)) return true;
        }
        return false;
    }

    function _withDigits(uint256 a, uint256 b, bool clean) private {
        if (_isLetter(_text[a]) && _allAlnum(a, b)) _word(a, b);
        else if (clean && b - a > 1 && _text[a] == "0" && _text[a + 1] == "x") _address(a, b);
        else if (clean && _isDigit(_text[a])) _number(a, b);
        else _emit(Tokenizer.OTHER, a, b);
    }

    function _address(uint256 a, uint256 b) private {
        bool hexadecimal = b - a == 42;
        for (uint256 k = a + 2; k < b; ++k) {
            hexadecimal = hexadecimal && _isIn("0123456789abcdefABCDEF", _text[k]);
        }
        if (!hexadecimal) _emit(Tokenizer.OTHER, a, b);
        else if (!_validChecksum(a + 2)) revert Tokenizer.AddressChecksum(a);
        else _emit(Tokenizer.ADDRESS, a, b);
    }

    function _validChecksum(uint256 a) private view returns (bool) {
        bytes memory lower = new bytes(40);
        bool capitals = false;
        bool smalls = false;
        for (uint256 k = 0; k < 40; ++k) {
            lower[k] = _lower(_text[a + k]);
            if (_isLetter(_text[a + k])) {
                if (lower[k] == _text[a + k]) smalls = true;
                else capitals = true;
            }
        }
        if (!capitals || !smalls) return true;
        bytes32 digest = keccak256(lower);
        for (uint256 k = 0; k < 40; ++k) {
            uint256 nibble = (uint8(digest[k / 2]) >> (k % 2 == 0 ? 4 : 0)) & 15;
            if (_isLetter(lower[k]) && (lower[k] != _text[a + k]) != (nibble >= 8)) return false;
        }
        return true;
    }

    function _number(uint256 a, uint256 b) private {
        uint256 e = a;
        while (e < b && _isDigit(_text[e])) ++e;
        if (e + 1 < b && _text[e] == "." && _isDigit(_text[e + 1])) {
            ++e;
            while (e < b && _isDigit(_text[e])) ++e;
        }
        if (e == b) {
            _emit(Tokenizer.NUMBER, a, b);
        } else if (_isLetter(_text[e]) && _allAlnum(e, b) && _known(e, b)) {
            _emit(Tokenizer.NUMBER, a, e);
            _emit(Tokenizer.SYMBOL, e, b);
        } else {
            _emit(Tokenizer.OTHER, a, b);
        }
    }

    function _allAlnum(uint256 a, uint256 b) private view returns (bool) {
        for (; a < b; ++a) {
            if (!_isAlnum(_text[a])) return false;
        }
        return true;
    }

    function _isAlnum(bytes1 c) private pure returns (bool) {
        return _isLetter(c) || _isDigit(c);
    }

    function _isLetter(bytes1 c) private pure returns (bool) {
        return _lower(c) >= "a" && _lower(c) <= "z";
    }

    function _isDigit(bytes1 c) private pure returns (bool) {
        return c >= "0" && c <= "9";
    }

    function _lower(bytes1 c) private pure returns (bytes1) {
        return c >= "A" && c <= "Z" ? bytes1(uint8(c) + 32) : c;
    }

    function _isIn(bytes memory set, bytes1 c) private pure returns (bool) {
        for (uint256 i = 0; i < set.length; ++i) {
            if (set[i] == c) return true;
        }
        return false;
    }
}
