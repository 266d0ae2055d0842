// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Instances} from "../src/libraries/Instances.sol";
import {Test} from "forge-std/Test.sol";

contract InstancesTest is Test {
    uint256 private constant P = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;

    function test_features_are_signed_16_bit_numbers() public pure {
        uint256[] memory instances = new uint256[](4);
        Instances.writeFeatures(instances, 0, hex"0000000180007fff");
        assertEq(instances[0], 0);
        assertEq(instances[1], 1);
        assertEq(instances[2], P - 32_768);
        assertEq(instances[3], 32_767);
    }

    function test_outputs_are_signed_64_bit_numbers() public pure {
        uint256[] memory instances = new uint256[](3);
        Instances.writeOutputs(instances, 0, hex"ffffffffffffffff80000000000000007fffffffffffffff");
        assertEq(instances[0], P - 1);
        assertEq(instances[1], P - (1 << 63));
        assertEq(instances[2], (1 << 63) - 1);
    }

    function testFuzz_agrees_with_the_plain_loop(int16[] memory x, int64[] memory y) public pure {
        bytes memory features;
        bytes memory output;
        uint256[] memory expected = new uint256[](x.length + y.length);
        for (uint256 i = 0; i < x.length; ++i) {
            features = abi.encodePacked(features, x[i]);
            expected[i] = _element(x[i]);
        }
        for (uint256 i = 0; i < y.length; ++i) {
            output = abi.encodePacked(output, y[i]);
            expected[x.length + i] = _element(y[i]);
        }
        uint256[] memory instances = new uint256[](x.length + y.length);
        Instances.writeFeatures(instances, 0, features);
        Instances.writeOutputs(instances, x.length, output);
        assertEq(instances, expected);
    }

    function testFuzz_every_instance_is_below_the_field_order(int64 v) public pure {
        uint256[] memory instances = new uint256[](1);
        Instances.writeOutputs(instances, 0, abi.encodePacked(v));
        assertLt(instances[0], P);
    }

    function _element(int256 v) private pure returns (uint256) {
        return v < 0 ? P - uint256(-v) : uint256(v);
    }
}
