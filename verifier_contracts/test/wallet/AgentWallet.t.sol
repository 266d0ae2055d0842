// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {DemoToken} from "../../src/demo/DemoToken.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {ILendingPool} from "../../src/interfaces/ILendingPool.sol";
import {AgentWallet} from "../../src/wallet/AgentWallet.sol";

/// @dev Takes a part of what it may, and tries for the rest when it is told to.
contract GreedyPool is ILendingPool {
    uint256 private immutable _part;
    mapping(address account => mapping(address asset => uint256)) public depositOf;

    constructor(uint256 part) {
        _part = part;
    }

    function deposit(address asset, uint256 amount) external {
        uint256 taken = amount * _part / 100;
        depositOf[msg.sender][asset] += taken;
        DemoToken(asset).transferFrom(msg.sender, address(this), taken);
    }

    function withdraw(address asset, uint256 amount) external {
        depositOf[msg.sender][asset] -= amount;
        DemoToken(asset).transfer(msg.sender, amount);
    }

    function takeTheRest(DemoToken token, address from) external {
        token.transferFrom(from, address(this), token.allowance(from, address(this)));
    }
}

/// @dev As USDT: an allowance is changed from or to zero alone.
contract StubbornToken is DemoToken {
    error AllowanceStands();

    constructor() DemoToken("Stubborn", "STUB", 6) {}

    function approve(address spender, uint256 amount) public override returns (bool) {
        if (amount != 0 && allowance(msg.sender, spender) != 0) revert AllowanceStands();
        return super.approve(spender, amount);
    }
}

contract AgentWalletTest is Test {
    uint256 private constant HELD = 100;

    function walletOf(ILendingPool pool, DemoToken token) private returns (AgentWallet wallet) {
        wallet = new AgentWallet(address(this), pool);
        address[] memory tools = new address[](1);
        tools[0] = address(this);
        wallet.bindTools(tools);
        token.mint(address(wallet), HELD);
    }

    function testFuzz_a_pool_that_takes_less_keeps_no_allowance(uint8 part) public {
        GreedyPool pool = new GreedyPool(bound(part, 0, 100));
        DemoToken token = new DemoToken("Token", "TKN", 18);
        AgentWallet wallet = walletOf(pool, token);
        wallet.deploy(address(token), HELD);
        uint256 left = token.balanceOf(address(wallet));
        assertEq(pool.depositOf(address(wallet), address(token)), HELD - left);
        assertEq(token.allowance(address(wallet), address(pool)), 0);
        pool.takeTheRest(token, address(wallet));
        assertEq(token.balanceOf(address(wallet)), left);
    }

    function test_a_token_that_changes_no_standing_allowance_is_deposited_again() public {
        StubbornToken token = new StubbornToken();
        AgentWallet wallet = walletOf(new GreedyPool(50), token);
        wallet.deploy(address(token), 60);
        wallet.deploy(address(token), 40);
        assertEq(token.balanceOf(address(wallet)), HELD - 30 - 20);
    }

    function test_a_pool_that_takes_all_has_the_allowance_left_alone() public {
        DemoToken token = new DemoToken("Token", "TKN", 18);
        LendingPool pool = new LendingPool();
        AgentWallet wallet = walletOf(pool, token);
        vm.expectCall(address(token), abi.encodeCall(token.approve, (address(pool), HELD)), 1);
        vm.expectCall(address(token), abi.encodeCall(token.approve, (address(pool), 0)), 0);
        wallet.deploy(address(token), HELD);
        assertEq(pool.depositOf(address(wallet), address(token)), HELD);
    }
}
