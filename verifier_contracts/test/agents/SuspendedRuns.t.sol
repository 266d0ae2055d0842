// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {AgentInput} from "../../src/agents/AgentInput.sol";
import {LaterTool} from "../../src/demo/LaterTool.sol";
import {Claim, IAgentExecutor, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IResultSource} from "../../src/interfaces/IResultSource.sol";
import {AgentRun, AwaitedResult, ISuspendingAgent} from "../../src/interfaces/ISuspendingAgent.sol";
import {IERCAgent} from "../../src/interfaces/erc/IERCAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {BadClient, Client} from "../fakes/Clients.sol";
import {EchoTool, MeddlingTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {World} from "../support/World.sol";

/// @dev Runs that wait for a tool: what goes on, and every neighbour that must not.
contract SuspendedRunsTest is World {
    LaterTool private later = laterTool();
    TestAgent private agent = on(later, 5);
    Client private client = new Client(address(agent));
    string private constant SO_FAR = "Thought: use it\nObservation: 12\\nThought: pay\n";

    function laterTool() private returns (LaterTool) {
        return new LaterTool(address(this), "Later", "Answers later", AgentInput.describe("what"));
    }

    function on(IERCAgentTool tool, uint16 most) private returns (TestAgent) {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        return new TestAgent(executor, vm.toString(model), address(0), tools, most);
    }

    /// @dev As `plan`, of a run with a handler.
    function planFor(TestAgent who, address handler, bytes[] memory outputs)
        private
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        for (uint256 i = 0; i < outputs.length; ++i) {
            Missing memory m = missingIn(
                reasonOf(who, abi.encodeCall(who.simulateFor, (inputOf("go"), handler, claims)))
            );
            claims = append(claims, Claim(m.modelId, keccak256(m.features), outputs[i]));
            proofs = append(proofs, truth(m.features, outputs[i]));
        }
    }

    /// @dev As `plan`, of a run that goes on.
    function planOn(TestAgent who, int256 runId, bytes[] memory outputs)
        private
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        for (uint256 i = 0; i < outputs.length; ++i) {
            Missing memory m = missingIn(reasonOn(who, runId, claims));
            claims = append(claims, Claim(m.modelId, keccak256(m.features), outputs[i]));
            proofs = append(proofs, truth(m.features, outputs[i]));
        }
    }

    function reasonOn(TestAgent who, int256 runId, Claim[] memory claims)
        private
        returns (bytes memory)
    {
        return reasonOf(who, abi.encodeCall(who.simulateResume, (runId, claims)));
    }

    function reasonOf(TestAgent who, bytes memory call_) private returns (bytes memory reason) {
        bool success;
        (success, reason) = address(who).call(call_);
        assertFalse(success);
    }

    /// @dev Runs until the tool is asked, and waits.
    function suspended(TestAgent who, address handler) private returns (int256 runId) {
        (Claim[] memory claims, bytes[] memory proofs) =
            planFor(who, handler, list(output(CALL, 0)));
        string memory result;
        (runId, result) =
            who.runWithProofs(inputOf("go"), handler, claims, proofs, termsFor(claims));
        assertEq(result, "");
    }

    function resumes(TestAgent who, int256 runId, bytes[] memory outputs)
        private
        returns (int256 runIdOr, string memory result)
    {
        (Claim[] memory claims, bytes[] memory proofs) = planOn(who, runId, outputs);
        return who.resumeWithProofs(runId, claims, proofs, termsFor(claims));
    }

    // What goes on

    function test_a_run_waits_and_goes_on_with_the_answer() public {
        (Claim[] memory claims, bytes[] memory proofs) =
            planFor(agent, address(client), list(output(CALL, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.expectEmit(address(agent));
        emit ISuspendingAgent.RunSuspended(1, address(this), address(later), 0);
        (int256 runId,) = agent.runWithProofs(inputOf("go"), address(client), claims, proofs, terms);
        assertEq(runId, 1);
        assertEq(client.calls(), 0);
        vm.expectEmit(address(agent));
        emit ISuspendingAgent.ResultReceived(1, address(later), 0, "12\nThought: pay");
        later.answer(0, "12\nThought: pay");
        string[] memory steps = new string[](1);
        steps[0] = SO_FAR;
        (claims, proofs) = planOn(agent, 1, list(output(REPORT, 0)));
        terms = termsFor(claims);
        vm.expectEmit(address(agent));
        emit ISuspendingAgent.RunResumed(1);
        vm.expectEmit(address(agent));
        emit IERCAgent.AgentRunResult(1, address(this), steps, SO_FAR);
        (int256 ended, string memory result) = agent.resumeWithProofs(1, claims, proofs, terms);
        assertEq(ended, -1);
        assertEq(result, SO_FAR);
        assertEq(client.calls(), 1);
        assertEq(client.runId(), 1);
        assertEq(client.result(), SO_FAR);
    }

    function test_the_handler_is_told_once_the_frame_is_closed() public {
        BadClient bad = new BadClient(address(agent), BadClient.Way.REVERTS);
        int256 runId = suspended(agent, address(bad));
        later.answer(0, "12");
        (Claim[] memory claims, bytes[] memory proofs) =
            planOn(agent, runId, list(output(ANSWER, 5)));
        RunTerms memory terms = termsFor(claims);
        vm.expectEmit(address(agent));
        emit IResultSource.ResultUndelivered(
            runId,
            address(bad),
            "answer 5",
            abi.encodeWithSignature("Error(string)", "not in the mood")
        );
        (, string memory result) = agent.resumeWithProofs(runId, claims, proofs, terms);
        assertEq(result, "answer 5");
    }

    function test_what_a_run_waits_for_can_be_read() public {
        int256 runId = suspended(agent, address(client));
        (AgentRun memory run, AwaitedResult memory awaited) = agent.suspendedRun(runId);
        assertEq(run.id, runId);
        assertEq(run.requester, address(this));
        assertEq(run.handler, address(client));
        assertEq(run.prompt, "go");
        assertEq(run.steps.length, 0);
        assertEq(awaited.tool, address(later));
        assertEq(awaited.toolRunId, 0);
        assertEq(awaited.reasoning, "Thought: use it\n");
        assertFalse(awaited.answered);
        later.answer(0, "12");
        (, awaited) = agent.suspendedRun(runId);
        assertTrue(awaited.answered);
        assertEq(awaited.result, "12");
    }

    function test_a_run_may_wait_again_and_its_iterations_count_on() public {
        agent = on(later, 3);
        client = new Client(address(agent));
        int256 runId = suspended(agent, address(client));
        later.answer(0, "12");
        (int256 still,) = resumes(agent, runId, list(output(CALL, 0)));
        assertEq(still, runId);
        later.answer(1, "12");
        (AgentRun memory run,) = agent.suspendedRun(runId);
        assertEq(run.steps.length, 1);
        (Claim[] memory claims,) = planOn(agent, runId, list(output(CALL, 0)));
        // The third call waits, too; its answer leaves no iteration for another decision.
        assertEq(bytes4(reasonOn(agent, runId, claims)), IAgentExecutor.SimulationResult.selector);
        (still,) = resumes(agent, runId, list(output(CALL, 0)));
        assertEq(still, runId);
        later.answer(2, "12");
        vm.expectRevert(
            abi.encodeWithSelector(IProvenAgent.IterationLimitReached.selector, uint256(3))
        );
        agent.resume(runId);
    }

    function test_several_runs_wait_side_by_side() public {
        int256 one = suspended(agent, address(client));
        int256 two = suspended(agent, address(client));
        assertTrue(one != two);
        later.answer(1, "second");
        later.answer(0, "first");
        (, string memory result) = resumes(agent, two, list(output(REPORT, 0)));
        assertEq(result, "Thought: use it\nObservation: second\n");
        (, result) = resumes(agent, one, list(output(REPORT, 0)));
        assertEq(result, "Thought: use it\nObservation: first\n");
    }

    function test_a_run_goes_on_with_recorded_decisions() public {
        int256 runId = suspended(agent, address(client));
        later.answer(0, "12");
        (Claim[] memory claims, bytes[] memory proofs) =
            planOn(agent, runId, list(output(ANSWER, 5)));
        bytes memory x = missingIn(reasonOn(agent, runId, new Claim[](0))).features;
        executor.recordDecision(model, x, claims[0].output, proofs[0]);
        (int256 ended, string memory result) = agent.resume(runId);
        assertEq(ended, -1);
        assertEq(result, "answer 5");
        assertEq(client.result(), "answer 5");
    }

    /// @dev Both wait; the answer goes to the inner one, and the outer one goes on with the inner one.
    function test_an_agent_waits_for_an_agent_that_waits() public {
        TestAgent parent = on(agent, 5);
        client = new Client(address(parent));
        (Claim[] memory claims, bytes[] memory proofs) =
            planFor(parent, address(client), list(output(CALL, 0), output(CALL, 0)));
        (int256 runId,) =
            parent.runWithProofs(inputOf("go"), address(client), claims, proofs, termsFor(claims));
        assertEq(runId, 1);
        vm.expectRevert(
            abi.encodeWithSelector(ISuspendingAgent.ResultMissing.selector, 1, later, int256(0))
        );
        parent.resume(runId);
        later.answer(0, "12");
        (int256 ended, string memory result) =
            resumes(parent, runId, list(output(ANSWER, 3), output(REPORT, 0)));
        assertEq(ended, -1);
        assertEq(result, "Thought: use it\nObservation: answer 3\n");
        assertEq(client.result(), result);
        vm.expectRevert(abi.encodeWithSelector(ISuspendingAgent.NotSuspended.selector, 1));
        agent.suspendedRun(1);
    }

    function test_an_agent_goes_on_waiting_while_its_agent_waits_again() public {
        TestAgent parent = on(agent, 5);
        client = new Client(address(parent));
        (Claim[] memory claims, bytes[] memory proofs) =
            planFor(parent, address(client), list(output(CALL, 0), output(CALL, 0)));
        parent.runWithProofs(inputOf("go"), address(client), claims, proofs, termsFor(claims));
        later.answer(0, "12");
        (int256 still, string memory result) = resumes(parent, 1, list(output(CALL, 0)));
        assertEq(still, 1);
        assertEq(result, "");
        later.answer(1, "13");
        (still, result) = resumes(parent, 1, list(output(ANSWER, 3), output(ANSWER, 4)));
        assertEq(still, -1);
        assertEq(client.result(), "answer 4");
    }

    // What does not

    function test_a_run_without_a_handler_cannot_wait() public {
        (Claim[] memory claims, bytes[] memory proofs) = plan(agent, "go", list(output(CALL, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(
            abi.encodeWithSelector(IProvenAgent.ToolIsAsynchronous.selector, later, int256(0))
        );
        agent.runWithProofs(inputOf("go"), address(0), claims, proofs, terms);
    }

    function test_an_id_below_zero_is_none() public {
        EchoTool echo = new EchoTool();
        echo.setRunId(-2);
        agent = on(echo, 5);
        client = new Client(address(agent));
        (Claim[] memory claims, bytes[] memory proofs) =
            planFor(agent, address(client), list(output(CALL, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(
            abi.encodeWithSelector(IProvenAgent.ToolIsAsynchronous.selector, echo, int256(-2))
        );
        agent.runWithProofs(inputOf("go"), address(client), claims, proofs, terms);
    }

    function test_a_tool_that_never_answers_leaves_a_run_that_waits() public {
        int256 runId = suspended(agent, address(client));
        bytes memory missingResult = abi.encodeWithSelector(
            ISuspendingAgent.ResultMissing.selector, runId, later, int256(0)
        );
        vm.expectRevert(missingResult);
        agent.resume(runId);
        vm.expectRevert(missingResult);
        agent.simulateResume(runId, new Claim[](0));
        RunTerms memory terms;
        terms.deadline = type(uint64).max;
        vm.expectRevert(missingResult);
        agent.resumeWithProofs(runId, new Claim[](0), new bytes[](0), terms);
        suspended(agent, address(client)); // and other runs are none the worse
    }

    function test_a_tool_answers_once() public {
        int256 runId = suspended(agent, address(client));
        vm.startPrank(address(later));
        agent.handleAgentResult(0, "12");
        bytes memory nobodyWaits =
            abi.encodeWithSelector(ISuspendingAgent.NoRunWaits.selector, later, int256(0));
        vm.expectRevert(nobodyWaits);
        agent.handleAgentResult(0, "99");
        vm.stopPrank();
        (, string memory result) = resumes(agent, runId, list(output(REPORT, 0)));
        assertEq(result, "Thought: use it\nObservation: 12\n");
        vm.prank(address(later));
        vm.expectRevert(nobodyWaits);
        agent.handleAgentResult(0, "99");
    }

    function test_nobody_but_the_tool_answers() public {
        suspended(agent, address(client));
        address[4] memory others =
            [address(this), address(client), address(executor), address(new EchoTool())];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.prank(others[i]);
            vm.expectRevert(
                abi.encodeWithSelector(ISuspendingAgent.NoRunWaits.selector, others[i], int256(0))
            );
            agent.handleAgentResult(0, "99");
        }
        vm.prank(address(later));
        vm.expectRevert(
            abi.encodeWithSelector(ISuspendingAgent.NoRunWaits.selector, later, int256(1))
        );
        agent.handleAgentResult(1, "99");
    }

    function test_a_tool_cannot_answer_within_the_call_that_asks_it() public {
        HastyTool hasty = new HastyTool(0);
        agent = on(hasty, 5);
        client = new Client(address(agent));
        (Claim[] memory claims, bytes[] memory proofs) =
            planFor(agent, address(client), list(output(CALL, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(
            abi.encodeWithSelector(ISuspendingAgent.NoRunWaits.selector, hasty, int256(0))
        );
        agent.runWithProofs(inputOf("go"), address(client), claims, proofs, terms);
    }

    /// @dev It may answer an earlier question then, which is its right, and no other.
    function test_an_id_that_a_run_waits_for_is_not_given_twice() public {
        EchoTool echo = new EchoTool();
        echo.setRunId(7);
        agent = on(echo, 5);
        client = new Client(address(agent));
        int256 first = suspended(agent, address(client));
        (Claim[] memory claims, bytes[] memory proofs) =
            planFor(agent, address(client), list(output(CALL, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(
            abi.encodeWithSelector(ISuspendingAgent.ToolRunIdTaken.selector, echo, int256(7), first)
        );
        agent.runWithProofs(inputOf("go"), address(client), claims, proofs, terms);
        vm.prank(address(echo));
        agent.handleAgentResult(7, "12");
        assertTrue(suspended(agent, address(client)) != first);
    }

    function test_only_who_asked_resumes() public {
        int256 runId = suspended(agent, address(client));
        later.answer(0, "12");
        address other = makeAddr("other");
        RunTerms memory terms;
        terms.deadline = type(uint64).max;
        bytes memory refusal = abi.encodeWithSelector(
            ISuspendingAgent.CallerIsNotTheRequester.selector, other, address(this)
        );
        vm.startPrank(other);
        vm.expectRevert(refusal);
        agent.resume(runId);
        vm.expectRevert(refusal);
        agent.resumeWithProofs(runId, new Claim[](0), new bytes[](0), terms);
        vm.expectRevert(refusal);
        agent.simulateResume(runId, new Claim[](0));
        vm.stopPrank();
    }

    function test_a_run_is_resumed_once() public {
        int256 runId = suspended(agent, address(client));
        later.answer(0, "12");
        resumes(agent, runId, list(output(ANSWER, 5)));
        bytes memory over = abi.encodeWithSelector(ISuspendingAgent.NotSuspended.selector, runId);
        vm.expectRevert(over);
        agent.resume(runId);
        vm.expectRevert(over);
        agent.suspendedRun(runId);
        vm.expectRevert(abi.encodeWithSelector(ISuspendingAgent.NotSuspended.selector, 99));
        agent.resume(99);
    }

    function test_a_false_proof_leaves_the_run_where_it_was() public {
        int256 runId = suspended(agent, address(client));
        later.answer(0, "12");
        (Claim[] memory claims, bytes[] memory proofs) =
            planOn(agent, runId, list(output(ANSWER, 5)));
        RunTerms memory terms = termsFor(claims);
        bytes memory true_ = proofs[0];
        proofs[0] = bytes.concat(true_, hex"00");
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        agent.resumeWithProofs(runId, claims, proofs, terms);
        proofs[0] = true_;
        (, string memory result) = agent.resumeWithProofs(runId, claims, proofs, terms);
        assertEq(result, "answer 5");
    }

    /// @dev What was observed is part of what the next decision is made from.
    function test_steps_of_a_run_that_waits_are_what_they_were() public {
        int256 runId = suspended(agent, address(client));
        (AgentRun memory before,) = agent.suspendedRun(runId);
        vm.record();
        later.answer(0, "12");
        suspended(agent, address(client));
        (AgentRun memory later_,) = agent.suspendedRun(runId);
        assertEq(keccak256(abi.encode(before)), keccak256(abi.encode(later_)));
        (, bytes32[] memory writes) = vm.accesses(address(agent));
        for (uint256 i = 0; i < writes.length; ++i) {
            assertTrue(writes[i] != dataSlot(runId), "the run was written again");
        }
        (Claim[] memory claims,) = planOn(agent, runId, list(output(ANSWER, 5)));
        (Claim[] memory other,) = planOn(agent, runId, list(output(ANSWER, 5)));
        assertEq(claims[0].featuresHash, other[0].featuresHash);
    }

    /// @dev Where the address of the data contract of a run is kept, found by looking for it.
    function dataSlot(int256 runId) private returns (bytes32) {
        vm.record();
        agent.suspendedRun(runId);
        (bytes32[] memory reads,) = vm.accesses(address(agent));
        for (uint256 i = 0; i < reads.length; ++i) {
            address at = address(uint160(uint256(vm.load(address(agent), reads[i]))));
            if (at.code.length > 64 && at != address(later)) return reads[i];
        }
        revert("no data");
    }

    function test_a_run_cannot_be_resumed_while_another_is_under_way() public {
        MeddlingTool meddler = new MeddlingTool();
        IERCAgentTool[] memory tools = new IERCAgentTool[](2);
        (tools[0], tools[1]) = (later, meddler);
        agent = agentWith(tools, address(0));
        client = new Client(address(agent));
        int256 runId = suspended(agent, address(client));
        later.answer(0, "12");
        meddler.arm(address(agent), abi.encodeCall(agent.resume, (runId)));
        (Claim[] memory claims, bytes[] memory proofs) =
            planFor(agent, address(client), list(output(CALL, 1)));
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(IProvenAgent.RunInProgress.selector);
        agent.runWithProofs(inputOf("go"), address(client), claims, proofs, terms);
    }

    // The tool

    function test_the_tool_hears_its_keeper_alone_and_once() public {
        suspended(agent, address(client));
        address stranger = makeAddr("stranger");
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(LaterTool.CallerIsNotTheKeeper.selector, stranger, this)
        );
        later.answer(0, "99");
        vm.expectRevert(abi.encodeWithSelector(LaterTool.NothingAsked.selector, int256(1)));
        later.answer(1, "99");
        later.answer(0, "12");
        vm.expectRevert(abi.encodeWithSelector(LaterTool.NothingAsked.selector, int256(0)));
        later.answer(0, "12");
        vm.expectRevert(abi.encodeWithSelector(IResultSource.HandlerIsNoClient.selector, stranger));
        later.run(inputOf("x"), stranger);
        assertEq(later.keeper(), address(this));
    }
}

/// @dev Answers before it has said under which id.
contract HastyTool is EchoTool {
    int256 private immutable _id;

    constructor(int256 id) {
        _id = id;
    }

    function run(Input calldata, address handler)
        external
        override
        returns (int256, string memory)
    {
        if (handler != address(0)) {
            TestAgent(handler).handleAgentResult(_id, "at once");
        }
        return (_id, "");
    }
}
