// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentInput} from "../../src/agents/AgentInput.sol";
import {LaterTool} from "../../src/demo/LaterTool.sol";
import {Claim} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {Mode} from "../../src/interfaces/guards/IGuard.sol";
import {IGuardedCalls} from "../../src/interfaces/guards/IGuardedCalls.sol";
import {Client} from "../fakes/Clients.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";
import {IWholeGuard} from "./GuardFakes.sol";

/// @dev Tools that answer later would go on where no guard is asked: neither such calls, nor agents that
///   waited before there was a guard.
contract GuardedWaitsTest is World {
    LaterTool private later =
        new LaterTool(address(this), "Later", "Answers later", AgentInput.describe("what"));
    TestAgent private inner = on(later);
    TestAgent private agent = on(inner);
    Client private client = new Client(address(agent));

    function on(IERCAgentTool tool) private returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        return agentWith(tools, address(0));
    }

    function guards(TestAgent guarded, address tool) private returns (IWholeGuard guard) {
        bytes memory arguments = abi.encode(address(this), guarded, makeAddr("wallet"));
        guard = IWholeGuard(deployCode("Guard.sol:Guard", arguments));
        guarded.setGuard(guard);
        guard.setMode(Mode.AUTONOMOUS);
        ToolRule memory rule;
        (rule.assetWord, rule.amountWord, rule.targetWord) = (255, 255, 255);
        (rule.maxRuns, rule.vouched) = (type(uint32).max, true);
        guard.allow(tool, rule);
    }

    function planFor(TestAgent who, uint256 decisions)
        private
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        for (uint256 i = 0; i < decisions; ++i) {
            (, bytes memory reason) = address(who)
                .call(abi.encodeCall(who.simulateFor, (inputOf("go"), address(client), claims)));
            Missing memory m = missingIn(reason);
            bytes memory y = output(CALL, 0);
            claims = append(claims, Claim(m.modelId, keccak256(m.features), y));
            proofs = append(proofs, truth(m.features, y));
        }
    }

    function test_a_tool_that_answers_later_is_not_called() public {
        client = new Client(address(inner));
        (Claim[] memory claims, bytes[] memory proofs) = planFor(inner, 1);
        uint256 state = vm.snapshotState();
        (int256 runId,) =
            inner.runWithProofs(inputOf("go"), address(client), claims, proofs, termsFor(claims));
        assertEq(runId, 1, "without a guard the run waits");
        vm.revertToState(state);
        guards(inner, address(later));
        vm.expectRevert(
            abi.encodeWithSelector(IGuardedCalls.GuardedToolIsAsynchronous.selector, later, 0)
        );
        inner.runWithProofs(inputOf("go"), address(client), claims, proofs, termsFor(claims));
    }

    function test_an_agent_that_waits_is_not_a_guarded_ones_tool() public {
        (Claim[] memory claims, bytes[] memory proofs) = planFor(agent, 2);
        guards(agent, address(inner));
        vm.expectRevert(abi.encodeWithSelector(IProvenAgent.ToolIsAsynchronous.selector, later, 0));
        agent.runWithProofs(inputOf("go"), address(client), claims, proofs, termsFor(claims));
    }

    function test_an_agent_that_waited_before_there_was_a_guard_does_not_go_on() public {
        (Claim[] memory claims, bytes[] memory proofs) = planFor(agent, 2);
        (int256 runId,) =
            agent.runWithProofs(inputOf("go"), address(client), claims, proofs, termsFor(claims));
        assertEq(runId, 1);
        later.answer(0, "12");
        guards(agent, address(inner)).pause("stop");
        vm.expectRevert(
            abi.encodeWithSelector(IGuardedCalls.GuardedToolIsAsynchronous.selector, inner, 1)
        );
        agent.simulateResume(1, new Claim[](0));
        vm.expectRevert(
            abi.encodeWithSelector(IGuardedCalls.GuardedToolIsAsynchronous.selector, inner, 1)
        );
        agent.resume(1);
    }
}
