// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {IAllowList, ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IGuard} from "../../src/interfaces/guards/IGuard.sol";
import {ArmedTool, Vault} from "./GuardFakes.sol";
import {GuardWorld} from "./GuardWorld.sol";

contract AllowListTest is GuardWorld {
    function test_a_listed_tool_is_called() public {
        pays(100);
        assertEq(token.balanceOf(alice), 100);
        (uint256 runs, uint256 lastRun) = guard.runsOf(address(pay));
        assertEq(runs, 1);
        assertEq(lastRun, block.timestamp);
    }

    function test_a_tool_that_is_not_listed_is_not_called() public {
        ArmedTool other = new ArmedTool();
        vm.expectRevert(abi.encodeWithSelector(IAllowList.ToolNotAllowed.selector, other));
        agent.act(other, inputOf(""));
    }

    function test_a_tool_that_was_taken_off_is_not_called() public {
        guard.disallow(address(pay));
        vm.expectRevert(abi.encodeWithSelector(IAllowList.ToolNotAllowed.selector, pay));
        pays(1);
        vm.expectRevert(abi.encodeWithSelector(IAllowList.ToolNotAllowed.selector, pay));
        guard.disallow(address(pay));
    }

    function test_what_the_owner_said_of_a_tool_can_be_read() public view {
        (bool allowed, ToolRule memory rule) = guard.ruleOf(address(pay));
        assertTrue(allowed);
        assertEq(abi.encode(rule), abi.encode(payRule()));
        (allowed,) = guard.ruleOf(alice);
        assertFalse(allowed);
    }

    function test_another_code_at_the_tools_address_is_not_called() public {
        bytes32 before = address(pay).codehash;
        vm.etch(address(pay), address(armed).code);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAllowList.AllowedCodeChanged.selector, pay, before, address(armed).codehash
            )
        );
        pays(1);
    }

    function test_a_tool_has_to_wrap_what_the_owner_says() public {
        IERCAgentTool other = payTool(address(agent));
        ToolRule memory rule = payRule();
        bytes memory reason = abi.encodeWithSelector(
            IAllowList.OtherWiring.selector, other, address(vault), Vault.pay.selector
        );
        rule.selector = Vault.call.selector;
        vm.expectRevert(reason);
        guard.allow(address(other), rule);
        (rule.target, rule.selector) = (alice, Vault.pay.selector);
        vm.expectRevert(reason);
        guard.allow(address(other), rule);
        vm.expectRevert(reason);
        guard.allow(address(other), opaqueRule());
        vm.expectRevert(abi.encodeWithSelector(IAllowList.ToolTellsNothing.selector, armed));
        guard.allow(address(armed), payRule());
    }

    function test_of_a_tool_that_tells_nothing_the_owner_has_to_vouch() public {
        bytes memory reason = abi.encodeWithSelector(IAllowList.ToolTellsNothing.selector, armed);
        ToolRule memory rule = ruleOf(address(0), 0);
        vm.expectRevert(reason);
        guard.allow(address(armed), rule);
        rule.vouched = true;
        rule.target = address(token); // by halves
        vm.expectRevert(reason);
        guard.allow(address(armed), rule);
        (rule.target, rule.selector) = (address(0), Vault.pay.selector);
        vm.expectRevert(reason);
        guard.allow(address(armed), rule);
        rule.target = address(vault);
        guard.allow(address(armed), rule);
        (, ToolRule memory told) = guard.ruleOf(address(armed));
        assertEq(abi.encode(told), abi.encode(rule));
    }

    function test_nobody_vouches_for_a_tool_that_tells_what_it_wraps() public {
        ToolRule memory rule = payRule();
        rule.vouched = true;
        bytes memory reason = abi.encodeWithSelector(
            IAllowList.OtherWiring.selector, pay, address(vault), Vault.pay.selector
        );
        vm.expectRevert(reason);
        guard.allow(address(pay), rule);
        vm.expectRevert(reason);
        guard.allow(address(pay), opaqueRule());
    }

    function test_grants_that_cannot_be_counted_are_refused_by_the_owners_word_too() public {
        ToolRule memory rule = ruleOf(address(token), bytes4(keccak256("multicall(bytes[])")));
        rule.vouched = true;
        vm.expectRevert(abi.encodeWithSelector(IAllowList.GrantRefused.selector, rule.selector));
        guard.allow(address(armed), rule);
    }

    function test_an_account_without_code_is_no_tool() public {
        vm.expectRevert(
            abi.encodeWithSelector(IAllowList.OtherWiring.selector, alice, address(0), bytes4(0))
        );
        guard.allow(alice, opaqueRule());
    }

    function test_only_the_agent_has_its_calls_allowed() public {
        bytes memory reason =
            abi.encodeWithSelector(IGuard.CallerIsNotGuarded.selector, stranger, agent);
        vm.startPrank(stranger);
        vm.expectRevert(reason);
        guard.beforeCall(pay, payment(1).abiEncodedParams);
        vm.expectRevert(reason);
        guard.ask(pay, payment(1));
        vm.stopPrank();
        vm.prank(address(armed));
        vm.expectRevert(abi.encodeWithSelector(IGuard.CallerIsNotGuarded.selector, armed, agent));
        guard.beforeCall(armed, inputOf("").abiEncodedParams);
    }

    function test_a_wrapped_tool_has_its_own_calls_allowed_and_nobody_else() public {
        ToolRule memory rule = opaqueRule();
        rule.wrapped = true;
        guard.allow(address(armed), rule);
        vm.prank(address(agent));
        vm.expectRevert(abi.encodeWithSelector(IGuard.CallerIsNotGuarded.selector, agent, armed));
        guard.beforeCall(armed, inputOf("").abiEncodedParams);
        vm.startPrank(address(armed));
        guard.beforeCall(armed, inputOf("").abiEncodedParams);
        guard.afterCall(armed);
        vm.expectRevert(abi.encodeWithSelector(IGuard.CallerIsNotGuarded.selector, armed, agent));
        guard.beforeCall(pay, payment(1).abiEncodedParams);
    }

    function test_a_tool_is_not_called_more_often_than_it_may() public {
        guard.limitRuns(address(pay), 0, 2);
        pays(1);
        pays(1);
        vm.expectRevert(abi.encodeWithSelector(IAllowList.NoRunsLeft.selector, pay, 2));
        pays(1);
        guard.limitRuns(address(pay), 0, 3);
        pays(1);
    }

    function test_to_list_a_tool_again_does_not_forget_its_calls() public {
        ToolRule memory rule = payRule();
        rule.maxRuns = 1;
        guard.allow(address(pay), rule);
        pays(1);
        guard.disallow(address(pay));
        guard.allow(address(pay), rule);
        vm.expectRevert(abi.encodeWithSelector(IAllowList.NoRunsLeft.selector, pay, 1));
        pays(1);
    }

    function test_a_tool_cools_down_between_two_calls() public {
        guard.limitRuns(address(pay), 60, ANY_NUMBER);
        pays(1);
        uint256 free = block.timestamp + 60;
        vm.warp(free - 1);
        vm.expectRevert(abi.encodeWithSelector(IAllowList.CoolingDown.selector, pay, free));
        pays(1);
        vm.warp(free);
        pays(1);
        acts();
        acts(); // others do not
    }

    function test_words_that_the_rule_names_have_to_be_there() public {
        vm.expectRevert(abi.encodeWithSelector(IAllowList.WordMissing.selector, pay, 1, 63));
        agent.act(pay, inputOf(abi.encodePacked(abi.encode(token), new bytes(31))));
    }

    /// @dev A tool that does without the ABI's checks might pay somebody else than the one compared.
    function test_a_word_that_is_no_address_is_taken_for_none() public {
        uint256 dirty = uint160(address(token)) | (1 << 160);
        vm.expectRevert(abi.encodeWithSelector(IAllowList.WordIsNoAddress.selector, pay, 0, dirty));
        agent.act(pay, inputOf(abi.encode(dirty, 1, alice)));
    }

    function test_grants_that_cannot_be_counted_are_refused() public {
        string[36] memory functions = [
            "increaseAllowance(address,uint256)",
            "increaseApproval(address,uint256)",
            "authorizeOperator(address)",
            "setOperator(address,bool)",
            "approve(address,uint256,uint256)",
            "approve(address,address,uint160,uint48)",
            "approveAndCall(address,uint256)",
            "permit(address,uint256,uint256,uint8,bytes32,bytes32)",
            "permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)",
            "permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)",
            "approveDelegation(address,uint256)",
            "allow(address,bool)",
            "setAuthorization(address,bool)",
            "grantRole(bytes32,address)",
            "enableModule(address)",
            "addOwnerWithThreshold(address,uint256)",
            "upgradeTo(address)",
            "upgradeToAndCall(address,bytes)",
            "execute(bytes,bytes[],uint256)",
            "executeBatch((address,uint256,bytes)[])",
            "executeBatch(address[],uint256[],bytes[])",
            "multicall(uint256,bytes[])",
            "aggregate((address,bytes)[])",
            "aggregate3((address,bool,bytes)[])",
            "execute(address,uint256,bytes)",
            "multicall(bytes[])",
            "execute(address,uint256,bytes,uint8)", // ERC-6551
            "execute(uint256,address,uint256,bytes)", // ERC-725X
            "execute(bytes,bytes[])",
            "executeBatch(address[],bytes[])", // the first SimpleAccount
            "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
            "tryAggregate(bool,(address,bytes)[])",
            "aggregate3Value((address,bool,uint256,bytes)[])",
            "setRelayerApproval(address,address,bool)",
            "installModule(uint256,address,bytes)",
            "permit(address,uint256,uint256,bytes)" // ERC-4494
        ];
        for (uint256 i = 0; i < functions.length; ++i) {
            bytes4 selector = bytes4(keccak256(bytes(functions[i])));
            IERCAgentTool tool = wrapper(address(agent), address(token), selector);
            vm.expectRevert(abi.encodeWithSelector(IAllowList.GrantRefused.selector, selector));
            guard.allow(address(tool), ruleOf(address(token), selector));
        }
    }

    function test_only_the_owner_lists_tools() public {
        bytes memory reason = abi.encodeWithSelector(
            IGuard.CallerIsNotTheGuardsOwner.selector, stranger, address(this)
        );
        vm.startPrank(stranger);
        vm.expectRevert(reason);
        guard.allow(address(pay), payRule());
        vm.expectRevert(reason);
        guard.disallow(address(pay));
        vm.expectRevert(reason);
        guard.limitRuns(address(pay), 60, 1);
    }
}
