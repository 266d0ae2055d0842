// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PlainRunner} from "../../src/agents/PlainRunner.sol";
import {Claim, IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IProvenTool} from "../../src/interfaces/IProvenTool.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ProvenTool} from "../../src/tools/ProvenTool.sol";
import {EchoTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {StrangersAgent} from "../fakes/StrangersAgent.sol";
import {World} from "../support/World.sol";

/// @dev A tool that wants proofs, of an agent that knows nothing of them.
contract ProvenToolTest is World {
    EchoTool private echo = new EchoTool();
    StrangersAgent private agent;
    ProvenTool private tool;
    PlainRunner private runner;

    function setUp() public {
        address at = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        tool = new ProvenTool(at, executor, echo);
        agent = new StrangersAgent(address(executor), vm.toString(model), "Be good.", tools(), 5);
        assertEq(address(agent), at);
        runner = new PlainRunner(executor, agent, address(this), true);
    }

    function tools() private view returns (IERCAgentTool[] memory found) {
        found = new IERCAgentTool[](1);
        found[0] = tool;
    }

    function planned() private returns (Claim[] memory, bytes[] memory) {
        bytes[] memory ys = list(output(CALL, 0), output(ANSWER, 5));
        return plan(IProvenAgent(address(runner)), "go", ys);
    }

    function runs(Claim[] memory claims, bytes[] memory proofs)
        private
        returns (string memory answer)
    {
        (, answer) = runner.runWithProofs(
            inputOf("go"), address(0), claims, proofs, termsFor(claims)
        );
    }

    function test_its_tool_is_called_once_the_decision_is_proven() public {
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        vm.expectEmit(address(executor));
        emit IAgentExecutor.DecisionVerified(
            model,
            address(agent),
            registry.commitmentHash(model),
            claims[0].featuresHash,
            keccak256(claims[0].output)
        );
        vm.expectEmit(address(echo));
        emit EchoTool.Used(address(tool));
        assertEq(runs(claims, proofs), "answer 5");
    }

    function test_it_looks_like_the_tool_behind_it() public view {
        assertEq(tool.name(), echo.name());
        assertEq(tool.description(), echo.description());
        assertEq(abi.encode(tool.inputDescription()), abi.encode(echo.inputDescription()));
        assertEq(tool.agent(), address(agent));
        assertEq(address(tool.agentExecutor()), address(executor));
        assertEq(address(tool.toolBehind()), address(echo));
        assertTrue(tool.needsProofs());
    }

    // Attacks

    /// @dev Not even for the length of a call that is undone.
    function test_its_tool_is_not_called_on_a_false_proof_or_output() public {
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        vm.expectCall(address(echo), abi.encodeWithSelector(echo.run.selector), 0);
        bytes memory true_ = proofs[0];
        proofs[0] = proofs[1];
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(claims, proofs);
        proofs[0] = true_;
        claims[0].output[8 * OUTPUTS - 1] = 0x01;
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(claims, proofs);
    }

    function test_its_tool_is_not_called_where_proofs_are_not_at_hand() public {
        runner = new PlainRunner(executor, agent, address(this), false);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        vm.expectCall(address(echo), abi.encodeWithSelector(echo.run.selector), 0);
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ProofsNotKept.selector, 0, tool));
        runs(claims, proofs);
    }

    function test_nobody_but_its_agent_uses_it() public {
        vm.expectRevert(
            abi.encodeWithSelector(
                IProvenTool.CallerIsNotTheAgent.selector, address(this), address(agent)
            )
        );
        tool.run(inputOf("pay me"), address(0));
    }

    function test_a_tool_that_answers_later_is_refused() public {
        echo.setRunId(7);
        vm.prank(address(agent));
        vm.expectRevert(
            abi.encodeWithSelector(IProvenTool.ToolBehindIsAsynchronous.selector, echo, int256(7))
        );
        tool.run(inputOf("go"), address(0));
    }

    function test_there_has_to_be_a_tool() public {
        address nobody = makeAddr("nobody");
        vm.expectRevert(abi.encodeWithSelector(IProvenTool.ToolBehindHasNoCode.selector, nobody));
        new ProvenTool(address(agent), executor, IERCAgentTool(nobody));
    }

    /// @dev On recorded decisions: each was proven when it was recorded.
    function test_outside_of_frames_its_tool_is_called() public {
        vm.prank(address(agent));
        (, string memory said) = tool.run(inputOf("go"), address(0));
        assertEq(said, "go");
    }
}
