// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SuccessorWalletAgent} from "../../src/agents/SuccessorWalletAgent.sol";
import {WalletAgent} from "../../src/agents/WalletAgent.sol";
import {DemoToken} from "../../src/demo/DemoToken.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {IAgentWallet} from "../../src/interfaces/IAgentWallet.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IBudgets} from "../../src/interfaces/guards/IBudgets.sol";
import {IGuard, Mode} from "../../src/interfaces/guards/IGuard.sol";
import {Succession} from "../../src/interfaces/guards/ISuccession.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";
import {World} from "../support/World.sol";
import {IWholeGuard} from "./GuardFakes.sol";

/// @dev A new version of a wallet agent takes over wallet, budget and counts of the old one.
contract TakeoverTest is World {
    uint256 private constant KEY = 0x0123;
    uint256 private constant TRANSFER = 3;
    address private owner = vm.addr(KEY);
    address private alice = makeAddr("alice");
    SymbolBook private book = new SymbolBook(address(this));
    DemoToken private usdc = new DemoToken("USD Coin", "USDC", 6);
    WalletAgent private old = new WalletAgent(
        executor,
        vm.toString(model),
        registry.commitmentHash(model),
        registry,
        owner,
        new LendingPool(),
        book,
        6
    );
    IAgentWallet private wallet = old.wallet();
    SuccessorWalletAgent private heir = new SuccessorWalletAgent(
        executor, vm.toString(model), registry.commitmentHash(model), wallet, address(old), book, 6
    );
    IWholeGuard private guard =
        IWholeGuard(deployCode("Guard.sol:Guard", abi.encode(owner, old, wallet)));

    function setUp() public {
        vm.warp(1_800_000_000);
        usdc.mint(address(wallet), 1000);
        vm.startPrank(owner);
        old.setGuard(guard);
        guard.setMode(Mode.AUTONOMOUS);
        guard.setBudget(address(usdc), 500, 500);
        guard.allow(
            address(toolsOf(address(old))[TRANSFER]),
            ToolRule(
                address(wallet),
                IAgentWallet.transfer.selector,
                false,
                false,
                0,
                1,
                2,
                0,
                type(uint32).max,
                false
            )
        );
        vm.stopPrank();
        transfers(address(old), 300);
    }

    function toolsOf(address agent) private view returns (IERCAgentTool[] memory tools) {
        (tools,) = WalletAgent(agent).tools();
    }

    /// @dev As the agent does it once it has decided.
    function transfers(address agent, uint256 amount) private {
        IERCAgentTool tool = toolsOf(agent)[TRANSFER];
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = abi.encode(usdc, amount, alice);
        vm.startPrank(agent);
        guard.beforeCall(tool, input.abiEncodedParams);
        tool.run(input, address(0));
        guard.afterCall(tool);
        vm.stopPrank();
    }

    function tries(address agent, uint256 amount) external {
        transfers(agent, amount);
    }

    function takesOver() private {
        (address[] memory oldTools, address[] memory newTools) =
            (new address[](4), new address[](4));
        for (uint256 i = 0; i < 4; ++i) {
            oldTools[i] = address(toolsOf(address(old))[i]);
            newTools[i] = address(toolsOf(address(heir))[i]);
        }
        vm.prank(owner);
        wallet.replaceTools(oldTools, newTools);
        Succession memory s;
        (s.predecessor, s.successor, s.deadline) = (address(old), address(heir), block.timestamp);
        (s.oldTools, s.newTools) = (new address[](1), new address[](1));
        (s.oldTools[0], s.newTools[0]) = (oldTools[TRANSFER], newTools[TRANSFER]);
        (uint8 v, bytes32 r, bytes32 s_) = vm.sign(KEY, guard.successionDigest(s));
        guard.succeed(s, abi.encodePacked(r, s_, v));
        vm.prank(owner);
        heir.setGuard(guard);
    }

    function test_wallet_and_budget_go_to_the_successor() public {
        takesOver();
        assertEq(heir.owner(), owner);
        assertEq(heir.predecessor(), address(old));
        assertEq(address(heir.wallet()), address(wallet));
        transfers(address(heir), 150);
        assertEq(usdc.balanceOf(alice), 450);
        (, uint256 spent,,) = guard.budgetOf(address(usdc));
        assertEq(spent, 450);
        vm.expectRevert(
            abi.encodeWithSelector(IBudgets.BudgetExceeded.selector, address(usdc), 51, 50)
        );
        this.tries(address(heir), 51);
    }

    function test_before_that_the_successor_can_do_nothing_and_after_it_the_predecessor() public {
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = abi.encode(usdc, 1, alice);
        IERCAgentTool tool = toolsOf(address(heir))[TRANSFER];
        vm.prank(address(heir));
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.CallerIsNotATool.selector, tool));
        tool.run(input, address(0));
        takesOver();
        tool = toolsOf(address(old))[TRANSFER];
        vm.prank(address(old));
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.CallerIsNotATool.selector, tool));
        tool.run(input, address(0));
        vm.prank(address(old));
        vm.expectRevert();
        guard.beforeCall(tool, input.abiEncodedParams);
    }

    function test_only_the_owner_replaces_a_wallets_tools() public {
        vm.prank(alice);
        vm.expectRevert(
            abi.encodeWithSelector(IAgentWallet.CallerIsNotTheWalletOwner.selector, alice, owner)
        );
        wallet.replaceTools(new address[](0), new address[](0));
    }
}
