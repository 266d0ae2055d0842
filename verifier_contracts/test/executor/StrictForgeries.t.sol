// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IERCAgent} from "../../src/interfaces/erc/IERCAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {EchoTool} from "../fakes/FakeTools.sol";
import {StrictAgent} from "../fakes/StrictAgent.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";
import {FramesTest} from "./Frames.t.sol";
import {NestedRunsTest} from "./NestedRuns.t.sol";
import {SimulationTest} from "./Simulation.t.sol";

/// @dev Every run and every forgery of the agents that act first, with agents that prove first.
abstract contract StrictWorld is World {
    function agentWith(IERCAgentTool[] memory tools, address owner)
        internal
        virtual
        override
        returns (TestAgent)
    {
        return new StrictAgent(executor, vm.toString(model), owner, tools, 5);
    }
}

contract StrictFramesTest is FramesTest, StrictWorld {
    function agentWith(IERCAgentTool[] memory tools, address owner)
        internal
        override(World, StrictWorld)
        returns (TestAgent)
    {
        return StrictWorld.agentWith(tools, owner);
    }

    function expectVerified(Claim memory claim) private {
        vm.expectEmit(address(executor));
        emit IAgentExecutor.DecisionVerified(
            model,
            address(agent),
            registry.commitmentHash(model),
            claim.featuresHash,
            keccak256(claim.output)
        );
    }

    /// @dev Each proof comes before what its decision does.
    function test_run_with_proofs_acts_and_answers() public override {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        string[] memory steps = new string[](1);
        steps[0] = "Thought: use it\nObservation: go\n";
        expectVerified(claims[0]);
        vm.expectEmit(address(echo));
        emit EchoTool.Used(address(agent));
        expectVerified(claims[1]);
        vm.expectEmit(address(agent));
        emit IERCAgent.AgentRunResult(1, address(this), steps, "answer 5");
        assertEq(runs(claims, proofs), "answer 5");
    }
}

contract StrictNestedRunsTest is NestedRunsTest, StrictWorld {
    function agentWith(IERCAgentTool[] memory tools, address owner)
        internal
        override(World, StrictWorld)
        returns (TestAgent)
    {
        return StrictWorld.agentWith(tools, owner);
    }
}

contract StrictSimulationTest is SimulationTest, StrictWorld {
    function agentWith(IERCAgentTool[] memory tools, address owner)
        internal
        override(World, StrictWorld)
        returns (TestAgent)
    {
        return StrictWorld.agentWith(tools, owner);
    }
}
