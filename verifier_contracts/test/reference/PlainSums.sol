// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Tokenizer} from "../../src/encoding/Tokenizer.sol";
import {PlainToken} from "./PlainTokenizer.sol";

/// @title `Embedding` without assembly, dimension by dimension as models/encoding/encoder.py
/// @notice Tables are made up: dimension d of row r is byte d of keccak256(table, r).
contract PlainSums {
    uint256 private constant WINDOW = 4;
    uint256 private constant UNKNOWN = 10;

    uint256 private immutable _textRows;
    uint256 private immutable _localRows;
    bytes private _vocabulary;
    bytes private _prompt;
    uint256[] private _own;
    uint256[] private _pairs;

    constructor(uint256 textRows, uint256 localRows, bytes memory vocabulary) {
        _vocabulary = vocabulary;
        _textRows = textRows;
        _localRows = localRows;
    }

    /// @notice The 32 text features, and 16 local ones for each candidate.
    function sums(bytes memory prompt, PlainToken[] memory tokens)
        external
        returns (int256[] memory text, int256[][] memory local)
    {
        _prompt = prompt;
        _hash(tokens);
        text = new int256[](32);
        local = new int256[][](tokens.length);
        for (uint256 i = 0; i < tokens.length; ++i) {
            _add(text, "text", _own[i] % _textRows);
            _add(text, "text", _pairs[i] % _textRows);
            if (i > 0) {
                uint256 before = i == 1 ? _typeHash(Tokenizer.START) : _own[i - 2];
                uint256 pair = uint256(keccak256(abi.encode(before, _own[i])));
                _add(text, "text", (pair >> 48) % _textRows);
            }
            if (tokens[i].kind == Tokenizer.WORD && tokens[i].end - tokens[i].start > 3) {
                uint256 suffix = _textHash(tokens[i].end - 3, tokens[i].end);
                _add(text, "text", (suffix >> 32) % _textRows);
            }
            if (_isCandidate(tokens[i].kind)) local[i] = _around(i);
        }
    }

    /// @notice Row `r` of a table, before the bytes are biased and permuted for the chain.
    function row(string memory table, uint256 r) public pure returns (bytes32) {
        return keccak256(abi.encode(table, r));
    }

    function _hash(PlainToken[] memory tokens) private {
        delete _own;
        delete _pairs;
        uint256 previous = _typeHash(Tokenizer.START);
        for (uint256 i = 0; i < tokens.length; ++i) {
            uint256 own = _typeHash(tokens[i].kind);
            if (tokens[i].kind == Tokenizer.WORD) {
                own = _textHash(tokens[i].start, tokens[i].end);
                uint8 fingerprint = uint8(_vocabulary[(own >> 236) % 4096]);
                if (fingerprint == 0 || fingerprint != own >> 248) own = _typeHash(UNKNOWN);
            }
            _own.push(own);
            _pairs.push(uint256(keccak256(abi.encode(previous, own))));
            previous = own;
        }
    }

    function _around(uint256 place) private view returns (int256[] memory sum) {
        sum = new int256[](16);
        for (uint256 i = 0; i < 2 * WINDOW + 1; ++i) {
            uint256 h = place + i < WINDOW
                ? _typeHash(Tokenizer.START)
                : place + i - WINDOW >= _own.length
                    ? _typeHash(Tokenizer.END)
                    : _own[place + i - WINDOW];
            _add(sum, "local", (h >> (64 + 16 * i)) % _localRows);
        }
        if (place > 0) _add(sum, "local", (_pairs[place - 1] >> 208) % _localRows);
        if (place + 2 < _pairs.length) {
            _add(sum, "local", (_pairs[place + 2] >> 224) % _localRows);
        }
    }

    function _add(int256[] memory sum, string memory table, uint256 r) private pure {
        bytes32 values = row(table, r);
        for (uint256 d = 0; d < sum.length; ++d) {
            sum[d] += int8(uint8(values[d]));
        }
    }

    function _textHash(uint256 start, uint256 end) private view returns (uint256) {
        bytes memory word = new bytes(end - start);
        for (uint256 i = start; i < end; ++i) {
            bytes1 c = _prompt[i];
            word[i - start] = c >= "A" && c <= "Z" ? bytes1(uint8(c) + 32) : c;
        }
        return uint256(keccak256(word));
    }

    function _typeHash(uint256 kind) private pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(uint8(kind))));
    }

    function _isCandidate(uint256 kind) private pure returns (bool) {
        return kind == Tokenizer.NUMBER || kind == Tokenizer.SYMBOL || kind == Tokenizer.ADDRESS;
    }
}
