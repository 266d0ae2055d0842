// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {IRequestDesk, Order, Request, RequestStatus} from "../../src/interfaces/IRequestDesk.sol";
import {MeddlingTool} from "../fakes/FakeTools.sol";
import {ErcClient, HostileClient, InheritingClient, YesSayer} from "./Clients.sol";
import {DeskWorld} from "./DeskWorld.sol";

/// @dev The ERC's door, and handlers that do whatever they like.
contract ResultDeliveryTest is DeskWorld {
    HostileClient private client;

    function setUp() public override {
        super.setUp();
        client = new HostileClient(desk);
        vm.deal(address(client), 10 ether);
    }

    function test_a_client_that_knows_only_the_erc_is_served() public {
        ErcClient stranger = new ErcClient(desk);
        desk.deposit{value: FEE}(address(stranger));
        int256 runId = stranger.ask(inputOf(PROMPT));
        assertEq(runId, 1);
        Request memory r = posted(address(stranger), GAS);
        assertEq(fulfilled(1, r), "answer 5");
        assertEq(stranger.runId(), runId);
        assertEq(stranger.result(), "answer 5");
        assertEq(desk.balanceOf(operator), FEE);
        assertEq(desk.balanceOf(address(stranger)), 0);
    }

    function test_the_door_is_paid_for_in_advance() public {
        ErcClient stranger = new ErcClient(desk);
        desk.deposit{value: FEE - 1}(address(stranger));
        vm.expectRevert(
            abi.encodeWithSelector(
                IRequestDesk.BalanceTooLow.selector, address(stranger), FEE - 1, FEE
            )
        );
        stranger.ask(inputOf(PROMPT));
    }

    function test_a_refunded_client_pays_its_next_request_with_it() public {
        ErcClient stranger = new ErcClient(desk);
        desk.deposit{value: FEE}(address(stranger));
        stranger.ask(inputOf(PROMPT));
        Request memory r = posted(address(stranger), GAS);
        skip(2 hours);
        desk.refund(1, r);
        assertEq(stranger.ask(inputOf(PROMPT)), 2);
    }

    function test_handlers_say_that_they_are_clients() public {
        Order memory o = order(address(new YesSayer(desk)), GAS);
        bytes4 no = IRequestDesk.HandlerIsNoClient.selector;
        vm.expectRevert(abi.encodeWithSelector(no, o.handler));
        desk.place{value: FEE}(o);
        o.handler = makeAddr("no code");
        vm.expectRevert(abi.encodeWithSelector(no, o.handler));
        desk.place{value: FEE}(o);
        o.handler = address(tool);
        vm.expectRevert(abi.encodeWithSelector(no, o.handler));
        desk.place{value: FEE}(o);
        InheritingClient other = new InheritingClient(desk);
        o.handler = address(other);
        (uint256 id, Request memory r) = placed(o);
        fulfilled(id, r);
        assertEq(other.calls(), 1);
    }

    function test_a_callback_needs_handler_and_gas() public {
        Order memory o = order(address(0), GAS);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.CallbackIncomplete.selector, address(0), GAS)
        );
        desk.place{value: FEE}(o);
        o = order(address(client), 0);
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.CallbackIncomplete.selector, address(client), 0)
        );
        desk.place{value: FEE}(o);
    }

    function test_a_handler_that_fails_loses_nothing() public {
        HostileClient.Act[4] memory acts = [
            HostileClient.Act.REVERT,
            HostileClient.Act.EAT_GAS,
            HostileClient.Act.BOMB,
            HostileClient.Act.LEAVE
        ];
        for (uint256 i = 0; i < acts.length; ++i) {
            (uint256 id, Request memory r) = placed(order(address(client), GAS));
            client.set(acts[i]);
            fulfilled(id, r);
            assertStatus(id, RequestStatus.ANSWERED);
            assertEq(desk.balanceOf(operator), (i + 1) * FEE);
            assertEq(client.calls(), i);
            vm.expectEmit(address(desk));
            emit IRequestDesk.ResultUndelivered(id, address(client));
            assertFalse(desk.deliver(id, r, "answer 5"));
            client.set(HostileClient.Act.TAKE);
            vm.expectRevert(abi.encodeWithSelector(IRequestDesk.NotAsPosted.selector, id));
            desk.deliver(id, r, "answer 6");
            vm.expectEmit(address(desk));
            emit IRequestDesk.ResultDelivered(id, address(client));
            assertTrue(desk.deliver(id, r, "answer 5"));
            assertEq(client.calls(), i + 1);
            expectDelivered(id);
            desk.deliver(id, r, "answer 5");
        }
    }

    function test_an_undelivered_result_is_no_refund() public {
        (uint256 id, Request memory r) = placed(order(address(client), GAS));
        client.set(HostileClient.Act.REVERT);
        fulfilled(id, r);
        skip(2 hours);
        vm.expectRevert(
            abi.encodeWithSelector(
                IRequestDesk.WrongStatus.selector, id, RequestStatus.PENDING, RequestStatus.ANSWERED
            )
        );
        desk.refund(id, r);
    }

    function test_a_handler_asks_again_from_inside_its_callback() public {
        (uint256 id, Request memory r) = placed(order(address(client), 500_000));
        client.set(HostileClient.Act.NEXT_REQUEST);
        fulfilled(id, r);
        assertEq(client.nextId(), 2);
        assertStatus(2, RequestStatus.PENDING);
        assertStatus(1, RequestStatus.DELIVERED);
    }

    function test_a_callback_cannot_have_its_result_or_fee_again() public {
        (uint256 id, Request memory r) = placed(order(address(client), GAS));
        client.set(HostileClient.Act.REENTER);
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        bytes[4] memory attempts = [
            abi.encodeCall(desk.deliver, (id, r, "answer 5")),
            abi.encodeCall(desk.fulfil, (id, r, claims, proofs, terms)),
            abi.encodeCall(desk.refund, (id, r)),
            abi.encodeCall(desk.fail, (id, r))
        ];
        for (uint256 i = 0; i < attempts.length; ++i) {
            uint256 before = vm.snapshotState();
            client.aim(address(desk), attempts[i]);
            vm.prank(operator);
            desk.fulfil(id, r, claims, proofs, terms);
            assertFalse(client.reentered(), "reentered");
            assertEq(client.calls(), 1);
            assertEq(desk.balanceOf(operator), FEE);
            vm.revertToState(before);
        }
    }

    /// @dev A tool that is used by the run of a request comes back for it.
    function test_a_tool_cannot_end_the_request_that_uses_it() public {
        MeddlingTool meddler = new MeddlingTool();
        (agent, desk) = deskWith(meddler, address(0));
        (uint256 id, Request memory r) = asked();
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        RunTerms memory terms = termsFor(claims);
        bytes[4] memory attempts = [
            abi.encodeCall(desk.deliver, (id, r, "answer 5")),
            abi.encodeCall(desk.fulfil, (id, r, claims, proofs, terms)),
            abi.encodeCall(desk.refund, (id, r)),
            abi.encodeCall(desk.fail, (id, r))
        ];
        for (uint256 i = 0; i < attempts.length; ++i) {
            meddler.arm(address(desk), attempts[i]);
            vm.expectPartialRevert(IRequestDesk.WrongStatus.selector);
            desk.fulfil(id, r, claims, proofs, terms);
            assertStatus(id, RequestStatus.PENDING);
        }
        meddler.arm(address(desk), abi.encodeCall(desk.requestCount, ()));
        desk.fulfil(id, r, claims, proofs, terms);
    }

    /// @dev With whatever gas it is sent, an answer either reverts or gives the handler all its gas.
    function test_an_operator_cannot_starve_a_callback() public {
        (uint256 id, Request memory r) = placed(order(address(client), 200_000));
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        bytes memory data = abi.encodeCall(desk.fulfil, (id, r, claims, proofs, termsFor(claims)));
        (uint256 done, uint256 refused) = (0, 0);
        for (uint256 spent = 400_000; spent < 3_000_000; spent += 25_000) {
            uint256 before = vm.snapshotState();
            (bool success,) = address(desk).call{gas: spent}(data);
            if (success) {
                assertEq(client.calls(), 1, "a starved callback");
                assertGt(client.gasSeen(), 198_000);
                ++done;
            } else {
                ++refused;
            }
            vm.revertToState(before);
        }
        assertGt(done, 0);
        assertGt(refused, 0);
    }

    function test_a_redeliverer_cannot_starve_a_callback() public {
        (uint256 id, Request memory r) = placed(order(address(client), 200_000));
        client.set(HostileClient.Act.REVERT);
        fulfilled(id, r);
        client.set(HostileClient.Act.TAKE);
        bytes memory data = abi.encodeCall(desk.deliver, (id, r, "answer 5"));
        for (uint256 spent = 30_000; spent < 500_000; spent += 10_000) {
            uint256 before = vm.snapshotState();
            (bool success,) = address(desk).call{gas: spent}(data);
            if (success) assertEq(client.calls(), 1, "a starved callback");
            vm.revertToState(before);
        }
        (bool enough,) = address(desk).call{gas: 500_000}(data);
        assertTrue(enough);
    }

    function test_a_payee_that_comes_back_is_paid_once() public {
        desk.deposit{value: FEE}(address(client));
        desk.deposit{value: FEE}(address(this));
        client.set(HostileClient.Act.REENTER);
        client.aim(address(desk), abi.encodeCall(desk.withdraw, (payable(client), FEE)));
        client.forward(address(desk), 0, abi.encodeCall(desk.withdraw, (payable(client), FEE)));
        assertFalse(client.reentered());
        assertEq(address(desk).balance, FEE);
        assertEq(desk.balanceOf(address(client)), 0);
    }

    function test_a_payee_that_refuses_concerns_itself_alone() public {
        desk.deposit{value: FEE}(address(tool));
        vm.prank(address(tool));
        vm.expectRevert(
            abi.encodeWithSelector(IRequestDesk.PaymentRefused.selector, address(tool), FEE)
        );
        desk.withdraw(payable(address(tool)), FEE);
        assertEq(desk.balanceOf(address(tool)), FEE);
        vm.prank(address(tool));
        desk.withdraw(payable(requester), FEE);
    }

    function expectDelivered(uint256 id) private {
        vm.expectRevert(
            abi.encodeWithSelector(
                IRequestDesk.WrongStatus.selector,
                id,
                RequestStatus.ANSWERED,
                RequestStatus.DELIVERED
            )
        );
    }
}
