// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {Context, IEncoder} from "../../src/interfaces/IEncoder.sol";

/// @notice A book with the entries that it is given.
contract PackedBook {
    address public immutable pointer;

    constructor(bytes memory packed) {
        pointer = SSTORE2.write(packed);
    }
}

/// @notice An agent that is its own symbol book, with a contact book unless that has no entries.
contract TwoBookAgent {
    address public immutable pointer;
    address public immutable contactBook;

    constructor(bytes memory symbols, bytes memory contacts) {
        pointer = SSTORE2.write(symbols);
        if (contacts.length != 0) contactBook = address(new PackedBook(contacts));
    }

    function symbolBook() external view returns (address) {
        return address(this);
    }
}

/// @notice Encodes many prompts in one call, and tells what each of them came to.
contract InstructionHarness {
    struct Outcome {
        bytes features;
        bytes parse;
        bytes refusal;
    }

    function ask(IEncoder encoder, address agent, string[] calldata prompts)
        external
        view
        returns (Outcome[] memory outcomes)
    {
        outcomes = new Outcome[](prompts.length);
        Context memory c;
        c.agent = agent;
        for (uint256 i = 0; i < prompts.length; ++i) {
            c.prompt = prompts[i];
            try encoder.encode(c) returns (bytes memory features, bytes memory parse) {
                (outcomes[i].features, outcomes[i].parse) = (features, parse);
            } catch (bytes memory reason) {
                outcomes[i].refusal = reason;
            }
        }
    }

    /// @notice Gas of a call as an executor would make it, for the first of a transaction and for a
    ///   later one. For eth_call, where nothing has been accessed yet but the agent.
    function measure(address agent, address target, bytes calldata data)
        external
        view
        returns (uint256 first, uint256 later)
    {
        require(agent.code.length != 0);
        first = _gasOf(target, data);
        later = _gasOf(target, data);
    }

    /// @notice The same of several calls together.
    function measureAll(address agent, address[] calldata targets, bytes[] calldata data)
        external
        view
        returns (uint256 first, uint256 later)
    {
        require(agent.code.length != 0);
        for (uint256 i = 0; i < targets.length; ++i) {
            first += _gasOf(targets[i], data[i]);
        }
        for (uint256 i = 0; i < targets.length; ++i) {
            later += _gasOf(targets[i], data[i]);
        }
    }

    function _gasOf(address target, bytes memory data) private view returns (uint256 used) {
        used = gasleft();
        assembly ("memory-safe") {
            if iszero(staticcall(gas(), target, add(data, 32), mload(data), 0, 0)) { revert(0, 0) }
        }
        used -= gasleft();
    }
}
