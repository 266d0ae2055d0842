// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Scores} from "../../src/encoding/Scores.sol";
import {Strangers} from "../../src/encoding/Strangers.sol";
import {TextEncoder} from "../../src/encoding/TextEncoder.sol";
import {Texts} from "../../src/encoding/Texts.sol";
import {ToolDecoder} from "../../src/encoding/ToolDecoder.sol";
import {ToolMatching} from "../../src/encoding/ToolMatching.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {Decimals} from "../../src/libraries/Decimals.sol";
import {PlainDecoder} from "../reference/PlainDecoder.sol";
import {NamedTool} from "./EncodingFakes.sol";
import {EncodingWorld} from "./EncodingWorld.sol";
import {HalfTool, Stranger} from "./Strangers.sol";

/// @dev Returns whatever it is told to.
contract StrangeTool {
    bytes private _answer;

    constructor(bytes memory answer) {
        _answer = answer;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        return _answer;
    }
}

contract ToolDecoderTest is EncodingWorld {
    TextEncoder private _encoder = new TextEncoder(_textChunks(), TEXT_ROWS, data, LOCAL_ROWS);
    ToolDecoder private _decoder = new ToolDecoder(data, LOCAL_ROWS);
    PlainDecoder private _plain = new PlainDecoder(data, LOCAL_ROWS);
    IERCAgentTool[] private _tools;
    uint256 private constant WAYS = 9;

    function setUp() public {
        IERCAgentTool.ParamType[] memory types = new IERCAgentTool.ParamType[](1);
        types[0] = IERCAgentTool.ParamType.ADDRESS;
        _tools.push(new NamedTool("View", types));
        types = new IERCAgentTool.ParamType[](3);
        types[0] = IERCAgentTool.ParamType.ADDRESS;
        types[1] = IERCAgentTool.ParamType.UINT;
        types[2] = IERCAgentTool.ParamType.ADDRESS;
        _tools.push(new NamedTool("Send", types));
        _tools.push(new NamedTool("Else", types));
    }

    function testFuzz_decisions_are_those_of_the_plain_decoder(
        uint8[8] calldata choices,
        int8[26] calldata scores,
        uint8 history
    ) public view {
        Context memory c = _context(choices, history);
        // What the encoder refuses is for its own tests.
        try _encoder.encode(c) returns (bytes memory, bytes memory) {
            _assertSame(c, _output(scores));
        } catch {}
    }

    function testFuzz_sending_an_observed_amount(uint8 source, uint8 history) public view {
        uint8[8] memory choices = [64, 90, 64, 69, 64, 64, 64, 64]; // ... an address ... USDC ...
        int8[26] memory scores;
        scores[1] = 1; // Send
        scores[5 + source % 3] = 1;
        for (uint256 i = 8; i < 26; ++i) {
            scores[i] = 1;
        }
        _assertSame(_context(choices, history), _output(scores));
    }

    function test_a_call_carries_values_and_the_text_that_is_read_back_later() public view {
        Context memory c = _context([64, 64, 64, 64, 64, 64, 64, 64], 0);
        c.prompt = "send 12.5 USDC to 0x00000000000000000000000000000000000000ab";
        (, bytes memory parse) = _encoder.encode(c);
        int8[26] memory scores;
        scores[1] = 1;
        (scores[8 + 1], scores[8 + 3], scores[8 + 6 + 2]) = (1, 1, 1);
        AgentIterationResult memory result = _decoder.decode(c, parse, _output(scores));
        assertFalse(result.isFinalAnswer);
        assertEq(address(result.tool), address(_tools[1]));
        assertEq(result.toolInput.params.length, 3);
        assertEq(uint8(result.toolInput.params[1].paramType), uint8(IERCAgentTool.ParamType.UINT));
        assertEq(result.toolInput.params[1].value, abi.encode(12_500_000));
        assertEq(result.toolInput.abiEncodedParams, abi.encode(0xab, 12_500_000, usdc));
        string memory body =
            '{"to":"0x00000000000000000000000000000000000000ab","amount":"12.5","asset":"USDC"}';
        assertEq(result.agentReasoning, string.concat(_prefix("Send"), body, "\n"));
    }

    function test_several_tools_of_the_name_are_refused() public {
        Context memory c = _context([64, 64, 64, 64, 64, 64, 64, 64], 3);
        (, bytes memory parse) = _encoder.encode(c);
        int8[26] memory scores;
        scores[0] = 1;
        vm.expectRevert(abi.encodeWithSelector(ToolMatching.DuplicateTool.selector, "View"));
        _decoder.decode(c, parse, _output(scores));
    }

    function test_an_output_of_another_length_is_refused() public {
        Context memory c = _context([64, 64, 64, 64, 64, 64, 64, 64], 0);
        (, bytes memory parse) = _encoder.encode(c);
        vm.expectRevert(abi.encodeWithSelector(Scores.OutputLength.selector, 208, 207));
        _decoder.decode(c, parse, new bytes(207));
    }

    function test_a_parse_of_another_context_is_refused() public {
        Context memory c = _context([64, 64, 64, 64, 64, 64, 64, 69], 0);
        (, bytes memory parse) = _encoder.encode(c);
        int8[26] memory scores;
        scores[0] = 1;
        scores[8] = 1;
        c.prompt = "short";
        uint256 length = bytes(c.prompt).length;
        vm.expectPartialRevert(Texts.ForeignParse.selector);
        _decoder.decode(c, parse, _output(scores));
        vm.expectRevert(abi.encodeWithSelector(Texts.ForeignParse.selector, 0, 128, length));
        _decoder.decode(c, bytes(c.prompt), _output(scores));
    }

    function test_tools_that_answer_nonsense_are_passed_over() public {
        bytes[5] memory answers = [
            bytes(""),
            abi.encode(uint256(32)),
            abi.encode(type(uint256).max, 4, bytes4("View")),
            abi.encode(uint256(32), type(uint256).max),
            abi.encode(uint256(64), 5)
        ];
        Context memory c = _context([64, 64, 64, 64, 64, 64, 64, 69], 0);
        (, bytes memory parse) = _encoder.encode(c);
        int8[26] memory scores;
        scores[0] = 1;
        for (uint256 i = 0; i < answers.length; ++i) {
            c.tools[2] = IERCAgentTool(address(new StrangeTool(answers[i])));
            assertEq(_said(c, parse, _output(scores)), "which asset?");
            (c.tools[0], c.tools[2]) = (c.tools[2], c.tools[0]);
            assertEq(_said(c, parse, _output(scores)), "which asset?");
            c.tools[2] = c.tools[0];
            assertEq(_said(c, parse, _output(scores)), "no View");
            c.tools[0] = _tools[0];
        }
    }

    function test_tools_that_do_not_answer_are_passed_over() public {
        Context memory c = _context([64, 64, 64, 64, 64, 64, 64, 69], 0);
        (, bytes memory parse) = _encoder.encode(c);
        int8[26] memory scores;
        scores[0] = 1;
        for (uint256 way = 0; way <= WAYS; ++way) {
            address stranger = way == WAYS ? makeAddr("nobody") : address(new Stranger(way));
            c.tools[2] = IERCAgentTool(stranger);
            assertEq(_said(c, parse, _output(scores)), "which asset?");
            c.tools[0] = IERCAgentTool(stranger);
            assertEq(_said(c, parse, _output(scores)), "no View");
            c.tools[0] = IERCAgentTool(address(new HalfTool("View", way)));
            assertEq(_said(c, parse, _output(scores)), "no View");
            c.tools[2] = _tools[0]; // its name is taken, whatever it takes
            vm.expectRevert(abi.encodeWithSelector(ToolMatching.DuplicateTool.selector, "View"));
            _decoder.decode(c, parse, _output(scores));
            (c.tools[0], c.tools[2]) = (_tools[0], _tools[2]);
        }
    }

    function test_less_gas_than_an_answer_may_take_asks_nobody() public {
        Context memory c = _context([64, 64, 64, 64, 64, 64, 64, 69], 0);
        (, bytes memory parse) = _encoder.encode(c);
        int8[26] memory scores;
        scores[0] = 1;
        bytes memory question = abi.encodeCall(_decoder.decode, (c, parse, _output(scores)));
        for (uint256 gas_ = 10_000; gas_ < 400_000; gas_ += 7919) {
            (bool ok, bytes memory found) = address(_decoder).staticcall{gas: gas_}(question);
            if (ok) {
                assertEq(abi.decode(found, (AgentIterationResult)).finalAnswer, "which asset?");
            } else if (found.length != 0) {
                assertEq(bytes4(found), Strangers.TooLittleGas.selector);
            }
        }
    }

    function test_an_amount_may_be_signed_where_it_fits() public {
        IERCAgentTool.ParamType[] memory types = new IERCAgentTool.ParamType[](3);
        types[0] = IERCAgentTool.ParamType.ADDRESS;
        types[1] = IERCAgentTool.ParamType.INT;
        types[2] = IERCAgentTool.ParamType.ADDRESS;
        IERCAgentTool signed = new NamedTool("Send", types);
        uint256 most = uint256(type(int256).max);
        Context memory c = _sending(most / 1e18, signed);
        AgentIterationResult memory found = _sent(c);
        assertEq(address(found.tool), address(signed));
        assertEq(uint256(found.toolInput.params[1].paramType), uint256(types[1]));
        assertEq(found.toolInput.params[1].value, abi.encode(most / 1e18 * 1e18));
        c = _sending(most / 1e18 + 1, signed);
        string memory text = vm.toString(most / 1e18 + 1);
        vm.expectRevert(abi.encodeWithSelector(Decimals.AmountTooLarge.selector, text));
        this.sent(c);
        c = _sending(most / 1e18 + 1, _tools[1]);
        assertEq(uint256(_sent(c).toolInput.params[1].paramType), 4);
    }

    function test_a_number_alone_counts_the_smallest_units_of_what_was_viewed() public view {
        string[3] memory names = ["weth", "WETH", vm.toString(address(listed))];
        for (uint256 i = 0; i < names.length; ++i) {
            AgentIterationResult memory found = _observed(_viewed(names[i], "0012345"));
            assertEq(found.toolInput.params[1].value, abi.encode(12_345));
            string memory reasoning = string.concat(
                _prefix("Send"),
                '{"to":"',
                vm.toString(usdc),
                '","amount":"0.000000000000012345","asset":"weth"}\n'
            );
            assertEq(found.agentReasoning, reasoning);
        }
        assertEq(_observed(_viewed("weth", "0")).finalAnswer, "zero");
    }

    function test_a_number_alone_is_of_nothing_else() public view {
        string[8] memory told = [
            _viewed("usdc", "12345"),
            _viewed("dai", "12345"),
            _viewed(vm.toString(address(unlisted)), "12345"),
            _viewed("weth", "123.45"),
            _viewed("weth", "12345."),
            _viewed("weth", ""),
            _viewed("weth", "12345 "),
            string.concat(_prefix("View"), "{}\nObservation: The balance is: 12345\n")
        ];
        for (uint256 i = 0; i < told.length; ++i) {
            assertEq(_observed(told[i]).finalAnswer, "unreadable", told[i]);
        }
    }

    /// @dev All of the pool's balance, as this entry tells it, in weth.
    function _observed(string memory entry) private view returns (AgentIterationResult memory) {
        Context memory c = _sending(1, _tools[1]);
        c.prompt = string.concat("send it weth ", vm.toString(usdc));
        c.agentReasoning = new string[](1);
        c.agentReasoning[0] = entry;
        int8[26] memory scores;
        (scores[1], scores[6]) = (1, 1);
        (scores[8], scores[13]) = (1, 1);
        return _decided(c, scores);
    }

    function sent(Context memory c) external view returns (AgentIterationResult memory) {
        return _sent(c);
    }

    function _sent(Context memory c) private view returns (AgentIterationResult memory) {
        int8[26] memory scores;
        (scores[1], scores[5]) = (1, 1);
        (scores[9], scores[11], scores[16]) = (1, 1, 1);
        return _decided(c, scores);
    }

    function _decided(Context memory c, int8[26] memory scores)
        private
        view
        returns (AgentIterationResult memory)
    {
        (, bytes memory parse) = _encoder.encode(c);
        return _decoder.decode(c, parse, _output(scores));
    }

    /// @dev An amount of weth, and whom it is for.
    function _sending(uint256 amount, IERCAgentTool tool) private view returns (Context memory c) {
        c.agent = address(agent);
        c.prompt = string.concat("send ", vm.toString(amount), " weth ", vm.toString(usdc));
        c.tools = new IERCAgentTool[](1);
        c.tools[0] = tool;
    }

    function _viewed(string memory asset, string memory number)
        private
        pure
        returns (string memory)
    {
        return string.concat(
            _prefix("View"), '{"asset":"', asset, '"}\nObservation: The balance is: ', number, "\n"
        );
    }

    function _said(Context memory c, bytes memory parse, bytes memory output)
        private
        view
        returns (string memory)
    {
        return _decoder.decode(c, parse, output).finalAnswer;
    }

    function _context(uint8[8] memory choices, uint8 history)
        private
        view
        returns (Context memory c)
    {
        bytes memory seed = new bytes(8);
        for (uint256 i = 0; i < 8; ++i) {
            seed[i] = bytes1(choices[i]);
        }
        c.agent = address(agent);
        c.prompt = string.concat("now ", _prompt(seed));
        c.tools = _tools;
        if (history % 4 == 3) c.tools[2] = c.tools[history / 4 % 2];
        c.agentReasoning = new string[](3);
        if (history % 8 > 0) c.agentReasoning[1] = _entry(history / 8);
    }

    function _entry(uint8 choice) private view returns (string memory) {
        string memory text = choice % 2 == 0
            ? "The balance is: 12.5 USDC in the pool, 0.00 usdc in the wallet"
            : string.concat("The balance is: 07 ", vm.toString(address(unlisted)));
        if (choice % 16 == 15) text = unicode"§ {name}";
        string memory prefix = _prefix(choice % 8 == 7 ? "Send" : "View");
        return string.concat(prefix, "{}\nObservation: ", text, "\n");
    }

    function _output(int8[26] memory scores) private pure returns (bytes memory packed) {
        for (uint256 i = 0; i < 26; ++i) {
            packed = bytes.concat(packed, bytes8(uint64(int64(scores[i]))));
        }
    }

    function _assertSame(Context memory c, bytes memory output) private view {
        (, bytes memory parse) = _encoder.encode(c);
        bytes memory question = abi.encodeCall(_decoder.decode, (c, parse, output));
        (bool ok, bytes memory found) = address(_decoder).staticcall(question);
        (bool expectedOk, bytes memory expected) = address(_plain).staticcall(question);
        assertEq(ok, expectedOk, c.prompt);
        assertEq(found, expected, c.prompt);
        if (ok) abi.decode(found, (AgentIterationResult));
    }
}
