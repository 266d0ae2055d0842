// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IBudgets} from "../../src/interfaces/guards/IBudgets.sol";
import {IDelayedChanges} from "../../src/interfaces/guards/IDelayedChanges.sol";
import {IGuard, Mode, Way} from "../../src/interfaces/guards/IGuard.sol";
import {IWholeGuard} from "./GuardFakes.sol";
import {GuardWorld} from "./GuardWorld.sol";

contract GuardTest is GuardWorld {
    uint32 private constant DAY = 86_400;

    function test_a_new_guard_allows_nothing() public {
        IWholeGuard fresh = newGuard(address(agent));
        assertEq(fresh.owner(), address(this));
        assertEq(fresh.agent(), address(agent));
        assertEq(fresh.wallet(), address(vault));
        assertTrue(fresh.mode() == Mode.SUPERVISED);
        (uint256 perHour, uint256 counted) = fresh.rate();
        assertEq(perHour, 60);
        assertEq(counted, 0);
        (bool allowed,) = fresh.ruleOf(address(pay));
        assertFalse(allowed);
        assertEq(fresh.budgetedAssets().length, 0);
        assertEq(fresh.delay(), 0);
    }

    // Pause

    function test_a_paused_guard_lets_nothing_through_and_says_why() public {
        vm.expectEmit(address(guard));
        emit IGuard.Paused("risk threshold exceeded");
        guard.pause("risk threshold exceeded");
        bytes memory reason =
            abi.encodeWithSelector(IGuard.GuardIsPaused.selector, "risk threshold exceeded");
        vm.expectRevert(reason);
        pays(1);
        vm.warp(block.timestamp + 365 days);
        vm.expectRevert(reason);
        acts();
        (bool isPaused, string memory why) = guard.paused();
        assertTrue(isPaused);
        assertEq(why, "risk threshold exceeded");
        guard.resume();
        pays(1);
        (isPaused, why) = guard.paused();
        assertFalse(isPaused);
        assertEq(why, "");
    }

    function test_only_the_owner_pauses_and_resumes() public {
        bytes memory reason = abi.encodeWithSelector(
            IGuard.CallerIsNotTheGuardsOwner.selector, stranger, address(this)
        );
        vm.startPrank(stranger);
        vm.expectRevert(reason);
        guard.pause("");
        vm.expectRevert(reason);
        guard.resume();
        vm.expectRevert(reason);
        guard.setMode(Mode.PAPER);
        vm.expectRevert(reason);
        guard.setRate(1);
    }

    // Rate

    function test_no_more_calls_are_made_in_an_hour_than_may_be() public {
        guard.setRate(2);
        acts();
        acts();
        vm.expectRevert(abi.encodeWithSelector(IGuard.RateExceeded.selector, 2));
        acts();
        (, uint256 counted) = guard.rate();
        assertEq(counted, 2);
        vm.warp(block.timestamp + 3600);
        vm.expectRevert(abi.encodeWithSelector(IGuard.RateExceeded.selector, 2));
        acts();
        vm.warp(block.timestamp + 300);
        acts();
    }

    function test_at_a_rate_of_zero_nothing_is_called() public {
        guard.setRate(0);
        vm.expectRevert(abi.encodeWithSelector(IGuard.RateExceeded.selector, 0));
        acts();
    }

    /// @dev Against the plain list of times.
    function testFuzz_no_hour_has_more_calls_than_the_rate(uint16[24] calldata gaps, uint8 limit)
        public
    {
        uint256 most = uint256(limit) % 6;
        guard.setRate(uint16(most));
        uint256[] memory times = new uint256[](gaps.length);
        uint256 made = 0;
        for (uint256 i = 0; i < gaps.length; ++i) {
            vm.warp(block.timestamp + gaps[i] % 1500);
            (bool success,) = address(agent).call(abi.encodeCall(agent.act, (armed, inputOf(""))));
            uint256 within = 0;
            uint256 within65 = 0;
            for (uint256 j = 0; j < made; ++j) {
                if (times[j] + 3600 > block.timestamp) ++within;
                if (times[j] + 3900 > block.timestamp) ++within65;
            }
            if (success) {
                assertLt(within, most, "too many in an hour");
                times[made++] = block.timestamp;
            } else {
                assertGe(within65, most, "refused without need");
            }
        }
    }

    // Calls

    function test_calls_do_not_nest() public {
        armed.arm(address(agent), abi.encodeCall(agent.act, (pay, payment(1))));
        vm.expectRevert(abi.encodeWithSelector(IGuard.CallInProgress.selector, armed));
        acts();
    }

    function test_a_tool_cannot_end_its_own_call() public {
        armed.arm(address(guard), abi.encodeCall(guard.afterCall, (armed)));
        vm.expectRevert(abi.encodeWithSelector(IGuard.CallerIsNotGuarded.selector, armed, agent));
        acts();
    }

    function test_what_ends_is_what_began() public {
        vm.startPrank(address(agent));
        vm.expectRevert(
            abi.encodeWithSelector(IGuard.NoSuchCallInProgress.selector, pay, address(0))
        );
        guard.afterCall(pay);
        guard.beforeCall(pay, payment(1).abiEncodedParams);
        vm.expectRevert(abi.encodeWithSelector(IGuard.NoSuchCallInProgress.selector, armed, pay));
        guard.afterCall(armed);
    }

    function test_nothing_is_changed_during_a_call() public {
        vm.prank(address(agent));
        guard.beforeCall(armed, inputOf("").abiEncodedParams);
        bytes memory reason = abi.encodeWithSelector(IGuard.CallInProgress.selector, armed);
        vm.expectRevert(reason);
        guard.setBudget(address(token), 1, 1);
        vm.expectRevert(reason);
        guard.setRate(1);
        vm.expectRevert(reason);
        guard.disallow(address(armed));
    }

    function test_the_owner_says_once_whose_calls_a_guard_judges() public {
        vm.expectRevert(abi.encodeWithSelector(IGuard.AgentAlreadyBound.selector, agent));
        guard.bindAgent(alice);
        IWholeGuard fresh = newGuard(address(0));
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(
                IGuard.CallerIsNotTheGuardsOwner.selector, stranger, address(this)
            )
        );
        fresh.bindAgent(alice);
        fresh.bindAgent(alice);
        assertEq(fresh.agent(), alice);
    }

    function test_the_ways_of_the_modes() public {
        bytes memory params = payment(1).abiEncodedParams;
        vm.startPrank(address(agent));
        assertTrue(guard.beforeCall(pay, params) == Way.MAKE_IT);
        guard.afterCall(pay);
        vm.stopPrank();
        guard.setMode(Mode.SUPERVISED);
        assertTrue(guard.beforeCall(pay, params) == Way.ASK_FIRST);
        guard.setMode(Mode.PAPER);
        assertTrue(guard.beforeCall(pay, params) == Way.ON_PAPER);
        (uint256 runs,) = guard.runsOf(address(pay));
        assertEq(runs, 1);
        vm.expectRevert(
            abi.encodeWithSelector(IGuard.NoSuchCallInProgress.selector, pay, address(0))
        );
        guard.afterCall(pay);
    }

    // Changes

    function test_what_tightens_holds_at_once() public {
        guard.setDelay(DAY);
        guard.setRate(5);
        guard.setBudget(address(token), 500, 100);
        guard.limitRuns(address(pay), 10, 5);
        guard.setMode(Mode.PAPER);
        guard.requireManifest(true);
        guard.trustIssuer(address(this), false);
        guard.disallow(address(pay));
        guard.setDelay(2 * DAY);
    }

    function test_what_loosens_is_announced_first() public {
        guard.setMode(Mode.SUPERVISED);
        guard.setRate(5);
        guard.limitRuns(address(pay), 10, 5);
        guard.requireManifest(true);
        guard.setDelay(DAY);
        bytes[] memory calls = new bytes[](11);
        calls[0] = abi.encodeCall(guard.setRate, (6));
        calls[1] = abi.encodeCall(guard.setBudget, (address(token), TOTAL + 1, PER_CALL));
        calls[2] = abi.encodeCall(guard.setBudget, (address(token), TOTAL, PER_CALL + 1));
        calls[3] = abi.encodeCall(guard.setBudget, (address(0), 1, 1));
        calls[4] = abi.encodeCall(guard.limitRuns, (address(pay), 9, 5));
        calls[5] = abi.encodeCall(guard.limitRuns, (address(pay), 10, 6));
        calls[6] = abi.encodeCall(guard.setMode, (Mode.AUTONOMOUS));
        calls[7] = abi.encodeCall(guard.requireManifest, (false));
        calls[8] = abi.encodeCall(guard.trustIssuer, (alice, true));
        calls[9] = abi.encodeCall(guard.dropBudget, (address(token)));
        calls[10] = abi.encodeCall(guard.allow, (address(pay), payRule()));
        for (uint256 i = 0; i < calls.length; ++i) {
            bytes32 id = keccak256(calls[i]);
            refused(
                calls[i], abi.encodeWithSelector(IDelayedChanges.ChangeNotAnnounced.selector, id)
            );
            guard.announce(calls[i]);
            uint256 from = block.timestamp + DAY;
            vm.warp(from - 1);
            refused(
                calls[i], abi.encodeWithSelector(IDelayedChanges.ChangeTooEarly.selector, id, from)
            );
            vm.warp(from);
            uint256 state = vm.snapshotState();
            (bool success,) = address(guard).call(calls[i]);
            assertTrue(success);
            assertEq(guard.announcedAt(id), 0, "good for one change");
            vm.revertToState(state);
            guard.withdrawChange(id);
            refused(
                calls[i], abi.encodeWithSelector(IDelayedChanges.ChangeNotAnnounced.selector, id)
            );
        }
    }

    function test_a_shorter_delay_is_announced_too() public {
        guard.setDelay(DAY);
        bytes memory call = abi.encodeCall(guard.setDelay, (DAY - 1));
        refused(
            call,
            abi.encodeWithSelector(IDelayedChanges.ChangeNotAnnounced.selector, keccak256(call))
        );
        guard.announce(call);
        vm.warp(block.timestamp + DAY);
        guard.setDelay(DAY - 1);
        assertEq(guard.delay(), DAY - 1);
    }

    function test_only_the_owner_announces() public {
        bytes memory reason = abi.encodeWithSelector(
            IGuard.CallerIsNotTheGuardsOwner.selector, stranger, address(this)
        );
        vm.startPrank(stranger);
        vm.expectRevert(reason);
        guard.announce("");
        vm.expectRevert(reason);
        guard.withdrawChange(0);
        vm.expectRevert(reason);
        guard.setDelay(1);
        vm.stopPrank();
        vm.expectRevert(
            abi.encodeWithSelector(IDelayedChanges.ChangeNotAnnounced.selector, bytes32(0))
        );
        guard.withdrawChange(0);
    }

    function test_a_pause_ends_without_a_delay() public {
        guard.setDelay(DAY);
        guard.pause("for now");
        guard.resume();
        pays(1);
    }

    function refused(bytes memory call, bytes memory reason) private {
        (bool success, bytes memory returned) = address(guard).call(call);
        assertFalse(success);
        assertEq(returned, reason);
    }
}
