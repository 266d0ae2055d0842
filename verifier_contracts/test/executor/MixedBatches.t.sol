// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim} from "../../src/interfaces/IAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Batches} from "../support/Batches.sol";

/// @dev Agents of two models in one frame: a proof is about one of them.
contract MixedBatchesTest is Batches {
    uint256 private other;
    TestAgent private inner;
    TestAgent private parent;
    bytes[] private x;
    bytes[] private y;
    Claim[] private claims;

    function setUp() public {
        other = registerFakeModel(verifier);
        setBatches(model, 2, 4);
        setBatches(other, 2, 4);
        inner = new TestAgent(executor, vm.toString(other), address(0), new IERCAgentTool[](0), 5);
        parent = agentWith(inner);
        for (uint256 i = 0; i < 4; ++i) {
            // Twice the parent calls the inner agent, which answers the same by the same features.
            decide(i % 2 == 0 ? output(CALL, 0) : output(ANSWER, 3));
        }
        decide(output(ANSWER, 7));
    }

    function decide(bytes memory out) private {
        Missing memory m = missing(parent, "go", claims);
        claims.push(Claim(m.modelId, keccak256(m.features), out));
        x.push(m.features);
        y.push(out);
    }

    function runs(bytes[] memory proofs) private returns (string memory answer) {
        (, answer) =
            parent.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function ofModel(uint256 id) private view returns (bytes[] memory xs, bytes[] memory ys) {
        for (uint256 i = 0; i < claims.length; ++i) {
            if (claims[i].modelId != id) continue;
            (xs, ys) = (append(xs, x[i]), append(ys, y[i]));
        }
    }

    function five(bytes memory a, bytes memory b) private pure returns (bytes[] memory) {
        return append(append(list(a, b, ""), ""), "");
    }

    function test_each_model_has_one_proof_for_all_of_its_decisions() public {
        (bytes[] memory xs, bytes[] memory ys) = ofModel(model);
        bytes memory outer = truthOfRows(by4, 4, xs, ys);
        (xs, ys) = ofModel(other);
        assertEq(abi.encode(xs[0], ys[0]), abi.encode(xs[1], ys[1]));
        bytes memory twice = truthOfRows(by2, 2, xs, ys);
        bytes memory once = truth(xs[0], ys[0]);
        assertEq(runs(five(outer, once)), "answer 7");
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(five(outer, twice));
    }

    function test_a_proof_does_not_cover_the_claims_of_another_model() public {
        bytes memory all = truthOfRows(by4, 4, first(x, 4), first(y, 4));
        bytes memory rest = truth(x[4], y[4]);
        bytes[] memory proofs = append(append(list(all, "", ""), ""), rest);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(proofs);
    }

    /// @dev However the decisions of each model are divided among proofs; and one false output spoils it.
    function testFuzz_any_split_into_true_proofs_passes(uint8 pattern) public {
        bytes[] memory proofs = new bytes[](5);
        for (uint256 i = 0; i < 5; ++i) {
            if (!begins(i, pattern)) continue;
            bytes[] memory xs;
            bytes[] memory ys;
            for (uint256 j = i; j < 5; ++j) {
                if (claims[j].modelId != claims[i].modelId) continue;
                if (j != i && begins(j, pattern)) break;
                if (j == 3 && i != 3) continue; // which says what claim 1 does
                (xs, ys) = (append(xs, x[j]), append(ys, y[j]));
            }
            if (xs.length == 1) {
                proofs[i] = truth(x[i], y[i]);
            } else {
                proofs[i] = truthOfRows(xs.length == 2 ? by2 : by4, xs.length == 2 ? 2 : 4, xs, ys);
            }
        }
        assertEq(runs(proofs), "answer 7");
        uint256 spoilt = pattern % 5;
        claims[spoilt].output[8 * OUTPUTS - 1] ^= 0x01;
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(proofs);
    }

    /// @dev Whether claim i has a proof of its own; the first one of each model has.
    function begins(uint256 i, uint8 pattern) private pure returns (bool) {
        return i < 2 || pattern & (1 << i) != 0;
    }
}
