// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {EchoTool, FailingTool} from "../fakes/FakeTools.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

contract SimulationTest is World {
    EchoTool private echo = new EchoTool();
    TestAgent private agent = agentWith(echo);

    function test_simulation_tells_the_first_missing_decision_and_its_context() public {
        Missing memory m = missing(agent, "go", new Claim[](0));
        assertEq(m.index, 0);
        assertEq(m.agent, address(agent));
        assertEq(m.modelId, model);
        assertEq(m.features.length, 2 * INPUTS);
        (
            string memory base,
            IERCAgentTool[] memory tools,
            string[] memory steps,
            string memory prompt
        ) = abi.decode(m.context, (string, IERCAgentTool[], string[], string));
        assertEq(base, "Be good.");
        assertEq(address(tools[0]), address(echo));
        assertEq(steps.length, 0);
        assertEq(prompt, "go");
    }

    function test_agent_reasoning_holds_the_entries_so_far_and_no_blanks() public {
        (Claim[] memory claims,) = plan(agent, "go", list(output(CALL, 0)));
        Missing memory m = missing(agent, "go", claims);
        (,, string[] memory steps,) =
            abi.decode(m.context, (string, IERCAgentTool[], string[], string));
        assertEq(steps.length, 1);
        assertEq(steps[0], "Thought: use it\nObservation: go\n");
    }

    function test_simulation_tells_the_result_when_nothing_is_missing() public {
        (Claim[] memory claims,) = plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        string[] memory steps = new string[](1);
        steps[0] = "Thought: use it\nObservation: go\n";
        assertEq(
            simulationOf(agent, "go", claims),
            abi.encodeWithSelector(IAgentExecutor.SimulationResult.selector, "answer 5", steps)
        );
    }

    function test_simulation_refuses_claims_that_are_left_over() public {
        (Claim[] memory claims,) = plan(agent, "go", list(output(ANSWER, 5)));
        assertEq(
            simulationOf(agent, "go", append(claims, claims[0])),
            abi.encodeWithSelector(IAgentExecutor.ClaimsLeftOver.selector, 1, 2)
        );
    }

    function test_simulation_passes_a_tools_failure_on() public {
        agent = agentWith(new FailingTool());
        (Claim[] memory claims,) = plan(agent, "go", list(output(CALL, 0)));
        assertEq(
            simulationOf(agent, "go", claims),
            abi.encodeWithSelector(FailingTool.ToolFailed.selector, "as it must", 7)
        );
    }

    function test_simulation_is_for_those_whom_the_agent_serves() public {
        address stranger = makeAddr("stranger");
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(TestAgent.NotServed.selector, stranger));
        agent.simulate(inputOf("go"), new Claim[](0));
    }

    function test_a_run_in_the_same_transaction_is_unaffected_by_a_simulation() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(agent, "go", list(output(CALL, 0), output(ANSWER, 5)));
        simulationOf(agent, "go", claims);
        (, string memory answer) =
            agent.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
        assertEq(answer, "answer 5");
    }
}
