// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Scan} from "../encoding/PromptText.sol";
import {SymbolList} from "../encoding/SymbolList.sol";
import {Tokenizer} from "../encoding/Tokenizer.sol";
import {Context, IEncoder} from "../interfaces/IEncoder.sol";
import {LabelData} from "./LabelData.sol";
import {LabelSum, LabelSums} from "./LabelSums.sol";
import {LabelTable} from "./LabelTable.sol";

/// @title From a text to a classifier's features, exactly as `models/classifier/text.py`
/// @notice The text is the prompt, and all that counts. Features: 64 sums of the table's rows. A token
///   selects the row of its own hash, that of its pair with the token before, and if it is a word those of
///   its first four letters and of its last three, where it has more. No word is a symbol. The second
///   result is empty.
contract LabelEncoder is LabelTable, IEncoder {
    using LabelSums for LabelSum;

    uint256 private constant UNKNOWN = 10; // type of a word that the classifier does not know
    uint256 private constant PREFIX_LENGTH = 4;
    uint256 private constant SUFFIX_LENGTH = 3;

    address private immutable _data;

    /// @param chunks The contracts that hold the table, in order; see `LabelTable`.
    /// @param rows The table's number of rows.
    /// @param data The contract that holds known words and labels; see `LabelData`.
    constructor(address[] memory chunks, uint256 rows, address data) LabelTable(chunks, rows) {
        LabelData.check(data);
        _data = data;
    }

    /// @inheritdoc IEncoder
    function encode(Context calldata c) external view returns (bytes memory, bytes memory) {
        Scan memory scan = Tokenizer.tokenize(c.prompt, SymbolList.load(address(0)));
        LabelSum memory sum;
        sum.chunks = _chunks();
        sum.mask = _rowMask;
        uint256 before = _hashOfType(Tokenizer.START);
        for (uint256 pos = scan.tokens; pos < scan.next; pos += 32) {
            uint256 own = _addToken(sum, _load(pos));
            sum.add(_hashOfPair(before, own));
            before = own;
        }
        return (sum.features(), "");
    }

    /// @dev Adds the rows of a token alone, and returns its hash.
    function _addToken(LabelSum memory sum, uint256 token) private view returns (uint256 own) {
        uint256 kind = token >> 64;
        if (kind != Tokenizer.WORD) {
            own = _hashOfType(kind);
        } else {
            uint256 start = (token >> 32) & 0xffffffff;
            uint256 length = (token & 0xffffffff) - start;
            own = _hash(start, length);
            if (!LabelData.knows(_data, own)) own = _hashOfType(UNKNOWN);
            if (length > PREFIX_LENGTH) sum.add(_hash(start, PREFIX_LENGTH) >> 16);
            if (length > SUFFIX_LENGTH) {
                sum.add(_hash(start + length - SUFFIX_LENGTH, SUFFIX_LENGTH) >> 32);
            }
        }
        sum.add(own);
    }

    function _hash(uint256 pos, uint256 length) private pure returns (uint256 h) {
        assembly ("memory-safe") {
            h := keccak256(pos, length)
        }
    }

    function _hashOfType(uint256 kind) private pure returns (uint256 h) {
        assembly ("memory-safe") {
            mstore8(0, kind)
            h := keccak256(0, 1)
        }
    }

    function _hashOfPair(uint256 first, uint256 second) private pure returns (uint256 h) {
        assembly ("memory-safe") {
            mstore(0, first)
            mstore(32, second)
            h := keccak256(0, 64)
        }
    }

    function _load(uint256 pos) private pure returns (uint256 w) {
        assembly ("memory-safe") {
            w := mload(pos)
        }
    }
}
