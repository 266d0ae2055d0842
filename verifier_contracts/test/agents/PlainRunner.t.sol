// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PlainRunner} from "../../src/agents/PlainRunner.sol";
import {
    AgreedCall,
    Claim,
    IAgentExecutor,
    IFramedAgent,
    RunTerms
} from "../../src/interfaces/IAgentExecutor.sol";
import {IPlainRunner} from "../../src/interfaces/IPlainRunner.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IResultSource} from "../../src/interfaces/IResultSource.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {CatchingTool, EchoTool, FailingTool, MeddlingTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {StrangersAgent} from "../fakes/StrangersAgent.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {Batches} from "../support/Batches.sol";

/// @dev Runs with proofs of an agent that knows nothing of them: what completes, and every neighbour.
contract PlainRunnerTest is Batches {
    EchoTool private echo = new EchoTool();
    StrangersAgent private agent = strangerOn(echo);
    PlainRunner private runner = new PlainRunner(executor, agent, address(this), false);

    function strangerOn(IERCAgentTool tool) private returns (StrangersAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        return new StrangersAgent(address(executor), vm.toString(model), "Be good.", tools, 5);
    }

    function runnerOf(IERCAgentTool agent_) private returns (PlainRunner) {
        return new PlainRunner(executor, agent_, address(this), false);
    }

    function planned(PlainRunner by, bytes[] memory outputs)
        private
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        return plan(IProvenAgent(address(by)), "go", outputs);
    }

    function runs(PlainRunner by, Claim[] memory claims, bytes[] memory proofs)
        private
        returns (string memory answer)
    {
        (, answer) = by.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function twoDecisions() private returns (Claim[] memory, bytes[] memory) {
        return planned(runner, list(output(CALL, 0), output(ANSWER, 5)));
    }

    function test_a_strangers_agent_runs_with_proofs() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        string[] memory steps = new string[](1);
        steps[0] = "Thought: use it\nObservation: go\n";
        vm.expectEmit(address(echo));
        emit EchoTool.Used(address(agent));
        vm.expectEmit(address(agent));
        emit StrangersAgent.AgentRunResult(1, address(runner), steps, "answer 5");
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectEmit(address(executor));
            emit IAgentExecutor.DecisionVerified(
                model,
                address(agent),
                registry.commitmentHash(model),
                claims[i].featuresHash,
                keccak256(claims[i].output)
            );
        }
        (int256 runId, string memory answer) =
            runner.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
        assertEq(runId, -1);
        assertEq(answer, "answer 5");
    }

    function test_a_runner_says_what_it_is_bound_to() public view {
        assertEq(address(runner.agent()), address(agent));
        assertEq(address(runner.agentExecutor()), address(executor));
        assertEq(runner.owner(), address(this));
        assertFalse(runner.needsProofs());
    }

    function test_a_plan_ends_with_the_answer() public {
        (Claim[] memory claims,) = twoDecisions();
        assertEq(
            simulationOf(IProvenAgent(address(runner)), "go", claims),
            abi.encodeWithSelector(
                IAgentExecutor.SimulationResult.selector, "answer 5", new string[](0)
            )
        );
    }

    // Attacks

    function test_nobody_else_uses_it() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        RunTerms memory terms = termsFor(claims);
        address thief = makeAddr("thief");
        bytes memory refusal =
            abi.encodeWithSelector(IPlainRunner.CallerIsNotTheOwner.selector, thief, address(this));
        vm.startPrank(thief);
        vm.expectRevert(refusal);
        runner.runWithProofs(inputOf("go"), address(0), claims, proofs, terms);
        vm.expectRevert(refusal);
        runner.simulate(inputOf("go"), claims);
        vm.stopPrank();
    }

    function test_nobody_calls_back_but_the_executor() public {
        vm.expectRevert(
            abi.encodeWithSelector(IPlainRunner.CallerIsNotTheExecutor.selector, address(this))
        );
        runner.onFrame(abi.encode(inputOf("pay me")));
    }

    /// @dev A contract that opens a frame of its own is called back itself.
    function test_a_strangers_frame_does_not_reach_it() public {
        Usurper usurper = new Usurper(executor, runner);
        vm.expectRevert(
            abi.encodeWithSelector(IPlainRunner.CallerIsNotTheExecutor.selector, usurper)
        );
        usurper.open(abi.encode(inputOf("pay me")));
    }

    function test_a_tool_of_the_agent_cannot_use_it_in_the_run() public {
        MeddlingTool meddler = new MeddlingTool();
        runner = runnerOf(strangerOn(meddler));
        RunTerms memory none;
        meddler.arm(
            address(runner),
            abi.encodeCall(
                runner.runWithProofs,
                (inputOf("x"), address(0), new Claim[](0), new bytes[](0), none)
            )
        );
        (Claim[] memory claims, bytes[] memory proofs) = planned(runner, list(output(CALL, 0)));
        vm.expectRevert("Tool call failed");
        runner.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
        meddler.arm(address(runner), abi.encodeCall(runner.onFrame, (abi.encode(inputOf("x")))));
        vm.expectRevert("Tool call failed");
        runner.runWithProofs(inputOf("go"), address(0), claims, proofs, termsFor(claims));
    }

    function test_a_false_output_or_proof_undoes_the_run() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        for (uint256 i = 0; i < 2; ++i) {
            claims[i].output[8 * OUTPUTS - 1] = 0x01;
            vm.expectRevert(FakeVerifier.ProofRefused.selector);
            runs(runner, claims, proofs);
            claims[i].output[8 * OUTPUTS - 1] = 0x00;
            bytes memory true_ = proofs[i];
            proofs[i] = bytes.concat(true_, hex"00");
            vm.expectRevert(FakeVerifier.ProofRefused.selector);
            runs(runner, claims, proofs);
            proofs[i] = true_;
        }
        assertEq(runs(runner, claims, proofs), "answer 5");
    }

    function test_claims_for_another_prompt_or_too_few_or_too_many_are_refused() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        RunTerms memory terms = termsFor(claims);
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        runner.runWithProofs(inputOf("stop"), address(0), claims, proofs, terms);
        vm.expectPartialRevert(IAgentExecutor.ClaimsLeftOver.selector);
        runs(runner, append(claims, claims[1]), append(proofs, proofs[1]));
        vm.expectPartialRevert(IAgentExecutor.ClaimMissing.selector);
        runs(runner, append(new Claim[](0), claims[0]), list(proofs[0]));
    }

    /// @dev The ERC's agent gives no terms; whoever sends does, and is held to them.
    function test_another_call_than_the_owner_agreed_to_is_refused() public {
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        RunTerms memory terms = termsFor(claims);
        terms.calls[0].callHash = callHash(address(agent), makeAddr("other tool"), "");
        vm.expectPartialRevert(IAgentExecutor.CallNotAgreed.selector);
        runner.runWithProofs(inputOf("go"), address(0), claims, proofs, terms);
    }

    function test_another_agents_decisions_are_not_its_agents() public {
        PlainRunner other = runnerOf(strangerOn(echo));
        (Claim[] memory claims, bytes[] memory proofs) =
            planned(other, list(output(CALL, 0), output(ANSWER, 5)));
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        runs(runner, claims, proofs);
    }

    function test_leaving_out_a_nested_claim_does_not_choose_the_catching_branch() public {
        StrangersAgent parent = strangerOn(new CatchingTool(agent));
        runner = runnerOf(parent);
        (Claim[] memory claims, bytes[] memory proofs) =
            planned(runner, list(output(CALL, 0), output(ANSWER, 3), output(ANSWER, 4)));
        assertEq(runs(runner, claims, proofs), "answer 4");
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        runs(
            runner, append(append(new Claim[](0), claims[0]), claims[2]), list(proofs[0], proofs[2])
        );
    }

    function test_a_failure_of_the_agent_is_the_runs() public {
        runner = runnerOf(strangerOn(new FailingTool()));
        (Claim[] memory claims, bytes[] memory proofs) = planned(runner, list(output(CALL, 0)));
        vm.expectRevert("Tool call failed");
        runs(runner, claims, proofs);
    }

    function test_an_agent_that_answers_later_is_refused() public {
        echo.setRunId(7);
        runner = runnerOf(echo);
        RunTerms memory terms;
        terms.deadline = type(uint64).max;
        vm.expectRevert(
            abi.encodeWithSelector(IPlainRunner.AgentIsAsynchronous.selector, echo, int256(7))
        );
        runner.runWithProofs(inputOf("go"), address(0), new Claim[](0), new bytes[](0), terms);
    }

    function test_a_runner_needs_an_agent_and_a_handler_that_is_a_client() public {
        address nobody = makeAddr("nobody");
        vm.expectRevert(abi.encodeWithSelector(IPlainRunner.AgentHasNoCode.selector, nobody));
        new PlainRunner(executor, IERCAgentTool(nobody), address(this), false);
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(abi.encodeWithSelector(IResultSource.HandlerIsNoClient.selector, nobody));
        runner.runWithProofs(inputOf("go"), nobody, claims, proofs, terms);
    }

    /// @dev An agent that was told to serve its runner.
    function test_agents_that_serve_one_address_serve_their_runner() public {
        address at = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = echo;
        TestAgent ours = new TestAgent(executor, vm.toString(model), at, tools, 5);
        runner = runnerOf(ours);
        assertEq(address(runner), at);
        (Claim[] memory claims, bytes[] memory proofs) =
            planned(runner, list(output(CALL, 0), output(ANSWER, 5)));
        assertEq(runs(runner, claims, proofs), "answer 5");
    }

    function test_one_proof_covers_the_decisions_of_a_strangers_agent() public {
        setBatches(model, 2, 4);
        bytes[] memory ys = list(output(CALL, 0), output(ANSWER, 5));
        Claim[] memory claims;
        bytes[] memory xs;
        for (uint256 i = 0; i < 2; ++i) {
            Missing memory m = missing(IProvenAgent(address(runner)), "go", claims);
            claims = append(claims, Claim(model, keccak256(m.features), ys[i]));
            xs = append(xs, m.features);
        }
        assertEq(runs(runner, claims, list(truthOfRows(by2, 2, xs, ys), "")), "answer 5");
    }

    /// @dev For tools that have proofs verified before they act.
    function test_a_runner_that_needs_proofs_has_them_at_hand() public {
        MeddlingTool meddler = new MeddlingTool();
        meddler.arm(address(executor), abi.encodeCall(executor.verifySoFar, ()));
        agent = strangerOn(meddler);
        runner = runnerOf(agent);
        (Claim[] memory claims, bytes[] memory proofs) = twoDecisions();
        vm.expectRevert(abi.encodeWithSelector(IAgentExecutor.ProofsNotKept.selector, 0, meddler));
        runs(runner, claims, proofs);
        runner = new PlainRunner(executor, agent, address(this), true);
        assertTrue(runner.needsProofs());
        assertEq(runs(runner, claims, proofs), "answer 5");
        proofs[1] = proofs[0];
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        runs(runner, claims, proofs);
    }
}

/// @dev Opens a frame and has somebody else's runner called in it.
contract Usurper is IFramedAgent {
    IAgentExecutor private immutable _executor;
    IPlainRunner private immutable _runner;

    constructor(IAgentExecutor executor, IPlainRunner runner) {
        (_executor, _runner) = (executor, runner);
    }

    function open(bytes calldata request) external {
        RunTerms memory terms;
        terms.deadline = type(uint64).max;
        terms.calls = new AgreedCall[](0);
        _executor.runInFrame(new Claim[](0), new bytes[](0), terms, request);
    }

    function onFrame(bytes calldata request) external returns (string memory, string[] memory) {
        return _runner.onFrame(request);
    }
}
