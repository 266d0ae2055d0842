// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import {DemoToken} from "../../src/demo/DemoToken.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IBudgets} from "../../src/interfaces/guards/IBudgets.sol";
import {IGuard} from "../../src/interfaces/guards/IGuard.sol";
import {Vault} from "./GuardFakes.sol";
import {GuardWorld} from "./GuardWorld.sol";
import {MuteApproveTool} from "./Thieves.sol";

contract BudgetsTest is GuardWorld {
    address private constant NATIVE = address(0);

    function exceeded(address asset, uint256 amount, uint256 remaining)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodeWithSelector(IBudgets.BudgetExceeded.selector, asset, amount, remaining);
    }

    function test_what_a_call_pays_is_spent() public {
        vm.expectEmit(address(guard));
        emit IBudgets.Spent(address(token), 400, 400);
        pays(400);
        pays(350);
        (uint256 total, uint256 spent_, uint256 remaining, uint256 perCall) =
            guard.budgetOf(address(token));
        assertEq(total, TOTAL);
        assertEq(spent_, 750);
        assertEq(remaining, 250);
        assertEq(perCall, PER_CALL);
        assertEq(guard.budgetedAssets().length, 1);
        assertEq(guard.budgetedAssets()[0], address(token));
    }

    function test_the_budget_can_be_spent_to_the_last_and_no_further() public {
        pays(400);
        pays(400);
        vm.expectRevert(exceeded(address(token), 201, 200));
        pays(201);
        pays(200);
        vm.expectRevert(exceeded(address(token), 1, 0));
        pays(1);
    }

    function test_one_call_spends_no_more_than_one_may() public {
        bytes memory reason = abi.encodeWithSelector(
            IBudgets.CallLimitExceeded.selector, address(token), 401, PER_CALL
        );
        vm.expectRevert(reason);
        pays(401);
        armPayment(address(token), 401, alice);
        vm.expectRevert(reason);
        acts();
    }

    function test_what_a_tool_takes_unasked_is_spent() public {
        armPayment(address(token), 150, alice);
        armPayment(address(token), 150, stranger);
        acts();
        assertEq(spent(address(token)), 300);
    }

    function test_what_comes_back_is_no_credit() public {
        pays(300);
        vm.prank(alice);
        token.transfer(address(vault), 300);
        assertEq(spent(address(token)), 300);
        pays(100);
        assertEq(spent(address(token)), 400);
    }

    function test_what_is_put_into_the_owners_pool_is_spent_and_no_credit_when_taken_out() public {
        LendingPool pool = new LendingPool();
        bytes memory approval = abi.encodeCall(IERC20.approve, (address(pool), 200));
        armed.arm(address(vault), abi.encodeCall(Vault.call, (address(token), 0, approval)));
        bytes memory deposit = abi.encodeCall(LendingPool.deposit, (address(token), 200));
        armed.arm(address(vault), abi.encodeCall(Vault.call, (address(pool), 0, deposit)));
        acts();
        assertEq(spent(address(token)), 200);
        armed.disarm();
        bytes memory withdrawal = abi.encodeCall(LendingPool.withdraw, (address(token), 200));
        armed.arm(address(vault), abi.encodeCall(Vault.call, (address(pool), 0, withdrawal)));
        acts();
        assertEq(token.balanceOf(address(vault)), FUNDS);
        assertEq(spent(address(token)), 200);
    }

    function test_the_native_asset_has_a_budget_like_others() public {
        guard.setBudget(NATIVE, 500, 300);
        agent.act(pay, inputOf(abi.encode(NATIVE, 300, alice)));
        assertEq(alice.balance, 300);
        assertEq(spent(NATIVE), 300);
        vm.expectRevert(exceeded(NATIVE, 201, 200));
        agent.act(pay, inputOf(abi.encode(NATIVE, 201, alice)));
        armPayment(NATIVE, 201, alice);
        vm.expectRevert(exceeded(NATIVE, 201, 200));
        acts();
    }

    function test_an_asset_without_a_budget_is_not_spent() public {
        DemoToken other = new DemoToken("Dai", "DAI", 18);
        other.mint(address(vault), 100);
        vm.expectRevert(abi.encodeWithSelector(IBudgets.AssetHasNoBudget.selector, other));
        agent.act(pay, inputOf(abi.encode(other, 0, alice)));
        vm.expectRevert(abi.encodeWithSelector(IBudgets.AssetHasNoBudget.selector, other));
        guard.budgetOf(address(other));
    }

    /// @dev By a tool that names nothing; of an asset that nobody set a budget for it is not seen.
    function test_a_budget_of_nothing_keeps_an_asset_from_leaving_unnamed() public {
        DemoToken other = new DemoToken("Dai", "DAI", 18);
        other.mint(address(vault), 100);
        armPayment(address(other), 1, alice);
        acts();
        assertEq(other.balanceOf(alice), 1);
        guard.setBudget(address(other), 0, 0);
        vm.expectRevert(
            abi.encodeWithSelector(IBudgets.CallLimitExceeded.selector, address(other), 1, 0)
        );
        acts();
        armed.disarm();
        guard.setBudget(address(0), 0, type(uint96).max);
        armPayment(address(0), 1, alice);
        vm.expectRevert(abi.encodeWithSelector(IBudgets.BudgetExceeded.selector, address(0), 1, 0));
        acts();
    }

    function test_what_a_call_names_counts_even_if_the_balance_does_not_fall() public {
        agent.act(pay, inputOf(abi.encode(token, 300, vault))); // to itself
        assertEq(spent(address(token)), 300);
    }

    function test_what_somebody_else_takes_between_two_calls_of_a_transaction_is_spent() public {
        pays(100);
        vault.pay(address(token), 250, stranger);
        assertEq(spent(address(token)), 100);
        pays(100);
        assertEq(spent(address(token)), 450);
        vault.pay(address(token), 601, stranger);
        vm.expectRevert(exceeded(address(token), 601, 550));
        pays(1);
    }

    /// @dev Otherwise what comes in would hide what goes out.
    function test_what_comes_in_between_two_calls_hides_nothing() public {
        pays(100);
        token.mint(address(vault), 1000);
        armPayment(address(token), 400, alice);
        acts();
        assertEq(spent(address(token)), 500);
    }

    function test_approve_counts_whole_when_it_is_given() public {
        IERCAgentTool tool = grant("approve(address,uint256)");
        agent.act(tool, inputOf(abi.encode(alice, 300)));
        assertEq(spent(address(token)), 300);
        vm.expectRevert(exceeded(address(token), 301, 300));
        this.limitedTo600(tool);
        agent.act(tool, inputOf(abi.encode(alice, 0))); // as if it were the first token of an ERC-721
        assertEq(spent(address(token)), 301);
        vm.expectPartialRevert(IBudgets.CallLimitExceeded.selector);
        agent.act(tool, inputOf(abi.encode(alice, type(uint256).max)));
    }

    function limitedTo600(IERCAgentTool tool) external {
        guard.setBudget(address(token), 600, PER_CALL);
        agent.act(tool, inputOf(abi.encode(alice, 301)));
    }

    function test_the_owner_cannot_say_that_approve_spends_nothing() public {
        IERCAgentTool tool = grant("approve(address,uint256)");
        (, ToolRule memory rule) = guard.ruleOf(address(tool));
        assertEq(rule.amountWord, 1); // opaqueRule names none
        assertEq(rule.assetWord, NONE);
    }

    /// @dev Of the wrapped token: the spender, in word 0, has a budget of its own that takes anything.
    function test_no_word_says_of_which_token_a_grant_is() public {
        DemoToken cheap = new DemoToken("Cheap", "CHP", 6);
        guard.setBudget(address(cheap), type(uint128).max, type(uint96).max);
        IERCAgentTool tool = wrapper(address(agent), address(token), IERC20.approve.selector);
        ToolRule memory rule = ruleOf(address(token), IERC20.approve.selector);
        rule.assetWord = 0;
        guard.allow(address(tool), rule);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBudgets.CallLimitExceeded.selector, address(token), 401, PER_CALL
            )
        );
        agent.act(tool, inputOf(abi.encode(cheap, 401)));
        agent.act(tool, inputOf(abi.encode(cheap, 301)));
        assertEq(spent(address(token)), 301);
        assertEq(spent(address(cheap)), 0);
    }

    /// @dev As the ERC's own wrapper of a function is.
    function test_approve_by_a_tool_that_tells_nothing_counts_whole() public {
        MuteApproveTool tool = new MuteApproveTool(address(agent), vault, address(token));
        ToolRule memory rule = ruleOf(address(token), IERC20.approve.selector);
        rule.vouched = true;
        guard.allow(address(tool), rule);
        guard.setBudget(address(token), 0, PER_CALL);
        vm.expectRevert(
            abi.encodeWithSelector(IBudgets.BudgetExceeded.selector, address(token), 9, 0)
        );
        agent.act(tool, inputOf(abi.encode(alice, 9)));
        guard.setBudget(address(token), 9, PER_CALL);
        agent.act(tool, inputOf(abi.encode(alice, 9)));
        assertEq(spent(address(token)), 9);
        assertEq(token.allowance(address(vault), alice), 9);
    }

    function test_permit_counts_whole() public {
        IERCAgentTool tool = grant("permit(address,address,uint256,uint256,uint8,bytes32,bytes32)");
        bytes memory params = abi.encode(vault, alice, 401, 0, 0, 0, 0);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBudgets.CallLimitExceeded.selector, address(token), 401, PER_CALL
            )
        );
        agent.act(tool, inputOf(params));
    }

    function test_to_allow_everything_takes_a_budget_without_a_limit() public {
        IERCAgentTool tool = grant("setApprovalForAll(address,bool)");
        bytes memory yes = abi.encode(alice, true);
        vm.mockCall(
            address(token),
            abi.encodeWithSignature("setApprovalForAll(address,bool)", alice, true),
            ""
        );
        vm.expectPartialRevert(IBudgets.CallLimitExceeded.selector);
        agent.act(tool, inputOf(yes));
        guard.setBudget(address(token), type(uint128).max - 1, type(uint96).max);
        vm.expectPartialRevert(IBudgets.BudgetExceeded.selector);
        agent.act(tool, inputOf(yes));
        guard.setBudget(address(token), type(uint128).max, type(uint96).max);
        agent.act(tool, inputOf(yes));
        assertEq(spent(address(token)), type(uint128).max);
        agent.act(tool, inputOf(yes));
        guard.setBudget(address(token), type(uint128).max - 1, type(uint96).max);
        vm.expectRevert(exceeded(address(token), 1, 0));
        pays(1);
    }

    function test_a_lower_budget_than_was_spent_leaves_nothing() public {
        pays(300);
        guard.setBudget(address(token), 200, PER_CALL);
        (,, uint256 remaining,) = guard.budgetOf(address(token));
        assertEq(remaining, 0);
        vm.expectRevert(exceeded(address(token), 1, 0));
        pays(1);
    }

    function test_a_token_that_tells_no_balance_stops_calls_until_it_is_dropped() public {
        vm.mockCallRevert(address(token), abi.encodeWithSelector(IERC20.balanceOf.selector), "no");
        bytes memory reason =
            abi.encodeWithSelector(IBudgets.BalanceUnreadable.selector, address(token));
        vm.expectRevert(reason);
        acts();
        vm.clearMockedCalls();
        vm.mockCall(
            address(token), abi.encodeWithSelector(IERC20.balanceOf.selector), new bytes(31)
        );
        vm.expectRevert(reason);
        acts();
        guard.dropBudget(address(token));
        acts();
    }

    function test_an_account_without_code_has_no_budget() public {
        vm.expectRevert(abi.encodeWithSelector(IBudgets.BalanceUnreadable.selector, alice));
        guard.setBudget(alice, 1, 1);
    }

    function test_budgets_are_few_and_can_be_dropped() public {
        guard.setBudget(NATIVE, 500, 300);
        for (uint256 i = 2; i < 8; ++i) {
            guard.setBudget(address(new DemoToken("T", "T", 18)), 1, 1);
        }
        address another = address(new DemoToken("T", "T", 18));
        vm.expectRevert(abi.encodeWithSelector(IBudgets.TooManyBudgets.selector, 8));
        guard.setBudget(another, 1, 1);
        pays(10);
        guard.dropBudget(NATIVE);
        assertEq(guard.budgetedAssets().length, 7);
        assertEq(spent(address(token)), 10);
        vm.expectRevert(abi.encodeWithSelector(IBudgets.AssetHasNoBudget.selector, NATIVE));
        guard.dropBudget(NATIVE);
        guard.setBudget(another, 1, 1);
        (, uint256 spent_,,) = guard.budgetOf(another);
        assertEq(spent_, 0);
    }

    function test_only_the_owner_sets_budgets() public {
        bytes memory reason = abi.encodeWithSelector(
            IGuard.CallerIsNotTheGuardsOwner.selector, stranger, address(this)
        );
        vm.startPrank(stranger);
        vm.expectRevert(reason);
        guard.setBudget(address(token), 1, 1);
        vm.expectRevert(reason);
        guard.dropBudget(address(token));
    }

    /// @dev A tool of this function of the token, allowed as one of which nothing is known.
    function grant(string memory signature) private returns (IERCAgentTool tool) {
        bytes4 selector = bytes4(keccak256(bytes(signature)));
        tool = wrapper(address(agent), address(token), selector);
        guard.allow(address(tool), ruleOf(address(token), selector));
    }
}
