// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

import {TextEncoder} from "../../src/encoding/TextEncoder.sol";
import {Context} from "../../src/interfaces/IEncoder.sol";
import {BookAgent} from "./EncodingFakes.sol";

/// @dev Python's answers, which tests/verifier_contracts/encoding/test_encoder_vectors.py writes and removes
///   again; without the file there is nothing to compare with.
contract EncoderVectorsTest is Test {
    string private constant PATH = "cache/encoder-vectors.bin";

    struct Vector {
        string prompt;
        string[] reasoning;
        bytes features;
        bytes refusal;
    }

    struct Vectors {
        bytes[] chunks;
        bytes data;
        uint256 textRows;
        uint256 localRows;
        bytes book;
        Vector[] vectors;
    }

    function test_features_and_refusals_are_those_of_python() public {
        vm.skip(!vm.exists(PATH));
        Vectors memory v = abi.decode(vm.readFileBinary(PATH), (Vectors));
        address[] memory chunks = new address[](v.chunks.length);
        for (uint256 i = 0; i < chunks.length; ++i) {
            chunks[i] = SSTORE2.write(v.chunks[i]);
        }
        address data = SSTORE2.write(v.data);
        TextEncoder encoder = new TextEncoder(chunks, v.textRows, data, v.localRows);
        BookAgent agent = new BookAgent(v.book);
        assertGt(v.vectors.length, 0);
        for (uint256 i = 0; i < v.vectors.length; ++i) {
            _compare(encoder, address(agent), v.vectors[i]);
        }
    }

    function _compare(TextEncoder encoder, address agent, Vector memory vector) private view {
        Context memory c;
        (c.agent, c.prompt, c.agentReasoning) = (agent, vector.prompt, vector.reasoning);
        try encoder.encode(c) returns (bytes memory features, bytes memory) {
            assertEq(features, vector.features, c.prompt);
        } catch (bytes memory reason) {
            assertEq(reason, vector.refusal, c.prompt);
        }
    }
}
