// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {EchoTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

contract RecordedDecisionsTest is World {
    TestAgent private agent = agentWith(new EchoTool());
    bytes private features = missing(agent, "go", new Claim[](0)).features;
    bytes private answer5 = output(ANSWER, 5);

    function test_run_acts_on_what_is_recorded() public {
        Claim[] memory claims;
        claims = append(claims, Claim(model, keccak256(features), output(CALL, 0)));
        bytes memory second = missing(agent, "go", claims).features;
        executor.recordDecision(model, features, output(CALL, 0), truth(features, output(CALL, 0)));
        executor.recordDecision(model, second, answer5, truth(second, answer5));
        (int256 id, string memory answer) = agent.run(inputOf("go"), address(0));
        assertEq(id, -1);
        assertEq(answer, "answer 5");
    }

    function test_anyone_may_record_a_true_output() public {
        bytes memory proof = truth(features, answer5);
        vm.prank(makeAddr("anyone"));
        vm.expectEmit(address(executor));
        emit IAgentExecutor.DecisionRecorded(model, keccak256(features), answer5);
        executor.recordDecision(model, features, answer5, proof);
        assertEq(executor.recordedOutput(model, features), answer5);
    }

    function test_run_says_which_decision_is_unavailable() public {
        vm.expectRevert(
            abi.encodeWithSelector(
                IAgentExecutor.DecisionUnavailable.selector, model, agent, features
            )
        );
        agent.run(inputOf("go"), address(0));
    }

    function test_a_recorded_output_serves_no_other_input() public {
        executor.recordDecision(model, features, answer5, truth(features, answer5));
        vm.expectPartialRevert(IAgentExecutor.DecisionUnavailable.selector);
        agent.run(inputOf("stop"), address(0));
    }

    function test_a_false_output_is_not_recorded() public {
        truth(features, answer5);
        bytes memory proof = verifier.proofOf(instancesOf(features, output(ANSWER, 6)));
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        executor.recordDecision(model, features, output(ANSWER, 6), proof);
    }

    function test_outputs_and_features_of_other_sizes_are_not_recorded() public {
        vm.expectPartialRevert(IAgentExecutor.MalformedOutput.selector);
        executor.recordDecision(model, features, new bytes(16 * OUTPUTS), "");
        vm.expectPartialRevert(IAgentExecutor.MalformedFeatures.selector);
        executor.recordDecision(model, new bytes(2 * INPUTS + 2), answer5, "");
    }

    function test_a_model_with_an_obliging_verifier_records_for_itself_alone() public {
        FakeVerifier obliging = new FakeVerifier();
        uint256 other = registerFakeModel(obliging);
        bytes memory proof = obliging.admit(instancesOf(features, answer5));
        executor.recordDecision(other, features, answer5, proof);
        assertEq(executor.recordedOutput(model, features), "");
    }

    function test_an_update_of_the_model_leaves_its_record_behind() public {
        executor.recordDecision(model, features, answer5, truth(features, answer5));
        ModelBinding memory binding = bindingWith(address(new FakeVerifier()));
        registry.updateBoundModel(model, commitmentFor(binding), binding);
        assertEq(executor.recordedOutput(model, features), "");
    }
}
