// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {DemoToken} from "../../src/demo/DemoToken.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {ILendingPool} from "../../src/interfaces/ILendingPool.sol";

/// @dev Keeps a tenth of every transfer.
contract FeeToken is DemoToken {
    constructor() DemoToken("Fee", "FEE", 18) {}

    function _update(address from, address to, uint256 amount) internal override {
        super._update(from, to, amount);
        if (from != address(0) && to != address(0)) super._update(to, address(this), amount / 10);
    }
}

contract LendingPoolTest is Test {
    LendingPool private pool = new LendingPool();
    DemoToken private token = new DemoToken("Token", "TKN", 18);
    address private other = makeAddr("other");

    function setUp() public {
        token.mint(address(this), 100);
        token.approve(address(pool), type(uint256).max);
    }

    function test_deposits_are_kept_per_account() public {
        vm.expectEmit(address(pool));
        emit ILendingPool.Deposited(address(this), address(token), 60);
        pool.deposit(address(token), 60);
        assertEq(pool.depositOf(address(this), address(token)), 60);
        assertEq(pool.depositOf(other, address(token)), 0);
    }

    function testFuzz_what_was_deposited_and_no_more_can_be_withdrawn(uint8 amount) public {
        pool.deposit(address(token), 60);
        if (amount > 60) {
            vm.expectRevert(
                abi.encodeWithSelector(
                    ILendingPool.InsufficientDeposit.selector, this, token, amount, 60
                )
            );
            pool.withdraw(address(token), amount);
        } else {
            pool.withdraw(address(token), amount);
            assertEq(token.balanceOf(address(this)), 40 + uint256(amount));
            assertEq(pool.depositOf(address(this), address(token)), 60 - uint256(amount));
        }
    }

    function test_others_cannot_withdraw_a_deposit() public {
        pool.deposit(address(token), 60);
        vm.prank(other);
        vm.expectRevert(
            abi.encodeWithSelector(ILendingPool.InsufficientDeposit.selector, other, token, 1, 0)
        );
        pool.withdraw(address(token), 1);
    }

    function test_a_token_with_a_fee_credits_what_arrives() public {
        FeeToken fee = new FeeToken();
        fee.mint(address(this), 100);
        fee.approve(address(pool), 100);
        pool.deposit(address(fee), 100);
        assertEq(pool.depositOf(address(this), address(fee)), 90);
    }
}
