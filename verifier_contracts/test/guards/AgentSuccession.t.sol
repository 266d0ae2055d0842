// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {GuardedTool} from "../../src/guards/GuardedTool.sol";
import {IAgentExecutor} from "../../src/interfaces/IAgentExecutor.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {IAllowList, ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {CallStatus, IApprovals} from "../../src/interfaces/guards/IApprovals.sol";
import {IBudgets} from "../../src/interfaces/guards/IBudgets.sol";
import {IDelayedChanges} from "../../src/interfaces/guards/IDelayedChanges.sol";
import {IGuard, Mode} from "../../src/interfaces/guards/IGuard.sol";
import {ISuccession, Succession} from "../../src/interfaces/guards/ISuccession.sol";
import {DecidedAgent, IWholeGuard, Vault} from "./GuardFakes.sol";
import {GuardWorld} from "./GuardWorld.sol";

contract AgentSuccessionTest is GuardWorld {
    uint256 private ownerKey = 0x0123;
    DecidedAgent private successor = new DecidedAgent();
    IERCAgentTool private newPay = payTool(address(successor));

    function setUp() public override {
        super.setUp();
        IWholeGuard owned =
            IWholeGuard(deployCode("Guard.sol:Guard", abi.encode(vm.addr(ownerKey), agent, vault)));
        vm.startPrank(vm.addr(ownerKey));
        owned.setMode(Mode.AUTONOMOUS);
        owned.setBudget(address(token), TOTAL, PER_CALL);
        ToolRule memory rule = payRule();
        rule.maxRuns = 3;
        owned.allow(address(pay), rule);
        owned.setRate(3);
        vm.stopPrank();
        guard = owned;
        agent.setGuard(guard);
        successor.setGuard(guard);
        pays(300);
    }

    function succession() private view returns (Succession memory s) {
        (s.predecessor, s.successor) = (address(agent), address(successor));
        (s.oldTools, s.newTools) = (new address[](1), new address[](1));
        (s.oldTools[0], s.newTools[0]) = (address(pay), address(newPay));
        s.deadline = block.timestamp;
    }

    function signed(Succession memory s, uint256 key) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s_) = vm.sign(key, guard.successionDigest(s));
        return abi.encodePacked(r, s_, v);
    }

    function refused(Succession memory s, bytes memory reason) private {
        bytes memory signature = signed(s, ownerKey);
        vm.expectRevert(reason);
        guard.succeed(s, signature);
    }

    function test_the_successor_goes_on_with_budget_rate_and_runs() public {
        vm.prank(stranger); // anyone may bring it
        guard.succeed(succession(), signed(succession(), ownerKey));
        assertEq(guard.agent(), address(successor));
        assertEq(guard.successions(), 1);
        (uint256 runs,) = guard.runsOf(address(newPay));
        assertEq(runs, 1);
        successor.act(newPay, payment(400));
        assertEq(spent(address(token)), 700);
        vm.expectRevert(
            abi.encodeWithSelector(IBudgets.BudgetExceeded.selector, address(token), 301, 300)
        );
        successor.act(newPay, payment(301));
        successor.act(newPay, payment(300));
        vm.expectRevert(abi.encodeWithSelector(IAllowList.NoRunsLeft.selector, newPay, 3));
        successor.act(newPay, payment(0));
        (, uint256 counted) = guard.rate();
        assertEq(counted, 3);
    }

    function test_the_predecessor_may_do_nothing_any_more() public {
        guard.succeed(succession(), signed(succession(), ownerKey));
        vm.expectRevert(abi.encodeWithSelector(IAllowList.ToolNotAllowed.selector, pay));
        pays(1);
        vm.prank(address(agent));
        vm.expectRevert(
            abi.encodeWithSelector(IGuard.CallerIsNotGuarded.selector, agent, successor)
        );
        guard.beforeCall(newPay, payment(1).abiEncodedParams);
    }

    function test_only_the_owners_signature_makes_a_successor() public {
        Succession memory s = succession();
        bytes memory signature = signed(s, 0xbad);
        bytes32 digest = guard.successionDigest(s);
        vm.expectRevert(
            abi.encodeWithSelector(ISuccession.SuccessionSignatureInvalid.selector, digest)
        );
        guard.succeed(s, signature);
        signature = signed(s, ownerKey);
        s.successor = stranger;
        digest = guard.successionDigest(s);
        vm.expectRevert(
            abi.encodeWithSelector(ISuccession.SuccessionSignatureInvalid.selector, digest)
        );
        guard.succeed(s, signature);
    }

    function test_a_signature_is_good_once_even_if_the_predecessor_comes_back() public {
        Succession memory there = succession();
        bytes memory signature = signed(there, ownerKey);
        guard.succeed(there, signature);
        refused(
            there, abi.encodeWithSelector(ISuccession.NotThePredecessor.selector, successor, agent)
        );
        Succession memory back = succession();
        (back.predecessor, back.successor, back.nonce) = (address(successor), address(agent), 1);
        (back.oldTools, back.newTools) = (new address[](0), new address[](0));
        guard.succeed(back, signed(back, ownerKey));
        vm.expectRevert(abi.encodeWithSelector(ISuccession.SuccessionNonceMismatch.selector, 2, 0));
        guard.succeed(there, signature);
    }

    function test_a_late_succession_does_not_happen() public {
        Succession memory s = succession();
        vm.warp(s.deadline + 1);
        refused(
            s,
            abi.encodeWithSelector(
                ISuccession.SuccessionTooLate.selector, s.deadline, s.deadline + 1
            )
        );
    }

    function test_tools_are_replaced_one_by_one_by_such_as_wrap_the_same() public {
        Succession memory s = succession();
        s.newTools = new address[](2);
        refused(s, abi.encodeWithSelector(ISuccession.ToolCountMismatch.selector, 1, 2));
        s = succession();
        s.oldTools[0] = stranger;
        refused(s, abi.encodeWithSelector(IAllowList.ToolNotAllowed.selector, stranger));
        s = succession();
        s.newTools[0] = address(wrapper(address(successor), address(vault), Vault.call.selector));
        refused(
            s,
            abi.encodeWithSelector(
                IAllowList.OtherWiring.selector, s.newTools[0], vault, Vault.call.selector
            )
        );
    }

    function test_a_tool_with_a_rule_takes_nobodys_place() public {
        vm.prank(vm.addr(ownerKey));
        guard.allow(address(newPay), payRule());
        refused(succession(), abi.encodeWithSelector(ISuccession.ToolHasARule.selector, newPay));
    }

    /// @dev A delay is for those who watch the guard: they would see a new agent no sooner than it acts.
    function test_a_guard_with_a_delay_has_a_succession_announced() public {
        vm.prank(vm.addr(ownerKey));
        guard.setDelay(1 days);
        Succession memory s = succession();
        s.deadline = block.timestamp + 1 days;
        bytes memory call = abi.encodeCall(guard.succeed, (s, signed(s, ownerKey)));
        refused(
            s, abi.encodeWithSelector(IDelayedChanges.ChangeNotAnnounced.selector, keccak256(call))
        );
        vm.prank(vm.addr(ownerKey));
        guard.announce(call);
        refused(
            s,
            abi.encodeWithSelector(
                IDelayedChanges.ChangeTooEarly.selector, keccak256(call), s.deadline
            )
        );
        vm.warp(s.deadline);
        vm.prank(stranger);
        guard.succeed(s, signed(s, ownerKey));
        assertEq(guard.agent(), address(successor));
    }

    /// @dev A wrapped tool stays what it was: what it waits with was the predecessor's decision.
    function test_what_waits_or_was_approved_is_void() public {
        vm.startPrank(vm.addr(ownerKey));
        guard.setMode(Mode.SUPERVISED);
        address predicted =
            vm.computeCreateAddress(vm.addr(ownerKey), vm.getNonce(vm.addr(ownerKey)) + 1);
        GuardedTool wrapped =
            new GuardedTool(guard, payTool(predicted), IAgentExecutor(address(agent)), false);
        vm.stopPrank();
        assertEq(address(wrapped), predicted);
        ToolRule memory rule = payRule();
        rule.wrapped = true;
        vm.prank(vm.addr(ownerKey));
        guard.allow(address(wrapped), rule);
        for (uint256 i = 0; i < 3; ++i) {
            vm.prank(address(agent));
            wrapped.run(payment(100), address(0));
        }
        bytes32 hash = guard.callHashOf(wrapped, payment(100));
        vm.startPrank(vm.addr(ownerKey));
        guard.approve(1, hash, uint40(block.timestamp));
        guard.decline(3, "no");
        vm.stopPrank();
        guard.succeed(succession(), signed(succession(), ownerKey));
        vm.expectRevert(
            abi.encodeWithSelector(
                IApprovals.CallNotApproved.selector, 1, CallStatus.VOID, uint40(block.timestamp)
            )
        );
        wrapped.makeApproved(1, payment(100));
        vm.prank(vm.addr(ownerKey));
        vm.expectRevert(
            abi.encodeWithSelector(IApprovals.CallDoesNotWait.selector, 2, CallStatus.VOID)
        );
        guard.approve(2, hash, uint40(block.timestamp));
        assertTrue(guard.waiting(1).status == CallStatus.VOID);
        assertTrue(guard.waiting(3).status == CallStatus.DECLINED);
        vm.prank(address(successor));
        wrapped.run(payment(100), address(0));
        assertTrue(guard.waiting(4).status == CallStatus.WAITING);
        vm.prank(vm.addr(ownerKey));
        guard.approve(4, hash, uint40(block.timestamp));
    }
}
