// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {ContextCalls} from "../../src/executor/ContextCalls.sol";
import {IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IDecoder} from "../../src/interfaces/IDecoder.sol";
import {Context, IEncoder} from "../../src/interfaces/IEncoder.sol";
import {
    AgentIterationResult,
    IERCAgentExecutor
} from "../../src/interfaces/erc/IERCAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";

/// @dev Returns what it is told to, whatever is asked.
contract Parrot {
    bytes private _words;

    function teach(bytes memory words) external {
        _words = words;
    }

    fallback() external {
        bytes memory words = _words;
        assembly ("memory-safe") {
            return(add(words, 32), mload(words))
        }
    }
}

/// @dev A head that points behind the end of what is returned.
contract Cut {
    fallback(bytes calldata) external returns (bytes memory) {
        return abi.encode(96, 96, bytes32("readings"));
    }
}

/// @dev Says back what it got, as the features.
contract Mirror {
    fallback(bytes calldata sent) external returns (bytes memory) {
        return abi.encode(sent, bytes(""));
    }
}

/// @dev Says back what it got, decoded and encoded again by the compiler's code.
contract Echo is IEncoder, IDecoder {
    function encode(Context calldata c) external pure returns (bytes memory, bytes memory) {
        return (abi.encode(c), abi.encode(keccak256(abi.encode(c))));
    }

    function decode(Context calldata c, bytes calldata parse, bytes calldata output)
        external
        pure
        returns (AgentIterationResult memory result)
    {
        result.tool = IERCAgentTool(c.agent);
        result.agentReasoning = string(abi.encode(c));
        result.toolInput.abiEncodedParams = abi.encode(parse, output);
        result.toolInput.params = new IERCAgentTool.ParamValue[](1);
        result.toolInput.params[0] = IERCAgentTool.ParamValue(IERCAgentTool.ParamType.UINT, output);
    }
}

/// @dev The library in place of the executor.
contract ContextCallsUser {
    address private immutable _encoder;
    address private immutable _decoder;
    bytes private _output;

    constructor(address encoder, address decoder, bytes memory output) {
        (_encoder, _decoder, _output) = (encoder, decoder, output);
    }

    function runNextIteration(
        string calldata,
        string calldata,
        IERCAgentTool[] calldata,
        string[] calldata,
        string calldata
    ) external view returns (AgentIterationResult memory) {
        (uint256 start, uint256 size,) = _decision();
        assembly ("memory-safe") {
            return(start, size)
        }
    }

    function callOf(
        string calldata,
        string calldata,
        IERCAgentTool[] calldata,
        string[] calldata,
        string calldata
    ) external view returns (address tool, bytes memory params, bytes memory features) {
        uint256 start;
        uint256 size;
        (start, size, features) = _decision();
        (tool, params) = ContextCalls.callIn(_decoder, start, size);
    }

    function _decision() private view returns (uint256 start, uint256 size, bytes memory features) {
        uint256 context = ContextCalls.open(msg.sender);
        bytes memory parse;
        (features, parse,) = ContextCalls.encode(context, _encoder);
        (start, size) = ContextCalls.decode(context, _decoder, parse, _output);
    }
}

