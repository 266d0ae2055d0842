// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {TextEncoder} from "../../src/encoding/TextEncoder.sol";
import {ToolDecoder} from "../../src/encoding/ToolDecoder.sol";
import {ToolMatching} from "../../src/encoding/ToolMatching.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {AgentIterationResult} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {PlainDecoder} from "../reference/PlainDecoder.sol";
import {BookAgent, NamedTool} from "./EncodingFakes.sol";
import {EncodingWorld} from "./EncodingWorld.sol";

/// @dev Outputs in which any candidate may fill any slot, and the action is View or Send.
contract AmbiguityTest is EncodingWorld {
    string private constant BOB = "0x0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b";
    string private constant EVE = "0x0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e";

    TextEncoder private _encoder = new TextEncoder(_textChunks(), TEXT_ROWS, data, LOCAL_ROWS);
    ToolDecoder private _decoder = new ToolDecoder(data, LOCAL_ROWS);
    PlainDecoder private _plain = new PlainDecoder(data, LOCAL_ROWS);
    IERCAgentTool private _view;
    IERCAgentTool private _send;

    function setUp() public {
        IERCAgentTool.ParamType[] memory types = new IERCAgentTool.ParamType[](1);
        types[0] = IERCAgentTool.ParamType.ADDRESS;
        _view = new NamedTool("View", types);
        types = new IERCAgentTool.ParamType[](3);
        types[0] = IERCAgentTool.ParamType.ADDRESS;
        types[1] = IERCAgentTool.ParamType.UINT;
        types[2] = IERCAgentTool.ParamType.ADDRESS;
        _send = new NamedTool("Send", types);
    }

    function test_what_is_named_once_is_sent() public view {
        _assertSent(string.concat("send 5 USDC to ", BOB));
        _assertSent(string.concat("send 5usdc to ", BOB));
        _assertSent(string.concat("send 5 USDC to ", BOB, ' "7 weth, 5k" x5'));
    }

    function test_two_numbers_are_asked_about() public view {
        _assertAsked(string.concat("send 5 USDC and 7 to ", BOB));
        _assertAsked(string.concat("send 5 USDC, 5, to ", BOB));
    }

    function test_two_addresses_are_asked_about() public view {
        _assertAsked(string.concat("send 5 USDC to ", BOB, " or ", EVE));
        _assertAsked(string.concat("send 5 USDC to ", BOB, " ", BOB));
    }

    function test_symbols_are_compared_by_what_they_stand_for() public {
        _assertSent(string.concat("send 5 USDC, usdc, uSdC to ", BOB));
        _assertAsked(string.concat("send 5 USDC or weth to ", BOB));
        Context memory c = _context(string.concat("send 5 usdc or usd2 to ", BOB));
        bytes memory entries = abi.encodePacked(bytes11("usdc"), uint8(6), usdc);
        entries = bytes.concat(entries, abi.encodePacked(bytes11("usd2"), uint8(6), usdc));
        c.agent = address(new BookAgent(entries));
        assertFalse(_decide(c, 1).isFinalAnswer, "two symbols of one token");
    }

    function test_all_six_candidates_are_looked_at() public view {
        _assertSent(string.concat("5 usdc Usdc USdc USDc ", BOB));
        _assertAsked(string.concat("5 usdc Usdc USdc weth ", BOB));
        _assertAsked(string.concat("5 ", BOB, " usdc Usdc USdc weth"));
        _assertAsked(string.concat("5 ", BOB, " usdc Usdc USdc 6"));
        _assertAsked(string.concat(BOB, " 5 usdc Usdc USdc ", BOB));
    }

    function test_digits_that_are_no_amount_are_asked_about() public view {
        string[6] memory others = ["5k", "$5", "0x12", "50%", "1,000", "5.5.5"];
        for (uint256 i = 0; i < others.length; ++i) {
            _assertAsked(string.concat("send 5 USDC to ", BOB, " ", others[i]));
            _assertAsked(string.concat(others[i], " send 5 USDC to ", BOB));
        }
    }

    function test_words_of_other_languages_are_asked_about() public view {
        _assertAsked(string.concat("envia 5 USDC to ", BOB));
        _assertAsked(string.concat("send 5 USDC to ", BOB, ", a withdraw Nicht"));
        _assertSent(string.concat("envios 5 USDC to ", BOB));
        _assertSent(string.concat("send 5 USDC to ", BOB, ' "nicht"'));
        _assertSent(string.concat("envia", BOB, " send 5 USDC to ", BOB));
    }

    function test_clauses_with_two_more_unknown_words_than_known_are_asked_about() public view {
        _assertAsked(string.concat("grok 5 USDC zorb ", BOB));
        _assertAsked(string.concat("send a deposit to. a? withdraw! grok quux 5 zorb USDC, ", BOB));
        _assertSent(string.concat("grok 5 USDC ", BOB));
        _assertSent(string.concat("grok 5 USDC to ", BOB, " zorb"));
        _assertSent(string.concat("grok zorb, 5 USDC to ", BOB));
        _assertSent(string.concat("5 USDC to ", BOB, ' grok "zorb" zorb'));
    }

    function test_an_action_without_an_amount_is_not_asked_about() public view {
        Context memory c = _context(string.concat("envia 5 7 5k USDC weth ", BOB));
        assertEq(address(_decide(c, 0).tool), address(_view));
    }

    function test_the_tool_comes_first_and_the_arguments_later() public {
        Context memory c = _context("5 and 7");
        assertEq(_decide(c, 1).finalAnswer, "ask");
        c.prompt = "5";
        assertEq(_decide(c, 1).finalAnswer, "to whom?");
        c.prompt = "5 and 7";
        c.tools[1] = _view;
        assertEq(_decide(c, 1).finalAnswer, "no Send");
        (c.tools[0], c.tools[1]) = (_send, _send);
        (, bytes memory parse) = _encoder.encode(c);
        vm.expectRevert(abi.encodeWithSelector(ToolMatching.DuplicateTool.selector, "Send"));
        _decoder.decode(c, parse, _output(1));
    }

    function testFuzz_few_pieces_are_decided_as_the_plain_decoder_does(uint256 seed) public view {
        _decide(_context(_arguments(seed)), 1);
    }

    /// @dev The pieces are likely enough to make up both kinds.
    function test_both_kinds_of_prompts_are_met() public view {
        uint256 asked = 0;
        uint256 sent = 0;
        for (uint256 i = 0; i < 100; ++i) {
            AgentIterationResult memory found = _decide(_context(_arguments(i)), 1);
            if (!found.isFinalAnswer) ++sent;
            else if (keccak256(bytes(found.finalAnswer)) == keccak256("ask")) ++asked;
        }
        assertGt(asked, 20);
        assertGt(sent, 20);
    }

    /// @dev A number, a symbol and an address in some order, often with up to three pieces more.
    function _arguments(uint256 seed) private pure returns (string memory prompt) {
        string[8] memory pieces = ["5", "USDC", BOB, "usdc", "uSDC", "weth", EVE, "5x"];
        uint256 h = uint256(keccak256(abi.encode(seed)));
        for (uint256 i = 0; i < 3; ++i) {
            prompt = string.concat(prompt, " ", pieces[(h + i) % 3]);
            if ((h >> (8 + i)) & 1 == 1) continue;
            uint256 piece = (h >> (16 + 8 * i)) & 0x1f;
            prompt = string.concat(prompt, " ", piece < 8 ? pieces[piece] : pieces[3]);
        }
    }

    function _assertSent(string memory prompt) private view {
        AgentIterationResult memory found = _decide(_context(prompt), 1);
        assertEq(address(found.tool), address(_send), prompt);
        assertEq(found.toolInput.params[1].value, abi.encode(5_000_000), prompt);
    }

    function _assertAsked(string memory prompt) private view {
        AgentIterationResult memory found = _decide(_context(prompt), 1);
        assertTrue(found.isFinalAnswer, prompt);
        assertEq(found.finalAnswer, "ask", prompt);
    }

    function _context(string memory prompt) private view returns (Context memory c) {
        c.agent = address(agent);
        c.prompt = prompt;
        c.tools = new IERCAgentTool[](2);
        (c.tools[0], c.tools[1]) = (_view, _send);
    }

    /// @dev What both decoders say.
    function _decide(Context memory c, uint256 action)
        private
        view
        returns (AgentIterationResult memory found)
    {
        (, bytes memory parse) = _encoder.encode(c);
        found = _decoder.decode(c, parse, _output(action));
        AgentIterationResult memory plain = _plain.decode(c, parse, _output(action));
        assertEq(abi.encode(found), abi.encode(plain), c.prompt);
    }

    function _output(uint256 action) private pure returns (bytes memory packed) {
        for (uint256 i = 0; i < 26; ++i) {
            bool high = i == action || i >= 8;
            packed = bytes.concat(packed, bytes8(uint64(high ? 1 : 0)));
        }
    }
}
