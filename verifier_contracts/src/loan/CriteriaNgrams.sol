// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Criterion, Token} from "./Criteria.sol";
import {CriteriaTable, RowSum} from "./CriteriaTable.sol";
import {CriteriaWords} from "./CriteriaWords.sol";

/// @title Sums of table rows that criteria select by their n-grams, as `models/agents/criteria.py`
/// @notice Of words: each, and each pair. Of classes: one to three of all of them; one to four of the shorter
///   form, which leaves out what most texts have; one to three of the turned form. Of equal ones beside
///   each other, one counts.
library CriteriaNgrams {
    uint256 private constant ALL_FORM = 1;
    uint256 private constant SHORT_FORM = 2;
    uint256 private constant TURNED_FORM = 3;
    uint256 private constant TURNED_CODES = 64;

    /// @param chunks Memory position of the addresses of the table's contracts, a word each.
    /// @return low Dimensions 0 to 15 of the sum, 16-bit lanes in two's complement.
    /// @return high Dimensions 16 to 31; the last one is zero.
    function sum(Criterion memory criterion, uint256 chunks)
        internal
        view
        returns (uint256 low, uint256 high)
    {
        RowSum memory rows = CriteriaTable.begin(chunks);
        _addWords(rows, criterion);
        bytes memory classes = _classes(criterion);
        _addRuns(rows, ALL_FORM, 3, _single(classes, 0));
        _addRuns(rows, SHORT_FORM, 4, _single(classes, CriteriaWords.LEFT_OUT));
        _addRuns(rows, TURNED_FORM, 3, _single(_turned(classes), 0));
        return CriteriaTable.end(rows);
    }

    function _addWords(RowSum memory rows, Criterion memory criterion) private view {
        uint256 last = _hash(CriteriaWords.START);
        for (uint256 i = 0; i < criterion.count; ++i) {
            Token memory token = criterion.tokens[i];
            uint256 class = token.class;
            uint256 element =
                class == CriteriaWords.PLAIN && token.word != 0 ? token.word : _hash(class);
            CriteriaTable.add(rows, token.word == 0 ? element : token.word);
            CriteriaTable.add(rows, _pair(last, element));
            last = element;
        }
        CriteriaTable.add(rows, _pair(last, _hash(CriteriaWords.END)));
    }

    /// @dev Without those of words that have none, and of prepositions that no number is behind.
    function _classes(Criterion memory criterion) private pure returns (bytes memory classes) {
        uint256 count = criterion.count;
        classes = new bytes(count);
        uint256 next = 0;
        for (uint256 i = 0; i < count; ++i) {
            uint256 class = criterion.tokens[i].class;
            if (CriteriaWords.isIn(CriteriaWords.CLASSLESS, class)) continue;
            if (CriteriaWords.isIn(CriteriaWords.BEFORE_NUMBERS, class)) {
                uint256 behind = i + 1 < count ? criterion.tokens[i + 1].class : CriteriaWords.END;
                if (!CriteriaWords.isIn(CriteriaWords.NUMBERS, behind)) continue;
            }
            classes[next++] = bytes1(uint8(class));
        }
        _cut(classes, next);
    }

    /// @dev Comparisons and limits, each with whether an odd number of refusals and negations stands before
    ///   it, then whether they are odd in all.
    function _turned(bytes memory classes) private pure returns (bytes memory turned) {
        turned = new bytes(classes.length + 1);
        uint256 next = 0;
        uint256 odd = 0;
        for (uint256 i = 0; i < classes.length; ++i) {
            uint256 class = uint8(classes[i]);
            if (CriteriaWords.isIn(CriteriaWords.TURNING, class)) odd = 1 - odd;
            if (!CriteriaWords.isIn(CriteriaWords.TURNED, class)) continue;
            turned[next++] = bytes1(uint8(TURNED_CODES + 2 * class + odd));
        }
        turned[next++] = bytes1(uint8(TURNED_CODES + 2 * CriteriaWords.END + odd));
        _cut(turned, next);
    }

    /// @dev Between START and END, without those in `leftOut`, one of equal ones beside each other.
    function _single(bytes memory classes, uint256 leftOut)
        private
        pure
        returns (bytes memory single)
    {
        single = new bytes(classes.length + 2);
        uint256 last = CriteriaWords.START;
        single[0] = bytes1(uint8(last));
        uint256 next = 1;
        for (uint256 i = 0; i < classes.length; ++i) {
            uint256 class = uint8(classes[i]);
            if (class == last || CriteriaWords.isIn(leftOut, class)) continue;
            single[next++] = classes[i];
            last = class;
        }
        single[next++] = bytes1(uint8(CriteriaWords.END));
        _cut(single, next);
    }

    function _addRuns(RowSum memory rows, uint256 form, uint256 longest, bytes memory classes)
        private
        view
    {
        uint256 count = classes.length;
        for (uint256 i = 0; i < count; ++i) {
            for (uint256 length = 1; length <= longest && i + length <= count; ++length) {
                uint256 ngram;
                assembly ("memory-safe") {
                    mstore(0, mload(add(add(classes, 32), i)))
                    mstore(1, mload(0))
                    mstore8(0, form)
                    ngram := keccak256(0, add(length, 1))
                }
                CriteriaTable.add(rows, ngram);
            }
        }
    }

    function _hash(uint256 class) private pure returns (uint256 h) {
        assembly ("memory-safe") {
            mstore8(0, class)
            h := keccak256(0, 1)
        }
    }

    function _pair(uint256 left, uint256 right) private pure returns (uint256 h) {
        assembly ("memory-safe") {
            mstore(0, left)
            mstore(32, right)
            h := keccak256(0, 64)
        }
    }

    function _cut(bytes memory text, uint256 length) private pure {
        assembly ("memory-safe") {
            mstore(text, length)
        }
    }
}
