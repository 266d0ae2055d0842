// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelIds} from "../../src/libraries/ModelIds.sol";

contract ModelIdsTest is Test {
    function parse(string memory text) external pure returns (uint256) {
        return ModelIds.parse(text);
    }

    function testFuzz_numbers_read_back(uint96 number) public view {
        vm.assume(number > 0 && number < 1e28);
        assertEq(this.parse(vm.toString(number)), number);
    }

    function test_only_plain_decimal_numbers_from_one_are_ids() public {
        string[8] memory bad =
            ["", "0", "01", "-1", "1 ", "0x1", "1e3", "10000000000000000000000000000"];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IAgentExecutor.MalformedModelId.selector, bad[i])
            );
            this.parse(bad[i]);
        }
    }
}
