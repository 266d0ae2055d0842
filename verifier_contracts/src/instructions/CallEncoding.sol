// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice A decision that is being written, as `abi.encode` of an `AgentIterationResult`.
/// @param start Where it begins.
/// @param element Where the next parameter's value goes.
/// @param head Where the offset of that goes.
/// @param together Where the value goes among all together.
/// @param reasoning Where the reasoning begins.
/// @param end Where the reasoning ends.
struct Written {
    uint256 start;
    uint256 element;
    uint256 head;
    uint256 together;
    uint256 reasoning;
    uint256 end;
}

/// @title Writes a tool call, parameter by parameter
/// @dev As `DecisionEncoding`, without an `Action` in memory. All is written to free memory, of which nothing
///   is taken: what is in the making is the last thing there.
library CallEncoding {
    uint256 private constant HEAD = 160;
    uint256 private constant ELEMENT = 128;

    /// @notice Begins a call of `tool` with so many parameters; its reasoning begins with the text at `prefix`.
    function begin(address tool, uint256 count, uint256 prefix)
        internal
        pure
        returns (Written memory w)
    {
        unchecked {
            uint256 start;
            assembly ("memory-safe") {
                start := mload(0x40)
            }
            uint256 input = HEAD + 32; // from the struct on, behind an empty answer
            uint256 together = 96 + (ELEMENT + 32) * count; // from the input on
            uint256 reasoning = input + together + 32 + 32 * count;
            assembly ("memory-safe") {
                let base := add(start, 32)
                mstore(start, 32)
                mstore(base, 0)
                mstore(add(base, 32), HEAD)
                mstore(add(base, 64), and(tool, 0xffffffffffffffffffffffffffffffffffffffff))
                mstore(add(base, 96), input)
                mstore(add(base, 128), reasoning)
                mstore(add(base, HEAD), 0)
                input := add(base, input)
                mstore(input, 64)
                mstore(add(input, 32), together)
                mstore(add(input, 64), count)
                together := add(input, together)
                mstore(together, shl(5, count))
                reasoning := add(base, reasoning)
            }
            w.start = start;
            w.head = input + 96;
            w.element = w.head + 32 * count;
            w.together = together + 32;
            w.reasoning = reasoning;
            w.end = reasoning + 32;
            addText(w, prefix);
        }
    }

    /// @notice Goes on with a parameter's value.
    function addValue(Written memory w, uint256 paramType, uint256 value) internal pure {
        unchecked {
            (uint256 element, uint256 head, uint256 together) = (w.element, w.head, w.together);
            uint256 parameters = w.start + 32 + HEAD + 32 + 96;
            assembly ("memory-safe") {
                mstore(head, sub(element, parameters))
                mstore(element, paramType)
                mstore(add(element, 32), 64)
                mstore(add(element, 64), 32)
                mstore(add(element, 96), value)
                mstore(together, value)
            }
            (w.element, w.head, w.together) = (element + ELEMENT, head + 32, together + 32);
        }
    }

    /// @notice Goes on with the reasoning: a text of the manifest.
    function addText(Written memory w, uint256 text) internal pure {
        uint256 end = w.end;
        assembly ("memory-safe") {
            let length := shr(240, mload(text))
            mcopy(end, add(text, 2), length)
            end := add(end, length)
        }
        w.end = end;
    }

    /// @notice Goes on with the reasoning: a span of calldata, see `Texts`.
    function addSpan(Written memory w, uint256 span) internal pure {
        uint256 end = w.end;
        assembly ("memory-safe") {
            let length := and(span, 0xffffffff)
            calldatacopy(end, shr(32, span), length)
            end := add(end, length)
        }
        w.end = end;
    }

    /// @notice Goes on with the reasoning: a symbol book's symbol, up to its first zero byte.
    function addSymbol(Written memory w, uint256 entry) internal pure {
        uint256 end = w.end;
        assembly ("memory-safe") {
            mstore(end, entry)
            for { let length := 0 } 1 { length := add(length, 1) } {
                if or(eq(length, 11), iszero(byte(length, entry))) {
                    end := add(end, length)
                    break
                }
            }
        }
        w.end = end;
    }

    /// @notice Goes on with the reasoning: `value` with so many digits behind the point, up to 77, none of
    ///   which is taken off.
    function addNumber(Written memory w, uint256 value, uint256 places) internal pure {
        uint256 end = w.end;
        assembly ("memory-safe") {
            // From its last digit on, before memory that it does not reach.
            let behind := add(end, 128)
            let pos := behind
            for {} places { places := sub(places, 1) } {
                pos := sub(pos, 1)
                mstore8(pos, add(0x30, mod(value, 10)))
                value := div(value, 10)
                if eq(places, 1) {
                    pos := sub(pos, 1)
                    mstore8(pos, 0x2e)
                }
            }
            for {} 1 {} {
                pos := sub(pos, 1)
                mstore8(pos, add(0x30, mod(value, 10)))
                value := div(value, 10)
                if iszero(value) { break }
            }
            mcopy(end, pos, sub(behind, pos))
            end := add(end, sub(behind, pos))
        }
        w.end = end;
    }

    /// @notice Ends the call with the decision, whose reasoning ends with what closes its JSON.
    function finish(Written memory w) internal pure {
        (uint256 start, uint256 reasoning, uint256 end) = (w.start, w.reasoning, w.end);
        bytes32 closing = '"}\n';
        assembly ("memory-safe") {
            mstore(end, closing)
            mstore(add(end, 32), 0)
            mstore(reasoning, sub(sub(end, reasoning), 29))
            return(start, sub(and(add(end, 34), not(31)), start))
        }
    }
}