contract ContextCallsTest is Test {
    struct Arguments {
        string modelId;
        string basePrompt;
        IERCAgentTool[] tools;
        string[] reasoning;
        string prompt;
    }

    Echo private echo = new Echo();

    function contextOf(Arguments memory a) private view returns (Context memory) {
        return Context(address(this), a.basePrompt, a.tools, a.reasoning, a.prompt);
    }

    function readingsOf(bytes memory returned) private returns (bytes32) {
        Parrot parrot = new Parrot();
        parrot.teach(returned);
        return this.readingsBy(address(parrot));
    }

    function readingsBy(address encoder) external view returns (bytes32 readings) {
        (,, readings) = ContextCalls.encode(ContextCalls.open(address(this)), encoder);
    }

    function test_readings_are_the_third_word_of_a_head_that_has_one() public {
        bytes32 r = keccak256("readings");
        assertEq(readingsOf(abi.encode("x", "parse", r)), r);
        assertEq(readingsOf(abi.encode("x", "parse")), 0);
        assertEq(readingsOf(bytes.concat(abi.encode("x", "parse"), r)), 0);
        address cut = address(new Cut());
        vm.expectPartialRevert(IAgentExecutor.MalformedReturn.selector);
        this.readingsBy(cut);
    }

    function testFuzz_encoder_and_decoder_get_the_context_that_the_compiler_would_send(
        Arguments memory a,
        bytes memory output
    ) public {
        ContextCallsUser user = new ContextCallsUser(address(echo), address(echo), output);
        (address tool, bytes memory params, bytes memory features) =
            user.callOf(a.modelId, a.basePrompt, a.tools, a.reasoning, a.prompt);
        bytes memory context = abi.encode(contextOf(a));
        assertEq(features, context);
        assertEq(tool, address(this));
        assertEq(params, abi.encode(abi.encode(keccak256(context)), output));
        AgentIterationResult memory result =
            user.runNextIteration(a.modelId, a.basePrompt, a.tools, a.reasoning, a.prompt);
        assertEq(bytes(result.agentReasoning), context);
        assertEq(result.toolInput.abiEncodedParams, params);
        assertEq(result.toolInput.params[0].value, output);
    }

    /// @dev The compiler's decoder is the reference: what it refuses, or reads otherwise, must be
    ///   refused.
    function readPlainly(bytes calldata data) external pure returns (address, bytes memory) {
        AgentIterationResult memory result = abi.decode(data, (AgentIterationResult));
        if (result.isFinalAnswer) return (address(0), "");
        return (address(result.tool), result.toolInput.abiEncodedParams);
    }

    function read(bytes memory data) external pure returns (address, bytes memory) {
        uint256 start;
        assembly ("memory-safe") {
            start := add(data, 32)
        }
        return ContextCalls.callIn(address(1), start, data.length);
    }

    function agrees(bytes memory data) private view {
        try this.readPlainly(data) returns (address tool, bytes memory params) {
            (address found, bytes memory foundParams) = this.read(data);
            assertEq(found, tool);
            assertEq(foundParams, params);
        } catch {
            // What the agent could not decode fails there; nothing else may come of it.
            try this.read(data) {}
            catch (bytes memory reason) {
                assertEq(bytes4(reason), IAgentExecutor.MalformedReturn.selector);
            }
        }
    }

    function testFuzz_a_decision_is_read_as_the_compiler_reads_it(
        bool isFinal,
        address tool,
        bytes memory params,
        string memory text,
        uint256 place,
        uint256 word,
        uint256 cut
    ) public view {
        AgentIterationResult memory result;
        (result.isFinalAnswer, result.finalAnswer) = (isFinal, text);
        (result.tool, result.agentReasoning) = (IERCAgentTool(tool), text);
        result.toolInput.abiEncodedParams = params;
        bytes memory data = abi.encode(result);
        agrees(data);
        place = bound(place, 0, data.length / 32 - 1);
        word = word % 3 == 0 ? word : bound(word, 0, data.length + 64);
        assembly ("memory-safe") {
            mstore(add(add(data, 32), mul(place, 32)), word)
        }
        agrees(data);
        cut = bound(cut, 0, data.length);
        assembly ("memory-safe") {
            mstore(data, cut)
        }
        agrees(data);
    }

    /// @dev A word of a decision: its offset is the first one of its encoding.
    function withWord(AgentIterationResult memory result, uint256 place, uint256 word)
        private
        pure
        returns (bytes memory data)
    {
        data = abi.encode(result);
        assembly ("memory-safe") {
            mstore(add(add(data, 64), mul(place, 32)), word)
        }
    }

    function test_a_decision_is_final_or_not_and_its_tool_an_address() public {
        AgentIterationResult memory result;
        result.toolInput.abiEncodedParams = "params";
        bytes memory refusal =
            abi.encodeWithSelector(IAgentExecutor.MalformedReturn.selector, address(1));
        vm.expectRevert(refusal);
        this.read(withWord(result, 0, 2));
        vm.expectRevert(refusal);
        this.read(withWord(result, 0, type(uint256).max));
        vm.expectRevert(refusal);
        this.read(withWord(result, 2, 1 << 160));
        (address tool, bytes memory params) = this.read(withWord(result, 2, type(uint160).max));
        assertEq(tool, address(type(uint160).max));
        assertEq(params, "params");
        (tool, params) = this.read(withWord(result, 0, 1));
        assertEq(tool, address(0));
        assertEq(params, "");
    }

    function testFuzz_the_arguments_are_sent_with_the_agent_first_and_nothing_behind_them(Arguments memory a)
        public
    {
        ContextCallsUser user = new ContextCallsUser(address(new Mirror()), address(echo), "");
        (,, bytes memory sent) =
            user.callOf(a.modelId, a.basePrompt, a.tools, a.reasoning, a.prompt);
        bytes memory arguments = abi.encode(a.modelId, a.basePrompt, a.tools, a.reasoning, a.prompt);
        assembly ("memory-safe") {
            mstore(add(arguments, 32), address())
        }
        assertEq(sent, bytes.concat(IEncoder.encode.selector, abi.encode(32), arguments));
    }

    /// @dev Two words that lead to themselves are two empty strings, for the compiler's decoder too.
    function test_two_words_are_the_least_that_an_encoder_returns() public {
        Parrot parrot = new Parrot();
        ContextCallsUser user = new ContextCallsUser(address(parrot), address(echo), "output");
        parrot.teach(new bytes(64));
        (address tool, bytes memory params, bytes memory features) =
            user.callOf("1", "", new IERCAgentTool[](0), new string[](0), "");
        assertEq(tool, address(this));
        assertEq(params, abi.encode("", "output"));
        assertEq(features, "");
        uint8[6] memory shorter = [0, 1, 31, 32, 33, 63];
        for (uint256 i = 0; i < shorter.length; ++i) {
            parrot.teach(new bytes(shorter[i]));
            vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.MalformedReturn.selector, parrot));
            user.callOf("1", "", new IERCAgentTool[](0), new string[](0), "");
        }
    }

    /// @dev Of a decision whose parameters are told by its last two words: where they lead to, counted
    ///   from the decision, and how long the whole is.
    function lastWords(uint256 offset, uint256 length) private view returns (bytes memory data) {
        data = abi.encode(32, 0, 0, address(this), offset, 0, 0, 0);
        assembly ("memory-safe") {
            mstore(data, length)
        }
    }

    function test_a_decision_ends_with_its_parameters_at_the_earliest() public {
        (address tool, bytes memory params) = this.read(lastWords(160, 256));
        assertEq(tool, address(this));
        assertEq(params, "");
        bytes[7] memory bad = [
            lastWords(160, 255),
            lastWords(161, 256),
            lastWords(224, 256),
            lastWords(225, 256),
            lastWords(1 << 128, 256),
            lastWords(type(uint256).max, 256),
            lastWords(160, 191)
        ];
        bytes memory refusal =
            abi.encodeWithSelector(IAgentExecutor.MalformedReturn.selector, address(1));
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(refusal);
            this.read(bad[i]);
        }
        for (uint256 length = 0; length < 32; ++length) {
            vm.expectRevert(refusal);
            this.read(new bytes(length));
        }
    }

    function test_returns_that_are_no_encoding_are_refused() public {
        bytes[8] memory bad = [
            bytes(""),
            new bytes(63),
            abi.encode(64, 1 << 255),
            abi.encode(type(uint256).max, 64, 0),
            abi.encode(64, 96, 65, 0, 0),
            abi.encode(64, 97, 0, 0),
            abi.encode(64, 96, 0, type(uint256).max),
            abi.encode(64, 4096, 0)
        ];
        Parrot parrot = new Parrot();
        ContextCallsUser user = new ContextCallsUser(address(parrot), address(echo), "");
        for (uint256 i = 0; i < bad.length; ++i) {
            parrot.teach(bad[i]);
            vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.MalformedReturn.selector, parrot));
            user.callOf("1", "", new IERCAgentTool[](0), new string[](0), "");
        }
    }
}
