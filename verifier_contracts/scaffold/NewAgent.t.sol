// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Test} from "forge-std/Test.sol";

import {NewAgentPurse} from "./NewAgent.sol";

contract Coin is ERC20("Coin", "COIN") {
    constructor(address holder) {
        _mint(holder, 1000 ether);
    }
}

/// @dev Rules that hold whatever an agent decides. Run it with `forge test`.
contract NewAgentTest is Test {
    NewAgentPurse private immutable _purse = new NewAgentPurse(address(this));
    Coin private immutable _coin = new Coin(address(_purse));
    address private constant FRIEND = address(0xF1);

    function setUp() external {
        _purse.setPayer(address(this));
    }

    function test_a_payment_up_to_the_limit_arrives() external {
        _purse.pay(address(_coin), 100 ether, FRIEND);
        assertEq(_coin.balanceOf(FRIEND), 100 ether);
    }

    function test_a_larger_payment_reverts() external {
        vm.expectRevert(
            abi.encodeWithSelector(NewAgentPurse.OverTheLimit.selector, 100 ether + 1, 100 ether)
        );
        _purse.pay(address(_coin), 100 ether + 1, FRIEND);
    }

    function test_a_stranger_cannot_pay() external {
        vm.prank(FRIEND);
        vm.expectRevert(abi.encodeWithSelector(NewAgentPurse.NotForYou.selector, FRIEND));
        _purse.pay(address(_coin), 1, FRIEND);
    }
}
