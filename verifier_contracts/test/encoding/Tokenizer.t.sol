// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Scan} from "../../src/encoding/PromptText.sol";
import {SymbolList} from "../../src/encoding/SymbolList.sol";
import {Tokenizer} from "../../src/encoding/Tokenizer.sol";
import {PlainToken, PlainTokenizer} from "../reference/PlainTokenizer.sol";
import {EncodingWorld} from "./EncodingWorld.sol";

contract TokenizerTest is EncodingWorld {
    PlainTokenizer private _plain = new PlainTokenizer();

    function tokens(string calldata prompt) external view returns (PlainToken[] memory found) {
        Scan memory scan = Tokenizer.tokenize(prompt, SymbolList.load(agent.pointer()));
        found = new PlainToken[]((scan.next - scan.tokens) / 32);
        for (uint256 i = 0; i < found.length; ++i) {
            uint256 token;
            uint256 pos = scan.tokens + 32 * i;
            assembly ("memory-safe") {
                token := mload(pos)
            }
            found[i] = PlainToken(
                token >> 64, uint32(token >> 32) - scan.start, uint32(token) - scan.start
            );
        }
    }

    function testFuzz_tokens_are_those_of_the_plain_tokenizer(bytes calldata choices) public {
        _assertSame(_prompt(choices));
    }

    function testFuzz_any_bytes_are_taken_or_refused_alike(string calldata prompt) public {
        _assertSame(prompt);
    }

    function testFuzz_letters_and_signs_in_any_order(bytes memory prompt) public {
        bytes memory alphabet = "aZ z 059 x..,;:!?'\"()[]{}-$%% usdc WETH";
        for (uint256 i = 0; i < prompt.length; ++i) {
            prompt[i] = alphabet[uint8(prompt[i]) % alphabet.length];
        }
        _assertSame(string(prompt));
    }

    /// forge-config: default.fuzz.runs = 64
    function testFuzz_long_prompts(uint16 length, bytes1 unit, bytes1 last) public {
        bytes memory prompt = new bytes(length % 520);
        for (uint256 i = 0; i < prompt.length; ++i) {
            prompt[i] = i % 7 == 6 ? last : unit;
        }
        _assertSame(string(prompt));
    }

    function _assertSame(string memory prompt) private {
        (bool taken, bytes memory found) = address(this).call(abi.encodeCall(this.tokens, (prompt)));
        bytes memory question = abi.encodeCall(_plain.tokenize, (bytes(prompt), _symbols()));
        (bool expectedTaken, bytes memory expected) = address(_plain).call(question);
        assertEq(taken, expectedTaken, prompt);
        assertEq(found, expected, prompt);
    }
}
