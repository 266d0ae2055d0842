// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Groth16Claim, IGroth16Verifier} from "../../src/interfaces/IGroth16Verifier.sol";
import {PublicWords} from "../../src/verifiers/PublicWords.sol";
import {Groth16World} from "../support/Groth16World.sol";

contract PublicWordsTest is Groth16World {
    function wordsOf(bytes32 codeHash, bytes memory features, bytes memory output)
        private
        pure
        returns (uint256[] memory words)
    {
        return wordsOf(codeHash, features, 16, output);
    }

    function wordsOf(bytes32 codeHash, bytes memory features, uint256 bits, bytes memory output)
        private
        pure
        returns (uint256[] memory words)
    {
        words = new uint256[](PublicWords.count(features.length / 2, bits, output.length / 8));
        bytes memory numbers = bytes.concat(codeHash, features, output, bytes32(type(uint256).max));
        uint256 to;
        uint256 from;
        assembly ("memory-safe") {
            to := add(words, 32)
            from := add(numbers, 32)
        }
        PublicWords.write(to, from, features.length, bits, output.length);
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

    function test_words_of_few_outputs_are_those_of_the_plain_form_at_each_count() public view {
        for (uint256 outputs = 1; outputs < 9; ++outputs) {
            bytes memory features = random(outputs, 34);
            bytes memory output = random(~outputs, 8 * outputs);
            uint256[] memory words = wordsOf(address(this).codehash, features, output);
            assertEq(words, plain.wordsOf(Groth16Claim(address(this), "", features, output)));
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

    /// @dev For a test of what reverts.
    function tryWords(bytes memory features, uint256 bits) external pure {
        wordsOf(0, features, bits, hex"0000000000000000");
    }

    function testFuzz_words_of_narrow_features_are_those_of_the_plain_form(
        uint256 seed,
        uint8 inputs,
        uint8 bits
    ) public {
        bits = uint8(bound(bits, 2, 15));
        address key = makeAddr("narrow");
        vm.etch(key, keyCode(1 + uint16(inputs), 2, 2 * bits, "narrow"));
        bytes memory features = narrow(seed, 1 + uint256(inputs), bits);
        bytes memory output = random(~seed, 16);
        uint256[] memory words = wordsOf(key.codehash, features, bits, output);
        assertEq(words, plain.wordsOf(Groth16Claim(key, "", features, output)));
        for (uint256 i = 0; i < words.length; ++i) {
            assertLt(words[i], PublicWords.R);
        }
    }

    /// @dev 64 numbers of 14 bits take four words, of 16 bits five.
    function test_narrow_features_take_fewer_words() public pure {
        assertEq(PublicWords.count(64, 16, 5), 7);
        assertEq(PublicWords.count(64, 15, 5), 6);
        assertEq(PublicWords.count(64, 14, 5), 6);
        assertEq(PublicWords.count(72, 14, 5), 6);
        assertEq(PublicWords.count(73, 14, 5), 7);
        uint256[] memory words = wordsOf(0, hex"1fff0000e0001517", 14, hex"0000000000000000");
        assertEq(words[0], (0x3fff << 42) | (0x2000 << 28) | 0x3517);
    }

    /// @dev Else it would be another number in its neighbour's place.
    function test_a_feature_beyond_its_width_is_refused_wherever_it_stands() public {
        bytes2[6] memory wrong = [bytes2(0x2000), 0xdfff, 0x4000, 0x7fff, 0x8000, 0xc000];
        for (uint256 i = 0; i < 20; ++i) {
            for (uint256 j = 0; j < wrong.length; ++j) {
                bytes memory features = narrow(i, 20, 14);
                (features[2 * i], features[2 * i + 1]) = (wrong[j][0], wrong[j][1]);
                vm.expectRevert(
                    abi.encodeWithSelector(IGroth16Verifier.FeatureTooWide.selector, 14)
                );
                this.tryWords(features, 14);
            }
        }
        this.tryWords(hex"1fffe000", 14);
    }
}
