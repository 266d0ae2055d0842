// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgreedCall, Claim, IAgentExecutor, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {CatchingTool, EchoTool} from "../fakes/FakeTools.sol";
import {LightModel} from "../fakes/LightModel.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev How many decisions a frame takes, and how many runs in each other.
contract FrameLimitsTest is World {
    function over(IERCAgentTool tool) private returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        return agentWith(tools, address(0));
    }

    /// @dev So many agents, each the next one's tool; the last one's tool echoes.
    function chain(uint256 length) private returns (TestAgent first) {
        IERCAgentTool tool = new EchoTool();
        for (uint256 i = 0; i < length; ++i) {
            tool = first = over(tool);
        }
    }

    /// @dev Each agent calls the next, the last one its tool; then all of them answer.
    function runsDown(TestAgent first, uint256 length) private returns (string memory answer) {
        bytes[] memory outputs = new bytes[](2 * length);
        for (uint256 i = 0; i < length; ++i) {
            (outputs[i], outputs[length + i]) = (output(CALL, 0), output(ANSWER, 5));
        }
        (Claim[] memory claims, bytes[] memory proofs) = plan(first, "go", outputs);
        (, answer) =
            first.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function test_the_limits_are_told() public view {
        (uint256 decisions, uint256 depth) = executor.limits();
        assertEq(decisions, 128);
        assertEq(depth, 8);
    }

    function test_eight_agents_nest() public {
        assertEq(runsDown(chain(8), 8), "answer 5");
    }

    function test_nine_do_not() public {
        TestAgent first = chain(9);
        Claim[] memory claims;
        IERCAgentTool last = first;
        for (uint256 i = 0; i < 9; ++i) {
            Missing memory m = missing(first, "go", claims);
            last = IERCAgentTool(m.agent);
            claims = append(claims, Claim(model, keccak256(m.features), output(CALL, 0)));
            truth(m.features, output(CALL, 0));
        }
        bytes memory tooDeep = abi.encodeWithSelector(IAgentExecutor.RunTooDeep.selector, 8, last);
        assertEq(simulationOf(first, "go", claims), tooDeep);
        bytes[] memory proofs = new bytes[](9);
        vm.expectRevert(tooDeep);
        first.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
        claims[8].output = output(ANSWER, 5); // an answer at once is as deep
        assertEq(simulationOf(first, "go", claims), tooDeep);
    }

    /// @dev Runs after one another are no deeper than one.
    function test_only_runs_that_are_under_way_count() public {
        TestAgent inner = over(new EchoTool());
        TestAgent parent = new TestAgent(executor, vm.toString(model), address(0), only(inner), 12);
        bytes[] memory outputs;
        for (uint256 i = 0; i < 10; ++i) {
            outputs = append(append(outputs, output(CALL, 0)), output(CALL, 0));
            outputs = append(outputs, output(ANSWER, 5));
        }
        outputs = append(outputs, output(ANSWER, 6));
        (Claim[] memory claims, bytes[] memory proofs) = plan(parent, "go", outputs);
        (, string memory answer) =
            parent.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
        assertEq(answer, "answer 6");
    }

    function test_nobody_catches_the_limit() public {
        TestAgent inner = chain(8);
        TestAgent first = over(new CatchingTool(inner));
        Claim[] memory claims;
        for (uint256 i = 0; i < 9; ++i) {
            Missing memory m = missing(first, "go", claims);
            claims = append(claims, Claim(model, keccak256(m.features), output(CALL, 0)));
        }
        assertEq(bytes4(simulationOf(first, "go", claims)), IAgentExecutor.RunTooDeep.selector);
    }

    function test_a_frame_takes_no_more_claims_than_decisions() public {
        TestAgent agent = over(new EchoTool());
        Claim[] memory claims = new Claim[](129);
        RunTerms memory terms;
        terms.deadline = type(uint64).max;
        terms.calls = new AgreedCall[](129);
        bytes memory tooMany =
            abi.encodeWithSelector(IAgentExecutor.TooManyDecisions.selector, 128, 129);
        vm.expectRevert(tooMany);
        agent.runWithProofs(inputOf("go"), address(0), claims, new bytes[](129), terms);
        assertEq(simulationOf(agent, "go", claims), tooMany);
    }

    function test_a_run_that_needs_more_is_told_so_when_it_is_planned() public {
        address light = address(new LightModel(150, address(0)));
        ModelBinding memory binding = bindingWith(light);
        (binding.encoder, binding.decoder) = (light, light);
        uint256 id = registry.registerBoundModel(commitmentFor(binding), binding);
        MuteTool mute = new MuteTool();
        TestAgent agent = new TestAgent(executor, vm.toString(id), address(0), only(mute), 200);
        Claim[] memory claims = new Claim[](128);
        for (uint256 i = 0; i < 128; ++i) {
            claims[i] = Claim(id, keccak256(new bytes(2 * INPUTS)), new bytes(8 * OUTPUTS));
        }
        assertEq(
            simulationOf(agent, "go", claims),
            abi.encodeWithSelector(IAgentExecutor.TooManyDecisions.selector, 128, 129)
        );
        assembly ("memory-safe") {
            mstore(claims, 127)
        }
        assertEq(bytes4(simulationOf(agent, "go", claims)), IAgentExecutor.MissingDecision.selector);
    }

    function only(IERCAgentTool tool) private pure returns (IERCAgentTool[] memory tools) {
        tools = new IERCAgentTool[](1);
        tools[0] = tool;
    }
}

/// @dev Says nothing of what it is told.
contract MuteTool is EchoTool {
    function run(Input calldata, address) external pure override returns (int256, string memory) {
        return (-1, "");
    }
}
