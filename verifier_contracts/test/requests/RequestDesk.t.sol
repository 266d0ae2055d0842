// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, Fact, IAgentExecutor, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
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
import {EchoTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {StrictAgent} from "../fakes/StrictAgent.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {DeskWorld} from "./DeskWorld.sol";

/// @dev Requests from their posting to each of their ends, and the neighbours that must not get there.
contract RequestDeskTest is DeskWorld {
    function test_a_request_is_answered_and_paid_for() public {
        (uint256 id, Request memory r) = asked();
        assertEq(id, 1);
        assertStatus(id, RequestStatus.PENDING);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        vm.expectEmit(address(tool));
        emit EchoTool.Used(address(agent));
        vm.expectEmit(address(desk));
        emit IERCAgent.AgentRunResult(1, requester, new string[](0), "answer 5");
        vm.expectEmit(address(desk));
        emit IRequestDesk.RequestAnswered(1, operator, FEE);
        RunTerms memory terms = termsFor(claims);
        vm.prank(operator);
        assertEq(desk.fulfil(id, r, claims, proofs, terms), "answer 5");
        assertStatus(id, RequestStatus.DELIVERED);
        assertEq(desk.balanceOf(operator), FEE);
        assertEq(address(desk).balance, FEE);
    }

    function test_a_request_is_posted_with_all_that_it_is() public {
        Request memory r = posted(requester, 0);
        vm.expectEmit(address(desk));
        emit IRequestDesk.RequestPosted(1, requester, r);
        asked();
        assertEq(desk.requestCount(), 1);
    }

    function test_a_request_is_answered_once() public {
        (uint256 id, Request memory r) = asked();
        fulfilled(id, r);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        expectStatus(id, RequestStatus.PENDING, RequestStatus.DELIVERED);
        desk.fulfil(id, r, claims, proofs, terms);
        skip(2 hours);
        expectStatus(id, RequestStatus.PENDING, RequestStatus.DELIVERED);
        desk.refund(id, r);
        expectStatus(id, RequestStatus.ANSWERED, RequestStatus.DELIVERED);
        desk.deliver(id, r, "answer 5");
    }

    function test_claims_need_proofs() public {
        (uint256 id, Request memory r) = asked();
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        proofs[1] = proofs[0];
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        desk.fulfil(id, r, claims, proofs, terms);
        assertStatus(id, RequestStatus.PENDING);
    }

    function test_a_request_is_not_answered_without_claims() public {
        (uint256 id, Request memory r) = asked();
        Claim[] memory none = new Claim[](0);
        RunTerms memory terms = termsFor(none);
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.ClaimMissing.selector, 0, agent, model)
        );
        desk.fulfil(id, r, none, new bytes[](0), terms);
    }

    function test_claims_for_another_prompt_answer_nothing() public {
        (uint256 id, Request memory r) = asked();
        bytes[] memory outputs = list(output(ANSWER, 5));
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(IProvenAgent(address(desk)), "another", outputs);
        RunTerms memory terms = termsFor(claims);
        vm.expectPartialRevert(IAgentExecutor.ClaimForOtherFeatures.selector);
        desk.fulfil(id, r, claims, proofs, terms);
    }

    /// @dev Each field by itself: what is answered is what was posted.
    function test_nothing_but_what_was_posted_is_answered() public {
        (uint256 id, Request memory good) = asked();
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        for (uint256 field = 0; field < 10; ++field) {
            Request memory r = changed(good, field);
            vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, id));
            desk.fulfil(id, r, claims, proofs, terms);
            vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, id));
            desk.refund(id, r);
            vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, id));
            desk.fail(id, r);
        }
        expectStatus(2, RequestStatus.PENDING, RequestStatus.NONE);
        desk.fulfil(2, good, claims, proofs, terms);
        desk.fulfil(id, good, claims, proofs, terms);
    }

    function test_a_request_of_one_number_is_not_another_ones() public {
        (uint256 first, Request memory r) = asked();
        Order memory o = order(address(0), 0);
        o.fee = 2 ether;
        (uint256 second, Request memory dearer) = placed(o);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, first));
        desk.fulfil(first, dearer, claims, proofs, terms);
        vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, second));
        desk.fulfil(second, r, claims, proofs, terms);
    }

    function test_time_and_refund_do_not_overlap() public {
        (uint256 id, Request memory r) = asked();
        vm.warp(r.order.deadline);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.RequestNotOver.selector, id, r.order.deadline, 0)
        );
        desk.refund(id, r);
        uint256 before = vm.snapshotState();
        fulfilled(id, r);
        vm.revertToState(before);
        vm.warp(r.order.deadline + 1);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.RequestOver.selector, id, r.order.deadline, 0)
        );
        desk.fulfil(id, r, claims, proofs, terms);
        desk.refund(id, r);
        assertStatus(id, RequestStatus.REFUNDED);
    }

    function test_a_refund_is_the_requesters_and_comes_once() public {
        (uint256 id, Request memory r) = asked();
        skip(2 hours);
        vm.expectEmit(address(desk));
        emit IRequestDesk.RequestRefunded(id, requester, FEE);
        vm.prank(operator);
        desk.refund(id, r);
        expectStatus(id, RequestStatus.PENDING, RequestStatus.REFUNDED);
        desk.refund(id, r);
        uint256 before = requester.balance;
        vm.prank(requester);
        desk.withdraw(payable(requester), FEE);
        assertEq(requester.balance, before + FEE);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.BalanceTooLow.selector, requester, 0, 1)
        );
        vm.prank(requester);
        desk.withdraw(payable(requester), 1);
    }

    function test_the_last_block_is_a_bound_too() public {
        Order memory o = order(address(0), 0);
        o.lastBlock = uint64(block.number + 2);
        (uint256 id, Request memory r) = placed(o);
        vm.roll(o.lastBlock);
        uint256 before = vm.snapshotState();
        fulfilled(id, r);
        vm.revertToState(before);
        vm.roll(o.lastBlock + 1);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        vm.expectPartialRevert(IRequestDesk.RequestOver.selector);
        desk.fulfil(id, r, claims, proofs, terms);
        desk.refund(id, r);
    }

    function test_facts_bind_the_run_whatever_the_operator_agrees_to() public {
        Order memory o = order(address(0), 0);
        o.facts = new Fact[](1);
        o.facts[0] = Fact(address(tool), tool.runId.selector, bytes32(uint256(0)));
        (uint256 id, Request memory r) = placed(o);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(
            abi.encodeWithSelector(IAgentExecutor.FactChanged.selector, 0, address(tool))
        );
        desk.fulfil(id, r, claims, proofs, terms);
        o.facts[0].expected = bytes32(type(uint256).max); // -1, which it is
        (id, r) = placed(o);
        fulfilled(id, r);
    }

    function test_an_order_for_one_operator_is_no_one_elses() public {
        Order memory o = order(address(0), 0);
        o.operator = operator;
        (uint256 id, Request memory r) = placed(o);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.OperatorNotNamed.selector, address(this), operator)
        );
        desk.fulfil(id, r, claims, proofs, terms);
        fulfilled(id, r);
    }

    function test_a_request_fails_when_the_agent_obeys_another_model() public {
        (uint256 id, Request memory r) = asked();
        bytes32 old = registry.commitmentHash(model);
        vm.expectRevert(abi.encodeWithSelector(IRequestDesk.ModelIsTheSame.selector, id, old));
        desk.fail(id, r);
        bytes32 other = keccak256("another model");
        vm.mockCall(
            address(agent),
            abi.encodeWithSelector(IProvenAgent.pinnedCommitment.selector),
            abi.encode(other)
        );
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.ModelIsAnother.selector, id, old, other)
        );
        desk.fulfil(id, r, claims, proofs, terms);
        vm.expectEmit(address(desk));
        emit IRequestDesk.RequestFailed(id, old, other);
        desk.fail(id, r);
        assertEq(desk.balanceOf(requester), FEE);
        expectStatus(id, RequestStatus.PENDING, RequestStatus.FAILED);
        desk.fail(id, r);
        skip(2 hours);
        expectStatus(id, RequestStatus.PENDING, RequestStatus.FAILED);
        desk.refund(id, r);
    }

    function test_an_agent_that_does_not_tell_its_model_fails_no_request() public {
        vm.mockCallRevert(
            address(agent), abi.encodeWithSelector(IProvenAgent.pinnedCommitment.selector), "none"
        );
        desk = new RequestDesk(agent, executor, address(0), DoorTerms(0, 1, 0), false);
        vm.clearMockedCalls();
        (uint256 id, Request memory r) = asked();
        r.commitment = 0;
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.ModelIsTheSame.selector, id, bytes32(0))
        );
        desk.fail(id, r);
    }

    /// @dev Which refuses to act in any other frame.
    function test_a_strict_agent_has_its_decisions_proven_before_it_acts() public {
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool;
        agent = new StrictAgent(executor, vm.toString(model), address(0), tools, 5);
        desk = new RequestDesk(agent, executor, address(0), DoorTerms(0, 1, 0), false);
        (uint256 id, Request memory r) = asked();
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        (bytes memory good, bytes memory bad) = (proofs[0], proofs[1]);
        proofs[0] = bad;
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        desk.fulfil(id, r, claims, proofs, terms);
        proofs[0] = good;
        assertEq(desk.fulfil(id, r, claims, proofs, terms), "answer 5");
    }

    function test_a_failing_run_ends_nothing() public {
        (uint256 id, Request memory r) = asked();
        (Claim[] memory claims, bytes[] memory proofs) =
            plan(IProvenAgent(address(desk)), PROMPT, list(output(REFUSE, 0)));
        RunTerms memory terms = termsFor(claims);
        vm.expectRevert();
        desk.fulfil(id, r, claims, proofs, terms);
        assertStatus(id, RequestStatus.PENDING);
        assertEq(desk.balanceOf(address(this)), 0);
    }

    /// @dev Of an agent that does not say how it is resumed.
    function test_an_answer_that_comes_later_is_none() public {
        bytes memory asks =
            abi.encodeCall(agent.supportsInterface, (type(ISuspendingAgent).interfaceId));
        vm.mockCall(address(agent), asks, abi.encode(false));
        desk = new RequestDesk(agent, executor, address(0), DoorTerms(FEE, 1 hours, GAS), false);
        (uint256 id, Request memory r) = asked();
        vm.mockCall(
            address(agent), abi.encodeWithSelector(IERCAgentTool.run.selector), abi.encode(7, "x")
        );
        Claim[] memory none = new Claim[](0);
        RunTerms memory terms = termsFor(none);
        vm.expectRevert(abi.encodeWithSelector(IRequestDesk.AgentIsAsynchronous.selector, 7));
        desk.fulfil(id, r, none, new bytes[](0), terms);
    }

    function test_a_patron_is_served_alone() public {
        (, desk) = deskWith(tool, requester);
        bytes memory refusal = abi.encodeWithSelector(
            IRequestDesk.CallerIsNotThePatron.selector, address(this), requester
        );
        uint64 deadline = uint64(block.timestamp + 1);
        vm.expectRevert(refusal);
        desk.request{value: 1}(PROMPT, 1, deadline, 0);
        Order memory o = order(address(0), 0);
        vm.expectRevert(refusal);
        desk.place{value: FEE}(o);
        vm.expectRevert(refusal);
        desk.run(inputOf(PROMPT), address(0));
        asked();
    }

    function test_a_fee_is_there_before_it_is_promised() public {
        uint64 deadline = uint64(block.timestamp + 1);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.BalanceTooLow.selector, address(this), 0, 1)
        );
        desk.request{value: FEE - 1}(PROMPT, FEE, deadline, 0);
        desk.request{value: FEE + 3}(PROMPT, FEE, deadline, 0);
        assertEq(desk.balanceOf(address(this)), 3);
        desk.request{value: FEE - 2}(PROMPT, FEE, deadline, 0);
        assertEq(desk.balanceOf(address(this)), 1);
        assertEq(address(desk).balance, 2 * FEE + 1);
    }

    function test_deadlines_lie_ahead_and_not_far() public {
        uint256 now_ = block.timestamp;
        uint64[3] memory bad = [uint64(now_ - 1), uint64(now_), uint64(now_ + 30 days + 1)];
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(
                    IRequestDesk.DeadlineOutOfRange.selector, bad[i], now_, 30 days
                )
            );
            desk.request(PROMPT, 0, bad[i], 0);
        }
        desk.request(PROMPT, 0, uint64(now_ + 1), 0);
        desk.request(PROMPT, 0, uint64(now_ + 30 days), 0);
        Order memory o = order(address(0), 0);
        (o.fee, o.lastBlock) = (0, uint64(block.number));
        desk.place(o);
        vm.roll(block.number + 1);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.LastBlockPassed.selector, o.lastBlock, block.number)
        );
        desk.place(o);
    }

    function test_a_desk_opens_frames_where_its_agent_decides() public {
        vm.expectRevert(
            abi.encodeWithSelector(
                IRequestDesk.ExecutorMismatch.selector, address(1), address(executor)
            )
        );
        new RequestDesk(agent, IAgentExecutor(address(1)), address(0), DoorTerms(0, 1, 0), false);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.LifetimeOutOfRange.selector, 0, 30 days)
        );
        new RequestDesk(agent, executor, address(0), DoorTerms(0, 0, 0), false);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.LifetimeOutOfRange.selector, 30 days + 1, 30 days)
        );
        new RequestDesk(agent, executor, address(0), DoorTerms(0, 30 days + 1, 0), false);
    }

    function test_only_the_executor_has_the_agent_run() public {
        vm.expectRevert(
            abi.encodeWithSelector(IProvenAgent.CallerIsNotTheExecutor.selector, address(this))
        );
        desk.onFrame(bytes(PROMPT));
        vm.expectRevert(abi.encodeWithSelector(TestAgent.NotServed.selector, address(this)));
        agent.run(inputOf(PROMPT), address(0));
    }

    function test_a_desk_speaks_as_its_agent_does() public view {
        assertEq(desk.name(), agent.name());
        assertEq(desk.description(), agent.description());
        assertEq(
            keccak256(abi.encode(desk.inputDescription())),
            keccak256(abi.encode(agent.inputDescription()))
        );
        assertTrue(desk.supportsInterface(0x01ffc9a7));
        assertTrue(desk.supportsInterface(type(IERCAgentTool).interfaceId));
        assertTrue(desk.supportsInterface(type(IRequestDesk).interfaceId));
        assertFalse(desk.supportsInterface(0xffffffff));
        assertEq(address(desk.agent()), address(agent));
        assertEq(address(desk.agentExecutor()), address(executor));
        assertEq(desk.door().fee, FEE);
        assertEq(desk.patron(), address(0));
    }

    function expectStatus(uint256 id, RequestStatus expected, RequestStatus actual) private {
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.WrongStatus.selector, id, expected, actual)
        );
    }

    function changed(Request memory good, uint256 field) private pure returns (Request memory r) {
        r = abi.decode(abi.encode(good), (Request));
        if (field == 0) r.requester = address(1);
        else if (field == 1) r.commitment = bytes32(0);
        else if (field == 2) r.order.prompt = "send it to me";
        else if (field == 3) r.order.fee += 1;
        else if (field == 4) r.order.deadline -= 1;
        else if (field == 5) r.order.lastBlock = 1;
        else if (field == 6) r.order.gasForCallback = 1;
        else if (field == 7) r.order.handler = address(1);
        else if (field == 8) r.order.operator = address(1);
        else r.order.facts = new Fact[](1);
    }
}
