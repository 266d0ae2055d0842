// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Decimals} from "../../src/libraries/Decimals.sol";
import {Test} from "forge-std/Test.sol";

/// @dev Library calls behind an external call, so that reverts can be expected.
contract DecimalsHarness {
    function parse(string memory text, uint8 decimals) external pure returns (uint256) {
        return Decimals.parse(text, decimals);
    }
}

contract DecimalsTest is Test {
    DecimalsHarness private immutable harness = new DecimalsHarness();

    function test_prints_without_trailing_zeros_or_exponent() public pure {
        assertEq(Decimals.toString(120_500_000, 6), "120.5");
        assertEq(Decimals.toString(30_000_000, 6), "30");
        assertEq(Decimals.toString(1, 6), "0.000001");
        assertEq(Decimals.toString(10, 6), "0.00001");
        assertEq(Decimals.toString(0, 18), "0");
        assertEq(Decimals.toString(1e18, 18), "1");
        assertEq(Decimals.toString(1e18 + 1, 18), "1.000000000000000001");
        assertEq(Decimals.toString(100, 0), "100");
    }

    function test_prints_the_largest_amount_at_77_decimals() public pure {
        assertEq(
            Decimals.toString(type(uint256).max, 77),
            "1.15792089237316195423570985008687907853269984665640564039457584007913129639935"
        );
    }

    function test_reads_whole_numbers_and_fractions() public pure {
        assertEq(Decimals.parse("120.5", 6), 120_500_000);
        assertEq(Decimals.parse("30", 6), 30_000_000);
        assertEq(Decimals.parse("0", 18), 0);
        assertEq(Decimals.parse("0.000001", 6), 1);
        assertEq(Decimals.parse("007", 0), 7);
        assertEq(Decimals.parse("0", 255), 0);
    }

    function test_zeros_behind_the_last_decimal_do_not_make_an_amount_too_precise() public pure {
        assertEq(Decimals.parse("1.50000000000", 6), 1_500_000);
        assertEq(Decimals.parse("7.000", 0), 7);
    }

    function test_refuses_what_is_not_a_plain_decimal_number() public {
        string[12] memory bad =
            ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,000", "1.2.3", " 1", "1 ", "0x10"];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(Decimals.MalformedAmount.selector, bad[i]));
            harness.parse(bad[i], 6);
        }
    }

    function test_refuses_decimals_that_the_asset_does_not_have() public {
        vm.expectRevert(
            abi.encodeWithSelector(Decimals.AmountTooPrecise.selector, "0.0000001", uint8(6))
        );
        harness.parse("0.0000001", 6);
        vm.expectRevert(abi.encodeWithSelector(Decimals.AmountTooPrecise.selector, "1.5", uint8(0)));
        harness.parse("1.5", 0);
    }

    function test_reads_the_largest_amount_and_refuses_one_more() public {
        string memory most = vm.toString(type(uint256).max);
        assertEq(Decimals.parse(most, 0), type(uint256).max);
        string memory tooMuch =
            "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        vm.expectRevert(abi.encodeWithSelector(Decimals.AmountTooLarge.selector, tooMuch));
        harness.parse(tooMuch, 0);
    }

    function test_refuses_what_only_scaling_makes_too_large() public {
        vm.expectRevert(abi.encodeWithSelector(Decimals.AmountTooLarge.selector, "2"));
        harness.parse("2", 77);
        assertEq(Decimals.parse("1", 77), 1e77);
    }

    function testFuzz_text_of_an_amount_reads_back(uint256 value, uint8 pick) public pure {
        uint8[4] memory choices = [0, 6, 18, 77];
        uint8 decimals = choices[pick % 4];
        assertEq(Decimals.parse(Decimals.toString(value, decimals), decimals), value);
    }

    function testFuzz_fraction_and_whole_add_up(uint128 whole, uint64 fraction) public pure {
        uint256 cut = fraction % 1e18;
        string memory padded = vm.toString(1e18 + cut); // 19 digits, the first is 1
        bytes memory digits = new bytes(18);
        for (uint256 i = 0; i < 18; ++i) {
            digits[i] = bytes(padded)[i + 1];
        }
        string memory text = string.concat(vm.toString(whole), ".", string(digits));
        assertEq(Decimals.parse(text, 18), uint256(whole) * 1e18 + cut);
    }

    function testFuzz_text_is_canonical(uint256 value, uint8 decimals) public pure {
        bytes memory text = bytes(Decimals.toString(value, decimals));
        uint256 point = text.length;
        for (uint256 i = 0; i < text.length; ++i) {
            if (text[i] == ".") point = i;
        }
        assertTrue(text[0] != "0" || point == 1 || text.length == 1, "leading zero");
        assertTrue(point > 0, "digit before the point");
        if (point < text.length) assertTrue(text[text.length - 1] != "0", "trailing zero");
    }
}
