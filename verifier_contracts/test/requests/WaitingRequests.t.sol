// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {AgentInput} from "../../src/agents/AgentInput.sol";
import {LaterTool} from "../../src/demo/LaterTool.sol";
import {Claim, Fact, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {
    DoorTerms,
    IRequestDesk,
    Order,
    Request,
    RequestStatus
} from "../../src/interfaces/IRequestDesk.sol";
import {ISuspendingAgent} from "../../src/interfaces/ISuspendingAgent.sol";
import {IERCAgent} from "../../src/interfaces/erc/IERCAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {RequestDesk} from "../../src/requests/RequestDesk.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {StrictAgent} from "../fakes/StrictAgent.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {HostileClient} from "./Clients.sol";
import {DeskWorld} from "./DeskWorld.sol";

/// @dev Requests whose agent waits for a tool that answers later: their ways on, and to each end.
contract WaitingRequestsTest is DeskWorld {
    LaterTool private later =
        new LaterTool(address(this), "Later", "Answers later", AgentInput.describe("what"));
    address private other = makeAddr("other");
    string private constant SO_FAR = "Thought: use it\nObservation: 12\n";

    function setUp() public override {
        super.setUp();
        (agent, desk) = deskWith(later, address(0));
    }

    /// @dev Asked, and begun by the operator.
    function waiting() private returns (uint256 id, Request memory r) {
        return begun(order(address(0), 0));
    }

    function begun(Order memory o) private returns (uint256 id, Request memory r) {
        (id, r) = placed(o);
        begin(id, r);
        assertStatus(id, RequestStatus.WAITING);
    }

    function begin(uint256 id, Request memory r) private returns (string memory) {
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(IProvenAgent(address(desk)), PROMPT, list(output(CALL, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.prank(operator);
        return desk.fulfil(id, r, claims, proofs, terms);
    }

    function planOn(uint256 id, bytes[] memory outputs)
        private
        returns (Claim[] memory claims, bytes[] memory proofs)
    {
        for (uint256 i = 0; i < outputs.length; ++i) {
            Missing memory m;
            try desk.simulateResume(id, claims) {
                revert("simulateResume returned");
            } catch (bytes memory reason) {
                m = missingIn(reason);
            }
            claims = append(claims, Claim(m.modelId, keccak256(m.features), outputs[i]));
            proofs = append(proofs, truth(m.features, outputs[i]));
        }
    }

    function resumed(uint256 id, Request memory r, address by, bytes[] memory outputs)
        private
        returns (string memory)
    {
        (Claim[] memory claims, bytes[] memory proofs) = planOn(id, outputs);
        RunTerms memory terms = termsFor(claims);
        vm.prank(by);
        return desk.resume(id, r, claims, proofs, terms);
    }

    function resumeNothing(uint256 id, Request memory r) private {
        RunTerms memory terms;
        terms.deadline = type(uint64).max;
        desk.resume(id, r, new Claim[](0), new bytes[](0), terms);
    }

    function expectStatus(uint256 id, RequestStatus expected, RequestStatus actual) private {
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.WrongStatus.selector, id, expected, actual)
        );
    }

    // What goes on

    function test_a_request_waits_and_is_answered_by_whoever_resumes_it() public {
        (uint256 id, Request memory r) = asked();
        assertEq(begin(id, r), "");
        assertStatus(id, RequestStatus.WAITING);
        assertEq(desk.runOf(id), 1);
        assertEq(desk.balanceOf(operator), 0, "nobody is paid before there is an answer");
        later.answer(0, "12");
        (Claim[] memory claims, bytes[] memory proofs) = planOn(id, list(output(REPORT, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.expectEmit(address(desk));
        emit IRequestDesk.RequestAnswered(id, other, FEE);
        vm.prank(other);
        assertEq(desk.resume(id, r, claims, proofs, terms), SO_FAR);
        assertStatus(id, RequestStatus.DELIVERED);
        assertEq(desk.balanceOf(other), FEE);
        assertEq(desk.balanceOf(operator), 0);
        assertEq(address(desk).balance, FEE);
    }

    function test_it_is_told_that_a_request_waits_and_what_it_came_to() public {
        (uint256 id, Request memory r) = asked();
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(IProvenAgent(address(desk)), PROMPT, list(output(CALL, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.expectEmit(address(desk));
        emit IRequestDesk.RequestWaits(id, operator, 1);
        vm.prank(operator);
        desk.fulfil(id, r, claims, proofs, terms);
        later.answer(0, "12");
        (claims, proofs) = planOn(id, list(output(ANSWER, 5)));
        terms = termsFor(claims);
        vm.recordLogs();
        desk.resume(id, r, claims, proofs, terms);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory told = logs[logs.length - 2]; // before RequestAnswered
        assertEq(told.emitter, address(desk));
        assertEq(told.topics[0], IERCAgent.AgentRunResult.selector);
        assertEq(told.topics[1], bytes32(id));
        assertEq(told.data, abi.encode(requester, new string[](0), "answer 5"));
    }

    function test_a_run_may_wait_again_and_is_paid_for_once() public {
        (uint256 id, Request memory r) = waiting();
        later.answer(0, "12");
        assertEq(resumed(id, r, operator, list(output(CALL, 0))), "");
        assertStatus(id, RequestStatus.WAITING);
        assertEq(desk.balanceOf(operator), 0);
        later.answer(1, "13");
        assertEq(resumed(id, r, operator, list(output(ANSWER, 5))), "answer 5");
        assertEq(desk.balanceOf(operator), FEE);
    }

    function test_requests_wait_side_by_side() public {
        (uint256 one, Request memory first) = waiting();
        (uint256 two, Request memory second) = waiting();
        assertTrue(desk.runOf(one) != desk.runOf(two));
        later.answer(1, "second");
        later.answer(0, "first");
        assertEq(
            resumed(two, second, operator, list(output(REPORT, 0))),
            "Thought: use it\nObservation: second\n"
        );
        assertEq(
            resumed(one, first, operator, list(output(REPORT, 0))),
            "Thought: use it\nObservation: first\n"
        );
    }

    function test_the_handler_is_told_once_at_the_end() public {
        HostileClient client = new HostileClient(desk);
        (uint256 id, Request memory r) = begun(order(address(client), GAS));
        assertEq(client.calls(), 0);
        later.answer(0, "12");
        client.set(HostileClient.Act.REENTER);
        client.aim(
            address(desk),
            abi.encodeCall(
                desk.resume, (id, r, new Claim[](0), new bytes[](0), termsFor(new Claim[](0)))
            )
        );
        resumed(id, r, operator, list(output(ANSWER, 5)));
        assertEq(client.calls(), 1);
        assertEq(client.runId(), int256(id));
        assertEq(client.result(), "answer 5");
        assertFalse(client.reentered());
        assertStatus(id, RequestStatus.DELIVERED);
    }

    function test_an_undelivered_answer_of_a_run_that_waited_is_delivered_later() public {
        HostileClient client = new HostileClient(desk);
        (uint256 id, Request memory r) = begun(order(address(client), GAS));
        later.answer(0, "12");
        client.set(HostileClient.Act.REVERT);
        resumed(id, r, operator, list(output(ANSWER, 5)));
        assertStatus(id, RequestStatus.ANSWERED);
        assertEq(desk.balanceOf(operator), FEE);
        client.set(HostileClient.Act.TAKE);
        assertTrue(desk.deliver(id, r, "answer 5"));
        assertEq(client.calls(), 1);
    }

    function test_a_strict_agent_waits_and_goes_on_in_strict_frames() public {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = later;
        address next = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        agent = new StrictAgent(executor, vm.toString(model), next, tools, 5);
        desk = new RequestDesk(agent, executor, address(0), DoorTerms(FEE, 1 hours, GAS), false);
        (uint256 id, Request memory r) = waiting();
        later.answer(0, "12");
        assertEq(resumed(id, r, operator, list(output(ANSWER, 5))), "answer 5");
    }

    // What does not

    function test_nothing_goes_on_before_the_tool_has_answered() public {
        (uint256 id, Request memory r) = waiting();
        bytes memory missingResult =
            abi.encodeWithSelector(ISuspendingAgent.ResultMissing.selector, 1, later, int256(0));
        vm.expectRevert(missingResult);
        resumeNothing(id, r);
        vm.expectRevert(missingResult);
        desk.simulateResume(id, new Claim[](0));
        assertStatus(id, RequestStatus.WAITING);
    }

    function test_what_has_not_begun_or_is_over_is_not_resumed() public {
        (uint256 id, Request memory r) = asked();
        expectStatus(id, RequestStatus.WAITING, RequestStatus.PENDING);
        resumeNothing(id, r);
        expectStatus(id, RequestStatus.WAITING, RequestStatus.PENDING);
        desk.simulateResume(id, new Claim[](0));
        begin(id, r);
        later.answer(0, "12");
        resumed(id, r, operator, list(output(ANSWER, 5)));
        expectStatus(id, RequestStatus.WAITING, RequestStatus.DELIVERED);
        resumeNothing(id, r);
        skip(2 hours);
        expectStatus(id, RequestStatus.PENDING, RequestStatus.DELIVERED);
        desk.refund(id, r);
    }

    function test_what_waits_is_neither_begun_again_nor_delivered() public {
        (uint256 id, Request memory r) = waiting();
        RunTerms memory terms;
        expectStatus(id, RequestStatus.PENDING, RequestStatus.WAITING);
        desk.fulfil(id, r, new Claim[](0), new bytes[](0), terms);
        expectStatus(id, RequestStatus.ANSWERED, RequestStatus.WAITING);
        desk.deliver(id, r, "");
    }

    function test_the_time_out_ends_what_waits() public {
        (uint256 id, Request memory r) = waiting();
        vm.warp(r.order.deadline);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.RequestNotOver.selector, id, r.order.deadline, 0)
        );
        desk.refund(id, r);
        skip(1);
        later.answer(0, "12");
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.RequestOver.selector, id, r.order.deadline, 0)
        );
        resumeNothing(id, r);
        desk.refund(id, r);
        assertStatus(id, RequestStatus.REFUNDED);
        assertEq(desk.balanceOf(requester), FEE);
        expectStatus(id, RequestStatus.WAITING, RequestStatus.REFUNDED);
        resumeNothing(id, r);
        expectStatus(id, RequestStatus.PENDING, RequestStatus.REFUNDED);
        desk.refund(id, r);
    }

    function test_another_model_ends_what_waits() public {
        (uint256 id, Request memory r) = waiting();
        later.answer(0, "12");
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.ModelIsTheSame.selector, id, r.commitment)
        );
        desk.fail(id, r);
        vm.mockCall(
            address(agent),
            abi.encodeCall(agent.pinnedCommitment, ()),
            abi.encode(keccak256("another"))
        );
        vm.expectPartialRevert(IRequestDesk.ModelIsAnother.selector);
        resumeNothing(id, r);
        desk.fail(id, r);
        assertStatus(id, RequestStatus.FAILED);
        assertEq(desk.balanceOf(requester), FEE);
        expectStatus(id, RequestStatus.WAITING, RequestStatus.FAILED);
        resumeNothing(id, r);
    }

    function test_a_false_proof_leaves_it_waiting() public {
        (uint256 id, Request memory r) = waiting();
        later.answer(0, "12");
        (Claim[] memory claims, bytes[] memory proofs) = planOn(id, list(output(ANSWER, 5)));
        RunTerms memory terms = termsFor(claims);
        proofs[0] = bytes.concat(proofs[0], hex"00");
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        desk.resume(id, r, claims, proofs, terms);
        assertStatus(id, RequestStatus.WAITING);
        assertEq(resumed(id, r, operator, list(output(ANSWER, 5))), "answer 5");
    }

    function test_nothing_but_what_was_posted_is_resumed() public {
        (uint256 id, Request memory r) = waiting();
        later.answer(0, "12");
        Request memory changed = r;
        changed.order.fee = 2 ether;
        vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, id));
        resumeNothing(id, changed);
        vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, id));
        desk.refund(id, changed);
        vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, id));
        desk.fail(id, changed);
    }

    function test_an_order_for_one_operator_is_resumed_by_it_alone() public {
        Order memory o = order(address(0), 0);
        o.operator = operator;
        (uint256 id, Request memory r) = begun(o);
        later.answer(0, "12");
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.OperatorNotNamed.selector, address(this), operator)
        );
        resumeNothing(id, r);
        resumed(id, r, operator, list(output(ANSWER, 5)));
        assertEq(desk.balanceOf(operator), FEE);
    }

    function test_facts_are_about_the_beginning() public {
        Order memory o = order(address(0), 0);
        o.facts = new Fact[](1);
        o.facts[0] = Fact(address(tool), tool.runId.selector, bytes32(type(uint256).max));
        (uint256 id, Request memory r) = begun(o);
        later.answer(0, "12");
        tool.setRunId(7);
        assertEq(resumed(id, r, operator, list(output(ANSWER, 5))), "answer 5");
    }

    function test_results_come_from_frames_and_from_nobody_who_calls() public {
        (uint256 id,) = waiting();
        address[3] memory callers = [address(agent), address(later), address(this)];
        for (uint256 i = 0; i < callers.length; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(
                abi.encodeWithSelector(IRequestDesk.ResultNotProven.selector, callers[i], int256(1))
            );
            desk.handleAgentResult(1, "take this");
        }
        assertStatus(id, RequestStatus.WAITING);
    }

    /// @dev Of an agent that says that it can be resumed.
    function test_ids_of_no_run_are_refused() public {
        (uint256 id, Request memory r) = asked();
        int256[2] memory none = [int256(0), -2];
        for (uint256 i = 0; i < none.length; ++i) {
            vm.mockCall(
                address(agent),
                abi.encodeWithSelector(IERCAgentTool.run.selector),
                abi.encode(none[i], "x")
            );
            RunTerms memory terms = termsFor(new Claim[](0));
            vm.expectRevert(
                abi.encodeWithSelector(IRequestDesk.AgentIsAsynchronous.selector, none[i])
            );
            desk.fulfil(id, r, new Claim[](0), new bytes[](0), terms);
        }
    }

    function test_nobody_resumes_a_desks_run_beside_it() public {
        (uint256 id,) = waiting();
        later.answer(0, "12");
        int256 runId = desk.runOf(id);
        vm.expectRevert(abi.encodeWithSelector(TestAgent.NotServed.selector, address(this)));
        agent.resume(runId);
    }
}
