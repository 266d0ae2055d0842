// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {AgreedCalls} from "../../src/executor/AgreedCalls.sol";
import {AgreedCall, Range} from "../../src/interfaces/IAgentExecutor.sol";

contract AgreedCallsTest is Test {
    /// @dev Word by word and byte by byte: the plain reference.
    function plainly(AgreedCall memory agreed, address agent, address tool, bytes memory params)
        private
        pure
        returns (bool)
    {
        bytes memory masked = bytes.concat(params);
        for (uint256 i = 0; i < agreed.ranges.length; ++i) {
            Range memory range = agreed.ranges[i];
            uint256 value = 0;
            for (uint256 j = 0; j < 32; ++j) {
                uint256 place = uint256(range.word) * 32 + j;
                if (place >= params.length) return false;
                value = value * 256 + uint8(masked[place]);
                masked[place] = 0;
            }
            if (value < range.least || value > range.most) return false;
        }
        return keccak256(abi.encode(agent, tool, masked)) == agreed.callHash;
    }

    function testFuzz_a_call_is_covered_as_the_plain_rule_says(
        address agent,
        address tool,
        bytes memory params,
        Range[] memory ranges,
        uint8 changes
    ) public pure {
        bytes memory masked = bytes.concat(params);
        for (uint256 i = 0; i < ranges.length; ++i) {
            // Mostly inside, mostly around the value that is there.
            if (changes & 1 == 0) {
                ranges[i].word = uint16(ranges[i].word % (params.length / 32 + 1));
            }
            for (uint256 j = 0; j < 32; ++j) {
                uint256 place = uint256(ranges[i].word) * 32 + j;
                if (place < params.length) masked[place] = 0;
            }
            if (changes & 2 == 0) (ranges[i].least, ranges[i].most) = (0, type(uint256).max);
        }
        bytes32 hash = keccak256(abi.encode(agent, tool, masked));
        if (changes & 12 == 12) hash = keccak256(abi.encode(hash));
        AgreedCall memory agreed = AgreedCall(hash, ranges);
        bytes32 before = keccak256(params);
        assertEq(
            AgreedCalls.covers(agreed, agent, tool, params), plainly(agreed, agent, tool, params)
        );
        assertEq(keccak256(params), before);
    }

    function holdsInWord(uint16 word, bytes memory params) private pure returns (bool) {
        bytes memory masked = bytes.concat(params);
        for (uint256 place = uint256(word) * 32; place < params.length; ++place) {
            if (place < uint256(word) * 32 + 32) masked[place] = 0;
        }
        AgreedCall memory agreed = AgreedCall(0, new Range[](1));
        agreed.callHash = keccak256(abi.encode(address(1), address(2), masked));
        agreed.ranges[0] = Range(word, 0, type(uint256).max);
        return AgreedCalls.covers(agreed, address(1), address(2), params);
    }

    function test_a_range_lies_wholly_inside_the_parameters() public pure {
        bytes memory params = bytes.concat(bytes32(uint256(1)), bytes32(uint256(2)));
        assertTrue(holdsInWord(0, params) && holdsInWord(1, params));
        assertFalse(holdsInWord(2, params));
        assertTrue(holdsInWord(1, bytes.concat(params, "x")));
        assertFalse(holdsInWord(2, bytes.concat(params, "x")));
        assertFalse(holdsInWord(2, bytes.concat(params, bytes31("31 bytes"))));
        assertFalse(holdsInWord(0, ""));
    }
}
