// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Groth16Claim} from "../../src/interfaces/IGroth16Verifier.sol";
import {PublicWords} from "../../src/verifiers/PublicWords.sol";
import {Groth16World} from "../support/Groth16World.sol";

contract PublicWordsTest is Groth16World {
    function wordsOf(bytes32 codeHash, bytes memory features, bytes memory output)
        private
        pure
        returns (uint256[] memory words)
    {
        words = new uint256[](PublicWords.count(features.length / 2, output.length / 8));
        bytes memory numbers = bytes.concat(codeHash, features, output, bytes32(type(uint256).max));
        uint256 to;
        uint256 from;
        assembly ("memory-safe") {
            to := add(words, 32)
            from := add(numbers, 32)
        }
        PublicWords.write(to, from, features.length, output.length);
    }

    function testFuzz_words_are_those_of_the_plain_form(
        uint256 seed,
        uint8 inputs,
        uint8 outputs,
        address key
    ) public view {
        bytes memory features = random(seed, 2 * (1 + uint256(inputs)));
        bytes memory output = random(~seed, 8 * (1 + uint256(outputs) % 40));
        uint256[] memory words = wordsOf(key.codehash, features, output);
        assertEq(words, plain.wordsOf(Groth16Claim(key, "", features, output)));
        for (uint256 i = 0; i < words.length; ++i) {
            assertLt(words[i], PublicWords.R);
        }
    }

    function test_edges_of_the_ranges_stand_in_words_as_written_by_hand() public pure {
        uint256[] memory words = wordsOf(0, hex"80007fff0000ffff", hex"8000000000000000");
        assertEq(words.length, 2);
        assertEq(words[0], 0x0000ffff80007fff);
        assertEq(words[1], 0);
        words = wordsOf(0, hex"0001", hex"ffffffffffffffff7fffffffffffffff");
        assertEq(words[0], 0x8001);
        assertEq(words[1], 0x7fffffffffffffffffffffffffffffff);
    }

    function test_more_than_six_outputs_are_folded() public pure {
        bytes memory y = random(7, 56);
        uint256[] memory words = wordsOf("key", hex"0001", y);
        assertEq(words.length, 3);
        uint256 c = uint256(keccak256(bytes.concat("key", bytes29(0), hex"0001", y))) >> 3;
        assertEq(words[1], c);
        assertEq(wordsOf("key", hex"0001", random(7, 48)).length, 3);
        assertEq(wordsOf("key", hex"0001", random(7, 24)).length, 2);
    }
}
