// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {LabelAnswer} from "../../src/labels/LabelAnswer.sol";

contract LabelAnswerTest is Test {
    function read(string memory answer) external pure returns (string memory, uint256) {
        return LabelAnswer.read(answer);
    }

    function testFuzz_an_answer_reads_back(string memory label, uint128 margin) public view {
        (string memory found, uint256 ahead) = this.read(LabelAnswer.write(label, margin));
        assertEq(found, label);
        assertEq(ahead, margin);
    }

    function test_a_label_that_says_a_margin_itself_changes_nothing() public view {
        (string memory label, uint256 margin) = this.read("a, ahead by 7, ahead by 12");
        assertEq(label, "a, ahead by 7");
        assertEq(margin, 12);
        (label, margin) = this.read(", ahead by 0");
        assertEq(label, "");
        assertEq(margin, 0);
    }

    function test_what_is_no_answer_of_a_classifier_is_refused() public {
        string[9] memory bad = [
            "",
            "refund",
            "12",
            "refund, ahead by ",
            "refund, ahead by -1",
            "refund, ahead by 1 ",
            "refund ahead by 1",
            "refund, Ahead by 1",
            "ahead by 1"
        ];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(LabelAnswer.NotALabel.selector, bad[i]));
            this.read(bad[i]);
        }
    }
}
