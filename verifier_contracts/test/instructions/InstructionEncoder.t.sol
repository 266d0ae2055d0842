// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../../src/encoding/ModelData.sol";
import {PromptText} from "../../src/encoding/PromptText.sol";
import {Tokenizer} from "../../src/encoding/Tokenizer.sol";
import {InstructionEncoder} from "../../src/instructions/InstructionEncoder.sol";
import {Kinds} from "../../src/instructions/Kinds.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {PackedBook} from "./InstructionHarness.sol";
import {InstructionWorld} from "./InstructionWorld.sol";

contract InstructionEncoderTest is InstructionWorld {
    function test_words_are_found_whole_then_by_their_parts() public view {
        _assertCodes("Send", bytes6(uint48(PRESENT + 0x100)));
        _assertCodes("deposit", bytes6(uint48(PRESENT + 0x101)));
        _assertCodes("depoing", bytes6(uint48(PRESENT + 0x101)));
        _assertCodes("lending", bytes6(uint48(PRESENT + 0x102)));
        _assertCodes(".", bytes6(uint48(PRESENT + 0x103)));
        _assertCodes("ing", bytes6(uint48(PRESENT)));
        _assertCodes("..", bytes6(uint48(PRESENT)));
        _assertCodes("nobody", bytes6(uint48(PRESENT)));
    }

    function test_other_tokens_have_the_code_of_their_kind() public view {
        _assertCodes("5", _kind(Kinds.DIGITS));
        _assertCodes("one", _kind(Kinds.ONE));
        _assertCodes("usdc", _kind(Kinds.SYMBOL));
        _assertCodes("Bob", _kind(Kinds.CONTACT));
        _assertCodes("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", _kind(Kinds.SYMBOL));
        _assertCodes("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb49", _kind(Kinds.ADDRESS));
        _assertCodes("2pm", _kind(Kinds.DOUBT));
    }

    function test_words_of_other_languages_are_in_doubt() public view {
        (bytes6 unknown, bytes6 doubt) = (_kind(Kinds.WORD), _kind(Kinds.DOUBT));
        (bytes6 five, bytes6 depo) = (_kind(Kinds.DIGITS), bytes6(uint48(PRESENT + 0x101)));
        _assertCodes("Envia", doubt);
        _assertCodes("envios", unknown);
        _assertCodes("grok zorb nicht", bytes.concat(unknown, unknown, doubt));
        _assertCodes("grok 5 zorb", bytes.concat(doubt, five, unknown));
        _assertCodes("grok bob depoxx", bytes.concat(doubt, _kind(Kinds.CONTACT), depo));
        _assertCodes("grok zorb", bytes.concat(unknown, unknown));
        bytes memory stop = abi.encodePacked(uint48(PRESENT + 0x103));
        _assertCodes("grok 5. zorb", bytes.concat(unknown, five, stop, unknown));
    }

    function test_codes_stand_in_order_and_zeros_behind_them() public view {
        (bytes memory features,) = _encode("send 5 usdc.");
        bytes memory codes = abi.encodePacked(
            uint48(PRESENT + 0x100),
            _kind(Kinds.DIGITS),
            _kind(Kinds.SYMBOL),
            uint48(PRESENT + 0x103),
            new bytes(26 * 6)
        );
        assertEq(features, codes);
    }

    function test_the_parse_begins_with_the_books_and_the_number_of_tokens() public view {
        (, bytes memory parse) = _encode("send, send");
        address book = PackedBook(agent.contactBook()).pointer();
        assertEq(parse, abi.encode(agent.pointer(), book, 3));
    }

    // Readings

    function test_readings_are_given_with_what_rests_on_them() public view {
        (bytes memory features, bytes memory parse, bytes32 found) = _encodeWhole();
        assertEq(found, encoder.readings(address(agent)));
        (bytes memory two, bytes memory results) = _encode("send 5 usdc to bob");
        assertEq(abi.encode(features, parse), abi.encode(two, results));
    }

    function _encodeWhole() private view returns (bytes memory, bytes memory, bytes32) {
        Context memory c;
        (c.agent, c.prompt) = (address(agent), "send 5 usdc to bob");
        (, bytes memory found) = address(encoder).staticcall(abi.encodeCall(encoder.encode, (c)));
        return abi.decode(found, (bytes, bytes, bytes32));
    }

    function test_another_book_has_other_readings() public {
        bytes32 found = encoder.readings(address(agent));
        bytes32[5] memory others;
        others[0] = _readingsWith(agent.contactBook(), "pointer()", address(0x1));
        others[1] = _readingsWith(address(agent), "pointer()", address(0x1));
        others[2] = _readingsWith(address(agent), "contactBook()", address(0));
        PackedBook copy =
            new PackedBook(abi.encodePacked(bytes11("bob"), bytes1(0), address(0xb0b)));
        others[3] = _readingsWith(address(agent), "contactBook()", address(copy));
        others[4] = _readingsWith(address(agent), "pointer()", copy.pointer());
        for (uint256 i = 0; i < 5; ++i) {
            assertNotEq(others[i], found);
            for (uint256 j = 0; j < i; ++j) {
                assertNotEq(others[i], others[j]);
            }
        }
        assertEq(encoder.readings(address(agent)), found);
    }

    /// @dev A book of no code is one without entries, until somebody deploys there.
    function test_code_that_comes_to_be_where_a_book_points_changes_the_readings() public {
        address empty = makeAddr("empty");
        for (uint256 i = 0; i < 2; ++i) {
            address by = i == 0 ? address(agent) : agent.contactBook();
            vm.mockCall(by, abi.encodeWithSignature("pointer()"), abi.encode(empty));
            bytes32 found = encoder.readings(address(agent));
            vm.etch(empty, hex"00");
            assertNotEq(encoder.readings(address(agent)), found);
            vm.etch(empty, "");
            assertEq(encoder.readings(address(agent)), found);
            vm.clearMockedCalls();
        }
    }

    function _readingsWith(address by, string memory signature, address answer)
        private
        returns (bytes32 found)
    {
        vm.mockCall(by, abi.encodeWithSignature(signature), abi.encode(answer));
        found = encoder.readings(address(agent));
        vm.clearMockedCalls();
    }

    function test_30_tokens_are_read_and_31_are_not() public {
        string memory prompt = "send";
        for (uint256 i = 1; i < 30; ++i) {
            prompt = string.concat(prompt, " 5x");
        }
        (bytes memory features, bytes memory parse) = _encode(prompt);
        assertEq(features.length, 180);
        assertEq(parse.length, 32 * (3 + 29));
        vm.expectRevert(abi.encodeWithSelector(Tokenizer.TooManyTokens.selector, 30));
        this.encode(string.concat(prompt, " 5"));
    }

    function test_what_cannot_be_read_is_refused() public {
        vm.expectRevert(Tokenizer.EmptyPrompt.selector);
        this.encode("  ");
        vm.expectRevert(abi.encodeWithSelector(PromptText.PromptNotAscii.selector, 1));
        this.encode("a\n");
        vm.expectRevert(abi.encodeWithSelector(PromptText.PromptTooLong.selector, 513, 512));
        this.encode(string(new bytes(513)));
        vm.expectRevert(abi.encodeWithSelector(Tokenizer.AddressChecksum.selector, 2));
        this.encode("a 0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
    }

    function test_many_buts_are_read_to_the_end() public view {
        string memory prompt = "all but all but all but all but all but all but all but all but ";
        prompt = string.concat(prompt, "all but all but all but all but all but 5usdc");
        (, bytes memory parse) = _encode(prompt);
        assertEq(parse.length, 32 * (3 + 13 + 2));
    }

    function test_a_vocabulary_has_one_to_eight_whole_contracts() public {
        new InstructionEncoder(_chunks(8), _kinds());
        bytes4 outOfRange = InstructionEncoder.ChunkCountOutOfRange.selector;
        address[] memory chunks = _chunks(9);
        vm.expectRevert(abi.encodeWithSelector(outOfRange, 9, 8));
        new InstructionEncoder(chunks, _kinds());
        vm.expectRevert(abi.encodeWithSelector(outOfRange, 0, 8));
        new InstructionEncoder(new address[](0), _kinds());
        chunks = _chunks(2);
        chunks[1] = address(agent);
        uint256 length = address(agent).code.length;
        bytes4 tooShort = ModelData.DataTooShort.selector;
        vm.expectRevert(abi.encodeWithSelector(tooShort, chunks[1], 1 + 32 * 767, length));
        new InstructionEncoder(chunks, _kinds());
    }

    function encode(string memory prompt) external view {
        _encode(prompt);
    }

    function _kind(uint256 kind) private pure returns (bytes6) {
        return bytes6(uint48(PRESENT + kind));
    }

    function _assertCodes(string memory prompt, bytes6 code) private view {
        _assertCodes(prompt, abi.encodePacked(code));
    }

    function _assertCodes(string memory prompt, bytes memory codes) private view {
        (bytes memory features,) = _encode(prompt);
        assertEq(features, bytes.concat(codes, new bytes(180 - codes.length)), prompt);
    }
}

