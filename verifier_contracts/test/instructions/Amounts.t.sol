// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../../src/encoding/Ascii.sol";
import {SymbolList} from "../../src/encoding/SymbolList.sol";
import {Kinds} from "../../src/instructions/Kinds.sol";
import {Meanings, PLAIN_MEANINGS} from "../../src/instructions/Meanings.sol";
import {END_SET} from "../../src/instructions/Scanner.sol";
import {InstructionWorld} from "./InstructionWorld.sol";

/// @dev Expected values are written by hand; the examples are those of quantities.py and neighbours.
contract AmountsTest is InstructionWorld {
    function test_sets_that_assembly_has_as_numbers() public pure {
        uint256 plain = 1 | (1 << Meanings.PERCENT) | (1 << Meanings.EXCEPT) | (1 << Meanings.GLUE);
        plain |= (1 << Meanings.ARTICLE) | (1 << Meanings.AND);
        assertEq(PLAIN_MEANINGS, plain | (1 << Meanings.PER) | (1 << Meanings.UNREAD));
        assertEq(END_SET, ~(Ascii.DIGIT_SET | (1 << 0x27)));
        assertEq(SymbolList.FILTER_BITS, 211);
    }

    function test_digits() public view {
        _assertAmount("5", Kinds.DIGITS, 5, 0);
        _assertAmount("0.5", Kinds.DIGITS, 5, 1);
        _assertAmount(".5", Kinds.DIGITS, 5, 1);
        _assertAmount("1,000.50", Kinds.DIGITS, 10_005, 1);
        _assertAmount("12,345,678", Kinds.DIGITS, 12_345_678, 0);
        _assertAmount("5k", Kinds.DIGITS, 5000, 0);
        _assertAmount("2.5m", Kinds.DIGITS, 2_500_000, 0);
        _assertAmount("0.500", Kinds.DIGITS, 5, 1);
        _assertAmount(".500", Kinds.DIGITS, 5, 1);
        _assertAmount("0.00", Kinds.DIGITS, 0, 0);
        _assertAmount("5 hundred thousand", Kinds.DIGITS, 500_000, 0);
        _assertAmount("999999999999999999999999999999", Kinds.DIGITS, 1e30 - 1, 0);
    }

    function test_parts() public view {
        _assertPart("50%", Kinds.PERCENT, 50, 100);
        _assertPart("100%", Kinds.PERCENT, 100, 100);
        _assertPart("0.5%", Kinds.PERCENT, 5, 1000);
        _assertPart("ten percent", Kinds.PERCENT, 10, 100);
        _assertPart("10 %", Kinds.PERCENT, 10, 100);
        _assertPart("50 per cent", Kinds.PERCENT, 50, 100);
        _assertPart("one half", Kinds.RATIO, 1, 2);
        _assertPart("1/3", Kinds.RATIO, 1, 3);
        _assertPart("three quarters", Kinds.RATIO, 3, 4);
        _assertPart("third", Kinds.PART, 1, 3);
        _assertPart("half", Kinds.PART, 1, 2);
        _assertPart("all", Kinds.PART, 1, 1);
    }

    function test_words() public view {
        _assertAmount("five", Kinds.CARDINAL, 5, 0);
        _assertAmount("one", Kinds.ONE, 1, 0);
        _assertAmount("Twenty-Five", Kinds.CARDINAL, 25, 0);
        _assertAmount("a hundred and ten", Kinds.CARDINAL, 110, 0);
        _assertAmount("two thousand", Kinds.CARDINAL, 2000, 0);
        _assertAmount("a dozen", Kinds.CARDINAL, 12, 0);
        _assertAmount("half a dozen", Kinds.CARDINAL, 6, 0);
        _assertAmount("half a million", Kinds.CARDINAL, 500_000, 0);
        _assertAmount("zero point five", Kinds.CARDINAL, 5, 1);
        _assertAmount("one point five zero", Kinds.CARDINAL, 15, 1);
        _assertAmount("two and a half", Kinds.CARDINAL, 25, 1);
        _assertAmount("two and a half thousand", Kinds.CARDINAL, 2500, 0);
    }

    function test_what_could_be_read_in_two_ways_is_in_doubt() public view {
        string[19] memory doubtful = [
            "1.000",
            "5,50",
            "007",
            "5-10",
            "2pm",
            "1.2.3",
            "1,00",
            "1234,567",
            "0,100",
            "01/3",
            "3/1",
            "1000/1001",
            "0%",
            "101%",
            "0x12",
            "1000000000000000000000000000000",
            "a million and a half",
            "five half",
            "0x0000000000000000000000000000000000000000"
        ];
        for (uint256 i = 0; i < doubtful.length; ++i) {
            (, bytes memory parse) = _encode(doubtful[i]);
            assertEq(parse.length, 128, doubtful[i]);
            assertEq(_wordOf(parse, 3), _span(doubtful[i], Kinds.DOUBT), doubtful[i]);
        }
    }

    function test_words_behind_an_amount_make_a_doubt_of_it() public view {
        _assertWord("5 billion", 0, (8 << 5) | (1 << 19));
        _assertWord("50 bps", 0, (8 << 5) | (2 << 19));
        _assertWord("ten per day", 0, (8 << 5) | (3 << 19));
        _assertWord("50 %%", 0, (8 << 5) | (4 << 19));
        _assertWord("5 hundred and ten", 0, (8 << 5) | (9 << 19));
        _assertWord("half a percent", 0, (8 << 5) | (4 << 19));
        _assertWord("half percent", 0, (8 << 5) | (4 << 19));
        _assertWord("quarter million", 0, (8 << 5) | (7 << 19));
        _assertWord("5.5 third", 0, (8 << 5) | (3 << 19));
        _assertWord("half of my 60", 0, (8 << 5) | (4 << 19));
        _assertWord("two and a quarter", 1, 3 | (8 << 5) | (10 << 9) | (17 << 19));
        _assertWord("2 1/2", 1, 1 | (8 << 5) | (2 << 9) | (5 << 19));
    }

    function test_a_second_thousand_makes_a_doubt_of_the_words_before_it() public view {
        _assertWord("two thousand thousand", 0, (8 << 5) | (12 << 19));
        _assertWord("five dozen dozen", 0, (8 << 5) | (10 << 19));
    }

    function test_signs_beside_a_number_make_a_doubt() public view {
        _assertWord("$5", 0, (1 << 0) | (8 << 5) | (1 << 9) | (2 << 19));
        _assertWord("+5", 0, (1 << 0) | (8 << 5) | (1 << 9) | (2 << 19));
        _assertWord("5$", 0, (8 << 5) | (1 << 19));
        _assertWord("(5)", 0, 1 | (2 << 5) | (1 << 9) | (2 << 19) | (5 << 48));
    }

    function test_two_numbers_side_by_side_are_in_doubt() public view {
        _assertWord("5 ten", 0, (8 << 5) | (1 << 19));
        _assertWord("5 ten", 1, 1 | (8 << 5) | (2 << 9) | (5 << 19));
        _assertWord("5. ten", 0, (2 << 5) | (1 << 19) | (5 << 48));
    }

    function test_a_symbol_glued_to_a_number_is_a_token_of_its_own() public view {
        _assertWord("5USDC", 0, (2 << 5) | (1 << 19) | (5 << 48));
        _assertWord("5USDC", 1, 1 | (9 << 5) | (1 << 9) | (5 << 19));
    }

    function test_all_but_an_amount() public view {
        uint256 all = (7 << 5) | (3 << 19) | (1 << 48) | (1 << 148);
        uint256 but = (7 << 5) | (3 << 19) | (1 << 29) | (10 << 48) | (1 << 148);
        _assertWord("all my usdc but ten", 0, but);
        _assertWord("all my usdc but ten usdc", 0, but);
        _assertWord("all but half", 0, (8 << 5) | (3 << 19));
        _assertWord("all but ten percent", 0, (8 << 5) | (3 << 19));
        _assertWord("all but", 0, (8 << 5) | (3 << 19));
        _assertWord("all to me but ten", 0, all);
    }

    function test_half_of_a_token_is_a_number() public view {
        _assertWord("half a usdc", 0, (3 << 5) | (4 << 19) | (1 << 30) | (5 << 48));
        _assertWord("half of a usdc", 0, (3 << 5) | (4 << 19) | (1 << 30) | (5 << 48));
        _assertWord("quarter of a usdc", 0, (3 << 5) | (7 << 19) | (2 << 30) | (25 << 48));
        _assertWord("third of a usdc", 0, (8 << 5) | (5 << 19));
        _assertWord("half a send", 0, (7 << 5) | (4 << 19) | (1 << 48) | (2 << 148));
    }

    function _assertAmount(string memory prompt, uint256 kind, uint256 digits, uint256 places)
        private
        view
    {
        _assertWord(prompt, 0, _span(prompt, kind) | (places << 30) | (digits << 48));
    }

    function _assertPart(string memory prompt, uint256 kind, uint256 digits, uint256 share)
        private
        view
    {
        _assertWord(prompt, 0, _span(prompt, kind) | (digits << 48) | (share << 148));
    }

    /// @dev The first token, which is the whole prompt.
    function _span(string memory prompt, uint256 kind) private pure returns (uint256) {
        return (kind << 5) | (bytes(prompt).length << 19);
    }

    function _assertWord(string memory prompt, uint256 i, uint256 expected) private view {
        (, bytes memory parse) = _encode(prompt);
        assertEq(_wordOf(parse, 3 + i), expected, prompt);
    }

    function _wordOf(bytes memory parse, uint256 i) private pure returns (uint256 word) {
        require(parse.length >= 32 * (i + 1), "no such word");
        assembly ("memory-safe") {
            word := mload(add(parse, mul(32, add(i, 1))))
        }
    }
}
