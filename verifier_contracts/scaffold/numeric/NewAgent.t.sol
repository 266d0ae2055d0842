// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {IAgentExecutor} from "zkagent/interfaces/IAgentExecutor.sol";
import {IModelRegistry} from "zkagent/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "zkagent/interfaces/erc/IERCAgentTool.sol";
import {PriceFeeds} from "zkagent/numeric/PriceFeeds.sol";

import {Demo} from "./Demo.sol";
import {NewAgent, NewAgentRate} from "./NewAgent.sol";

/// @dev Rules that hold whatever an agent decides, and numbers that it reads. Run it with
///   `zkagent agent test`.
contract NewAgentTest is Test {
    address private constant EXECUTOR = address(0xE1);
    address private constant REGISTRY = address(0xE2);
    bytes32 private constant COMMITMENT = "commitment";
    address private constant FRIEND = address(0xF1);

    Demo private _demo;
    NewAgent private _agent;
    NewAgentRate private _rate;

    function setUp() external {
        vm.warp(1_800_000_000);
        _demo = new Demo();
        vm.mockCall(EXECUTOR, abi.encodeCall(IAgentExecutor.registry, ()), abi.encode(REGISTRY));
        vm.mockCall(
            REGISTRY, abi.encodeCall(IModelRegistry.commitmentHash, (1)), abi.encode(COMMITMENT)
        );
        vm.mockCall(REGISTRY, abi.encodeCall(IModelRegistry.checkCode, (1)), "");
        _agent =
            new NewAgent(IAgentExecutor(EXECUTOR), "1", COMMITMENT, address(this), _demo, _demo);
        _rate = _agent.RATE();
    }

    function test_it_reads_utilisation_price_and_rate() external {
        _demo.setUtilisation(9150);
        _demo.setPrice(1900e8, 0);
        int256[] memory numbers = _agent.readings();
        assertEq(numbers.length, 3);
        assertEq(numbers[0], 9150);
        assertEq(numbers[1], -50);
        assertEq(numbers[2], 500);
    }

    function test_an_old_price_decides_nothing() external {
        uint256 then = block.timestamp;
        vm.warp(then + _rate.MAX_PRICE_AGE());
        _agent.readings();
        vm.warp(block.timestamp + 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                PriceFeeds.StalePrice.selector,
                address(_demo),
                then,
                _rate.MAX_PRICE_AGE(),
                block.timestamp
            )
        );
        _agent.readings();
    }

    function test_a_price_that_is_none_decides_nothing(int256 price) external {
        vm.assume(price <= 0 || price > type(int128).max);
        _demo.setPrice(price, 0);
        vm.expectRevert(
            abi.encodeWithSelector(PriceFeeds.PriceOutOfRange.selector, address(_demo), price)
        );
        _agent.readings();
    }

    function test_any_price_that_is_one_is_read(int256 price) external {
        _demo.setPrice(bound(price, 1, type(int128).max), 0);
        assertEq(_agent.readings().length, 3);
    }

    function test_a_price_of_tomorrow_decides_nothing() external {
        _demo.setPrice(2000e8, block.timestamp + 1);
        vm.expectPartialRevert(PriceFeeds.PriceFromTheFuture.selector);
        _agent.readings();
    }

    function test_more_than_all_of_the_pool_is_not_lent() external {
        _demo.setUtilisation(10_001);
        vm.expectRevert(abi.encodeWithSelector(NewAgentRate.UtilisationOutOfRange.selector, 10_001));
        _agent.readings();
    }

    function test_the_tools_change_the_rate_within_its_rules() external {
        address raise = _tool(0);
        vm.prank(raise);
        _rate.raiseBy(200);
        assertEq(_rate.rate(), 700);
        vm.prank(raise);
        vm.expectPartialRevert(NewAgentRate.TooSoon.selector);
        _rate.raiseBy(1);
        vm.warp(block.timestamp + _rate.PAUSE());
        vm.prank(raise);
        vm.expectRevert(abi.encodeWithSelector(NewAgentRate.ChangeTooLarge.selector, 201, 200));
        _rate.raiseBy(201);
        vm.prank(_tool(1));
        _rate.lowerBy(200);
        assertEq(_rate.rate(), 500);
    }

    function test_the_rate_stays_in_its_range() external {
        for (uint256 i = 0; i < 2; ++i) {
            vm.prank(_tool(1));
            _rate.lowerBy(200);
            vm.warp(block.timestamp + _rate.PAUSE());
        }
        vm.prank(_tool(1));
        vm.expectRevert(
            abi.encodeWithSelector(NewAgentRate.RateOutOfRange.selector, int256(49), 50, 2500)
        );
        _rate.lowerBy(51);
    }

    function test_nobody_else_changes_it() external {
        vm.prank(FRIEND);
        vm.expectRevert(abi.encodeWithSelector(NewAgentRate.NotForYou.selector, FRIEND));
        _rate.raiseBy(1);
        vm.expectPartialRevert(NewAgentRate.NotForYou.selector);
        _rate.setTool(FRIEND);
    }

    function _tool(uint256 i) private view returns (address) {
        (IERCAgentTool[] memory made,) = _agent.tools();
        return address(made[i]);
    }
}
