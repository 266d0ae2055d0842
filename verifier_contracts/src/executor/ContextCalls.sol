// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAgentExecutor} from "../interfaces/IAgentExecutor.sol";
import {IDecoder} from "../interfaces/IDecoder.sol";
import {IEncoder} from "../interfaces/IEncoder.sol";

/// @title Hands the calldata of `runNextIteration` to encoder and decoder without taking it apart
/// @notice Its five arguments and the five members of a `Context` differ in the first alone: the model
///   id there, the agent here. So the arguments are copied once, with the agent written over the first
///   word, and everything that follows stays at the offsets that it has. Contexts grow with each
///   iteration, and decoding and encoding them again costs more than all else that the executor does.
/// @dev What the two return is read where it lies, with the checks that abi.decode makes.
library ContextCalls {
    /// @dev Room before the context for a selector and three heads.
    uint256 private constant HEAD_BYTES = 128;

    /// @notice The context of the present call of `runNextIteration`, which has passed the ABI's checks.
    /// @return context Where it lies in memory, as `encode` and `decode` take it.
    function open(address agent) internal pure returns (uint256 context) {
        uint256 room = HEAD_BYTES;
        assembly ("memory-safe") {
            context := add(mload(0x40), room)
            let size := sub(calldatasize(), 4)
            calldatacopy(context, 4, size)
            mstore(context, agent)
            mstore(0x40, and(add(add(context, size), 31), not(31)))
        }
    }

    /// @notice The hash of the context's tools, and of how many they are.
    function toolsIn(uint256 context) internal pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let tools := add(context, mload(add(context, 64)))
            hash := keccak256(tools, shl(5, add(mload(tools), 1)))
        }
    }

    /// @notice `IEncoder.encode` of the context.
    /// @return features Its first result.
    /// @return parse Its second one.
    /// @return readings Its third one, if it has one: see `IPromptEncoder`. Else zero.
    function encode(uint256 context, address encoder)
        internal
        view
        returns (bytes memory features, bytes memory parse, bytes32 readings)
    {
        uint32 selector = uint32(IEncoder.encode.selector);
        assembly ("memory-safe") {
            mstore(sub(context, 64), selector)
            mstore(sub(context, 32), 32)
        }
        (uint256 start, uint256 size) = _call(encoder, context - 36);
        if (size < 64) revert IAgentExecutor.MalformedReturn(encoder);
        features = _bytesAt(encoder, start, start, size);
        parse = _bytesAt(encoder, start, start + 32, size);
        if (_load(start) == 96) readings = bytes32(_load(start + 64)); // a head of three words
    }

    /// @notice `IDecoder.decode` of the context, of what `encode` found and of an output.
    /// @dev Both byte strings were put into memory behind the context, and so are in the calldata, which
    ///   is all memory from the head on.
    /// @return start Where the decision's encoding lies in memory.
    /// @return size How long it is.
    function decode(uint256 context, address decoder, bytes memory parse, bytes memory output)
        internal
        view
        returns (uint256 start, uint256 size)
    {
        uint32 selector = uint32(IDecoder.decode.selector);
        assembly ("memory-safe") {
            let heads := sub(context, 96)
            mstore(sub(heads, 32), selector)
            mstore(heads, 96)
            mstore(add(heads, 32), sub(parse, heads))
            mstore(add(heads, 64), sub(output, heads))
        }
        return _call(decoder, context - 100);
    }

    /// @notice What a decision comes to: a tool and its `abiEncodedParams`, where they lie; tool zero and
    ///   no parameters for an answer.
    /// @param decoder Who gave it, for the error.
    function callIn(address decoder, uint256 start, uint256 size)
        internal
        pure
        returns (address tool, bytes memory params)
    {
        uint256 decision = _follow(decoder, start, start, size, 160);
        uint256 isFinal = _load(decision);
        if (isFinal > 1) revert IAgentExecutor.MalformedReturn(decoder);
        if (isFinal == 1) return (address(0), "");
        uint256 word = _load(decision + 64);
        if (word > type(uint160).max) revert IAgentExecutor.MalformedReturn(decoder);
        tool = address(uint160(word));
        uint256 end = start + size;
        uint256 input = _follow(decoder, decision, decision + 96, end - decision, 64);
        params = _bytesAt(decoder, input, input + 32, end - input);
    }

    /// @dev Calls statically with all memory from `from` on; puts what is returned behind it.
    function _call(address to, uint256 from) private view returns (uint256 start, uint256 size) {
        assembly ("memory-safe") {
            start := mload(0x40)
            let success := staticcall(gas(), to, from, sub(start, from), 0, 0)
            size := returndatasize()
            returndatacopy(start, 0, size)
            if iszero(success) { revert(start, size) }
            mstore(0x40, and(add(add(start, size), 63), not(31)))
        }
    }

    /// @dev Where the offset at `head` leads, counted from `base`; what is there takes `least` bytes.
    ///   `size` bytes lie from `base` on, `head` among them. No sum or difference here can wrap: all but
    ///   the offset itself are places in memory, and an offset is at most `size` where it is used.
    function _follow(address from, uint256 base, uint256 head, uint256 size, uint256 least)
        private
        pure
        returns (uint256)
    {
        unchecked {
            if (size < head - base + 32) revert IAgentExecutor.MalformedReturn(from);
            uint256 offset = _load(head);
            if (offset > size || size - offset < least) {
                revert IAgentExecutor.MalformedReturn(from);
            }
            return base + offset;
        }
    }

    function _bytesAt(address from, uint256 base, uint256 head, uint256 size)
        private
        pure
        returns (bytes memory value)
    {
        uint256 found = _follow(from, base, head, size, 32);
        unchecked {
            if (_load(found) > base + size - found - 32) {
                revert IAgentExecutor.MalformedReturn(from);
            }
        }
        assembly ("memory-safe") {
            value := found
        }
    }

    function _load(uint256 place) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(place)
        }
    }
}
