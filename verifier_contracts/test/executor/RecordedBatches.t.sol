// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IModelRegistry} from "../../src/interfaces/IModelRegistry.sol";
import {EchoTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Batches} from "../support/Batches.sol";

/// @dev Decisions of several prompts, recorded by one proof and carried out later.
contract RecordedBatchesTest is Batches {
    TestAgent private agent;
    bytes[] private features;
    bytes[] private outputs;

    function setUp() public {
        setBatches(model, 2, 4);
        agent = agentWith(new EchoTool());
        for (uint256 i = 0; i < 3; ++i) {
            features.push(missing(agent, vm.toString(i), new Claim[](0)).features);
            outputs.push(output(ANSWER, int64(uint64(i))));
        }
    }

    function test_one_proof_records_several_decisions() public {
        bytes memory proof = truthOfRows(by4, 4, features, outputs);
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectEmit(address(executor));
            emit IAgentExecutor.DecisionRecorded(model, keccak256(features[i]), outputs[i]);
        }
        executor.recordDecisions(model, features, outputs, proof);
        for (uint256 i = 0; i < 3; ++i) {
            (, string memory answer) = agent.run(inputOf(vm.toString(i)), address(0));
            assertEq(answer, string.concat("answer ", vm.toString(i)));
        }
    }

    function test_one_decision_is_recorded_by_the_single_verifier() public {
        bytes memory proof = truth(features[0], outputs[0]);
        executor.recordDecisions(model, list(features[0]), list(outputs[0]), proof);
        assertEq(executor.recordedOutput(model, features[0]), outputs[0]);
    }

    function test_a_false_row_records_nothing() public {
        bytes memory proof = truthOfRows(by4, 4, features, outputs);
        outputs[1] = output(ANSWER, 9);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        executor.recordDecisions(model, features, outputs, proof);
        assertEq(executor.recordedOutput(model, features[0]), "");
    }

    function test_outputs_are_recorded_for_the_features_of_their_own_row() public {
        bytes memory proof = truthOfRows(by4, 4, features, outputs);
        (outputs[0], outputs[1]) = (outputs[1], outputs[0]);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        executor.recordDecisions(model, features, outputs, proof);
    }

    function test_other_batch_verifiers_leave_the_record_behind() public {
        bytes memory proof = truthOfRows(by4, 4, features, outputs);
        executor.recordDecisions(model, features, outputs, proof);
        setBatches(model, 4);
        assertEq(executor.recordedOutput(model, features[0]), "");
        setBatches(model, 2, 4);
        assertEq(executor.recordedOutput(model, features[0]), outputs[0]);
    }

    function test_other_counts_and_lengths_are_refused() public {
        bytes[] memory none;
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.DecisionCountMismatch.selector, 0, 0));
        executor.recordDecisions(model, none, none, "");
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.DecisionCountMismatch.selector, 3, 2));
        executor.recordDecisions(model, features, first(outputs, 2), "");
        bytes[] memory wider = list(outputs[0], new bytes(8 * OUTPUTS + 8));
        vm.expectPartialRevert(IAgentExecutor.MalformedOutput.selector);
        executor.recordDecisions(model, first(features, 2), wider, "");
        bytes[] memory uneven = list(new bytes(2 * INPUTS - 2), new bytes(2 * INPUTS + 2));
        vm.expectPartialRevert(IAgentExecutor.MalformedFeatures.selector);
        executor.recordDecisions(model, uneven, first(outputs, 2), "");
    }

    function test_more_than_the_largest_batch_is_refused() public {
        for (uint256 i = 0; i < 2; ++i) {
            features.push(features[0]);
            outputs.push(outputs[0]);
        }
        vm.expectRevert(
            abi.encodeWithSelector(IModelRegistry.NoBatchVerifier.selector, model, 5, 4)
        );
        executor.recordDecisions(model, features, outputs, "");
    }
}
