// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Test} from "forge-std/Test.sol";

import {TreasuryVault} from "./Treasury.sol";

contract Dai is ERC20("Dai", "DAI") {
    constructor() {
        _mint(msg.sender, 10_000 ether);
    }
}

/// @dev Rules that hold whatever an agent decides. Run it with `zkagent agent test`, which also asks the
///   reader about the prompts of tools.yaml.
contract TreasuryTest is Test {
    address private constant FRIEND = address(0xF1);

    Dai private _dai;
    TreasuryVault private _vault;

    function setUp() external {
        vm.warp(1_800_000_000);
        _dai = new Dai();
        _vault = new TreasuryVault(address(this), _dai);
        _dai.transfer(address(_vault), 5000 ether);
        _vault.setTool(address(this));
    }

    function test_a_grant_up_to_the_cap_arrives() external {
        string memory answer = _vault.payGrant(FRIEND, 1000 ether, "audit");
        assertEq(answer, "Paid 1000; 1500 are left for grants.");
        assertEq(_dai.balanceOf(FRIEND), 1000 ether);
    }

    function test_a_larger_grant_reverts() external {
        vm.expectRevert(
            abi.encodeWithSelector(
                TreasuryVault.OverTheCap.selector, 1000 ether + 1, 1000 ether
            )
        );
        _vault.payGrant(FRIEND, 1000 ether + 1, "audit");
    }

    function test_grants_of_a_period_stay_within_its_budget() external {
        _vault.payGrant(FRIEND, 1000 ether, "one");
        _vault.payGrant(FRIEND, 1000 ether, "two");
        vm.expectRevert(
            abi.encodeWithSelector(TreasuryVault.OverTheBudget.selector, 501 ether, 500 ether)
        );
        _vault.payGrant(FRIEND, 501 ether, "three");
        _vault.payGrant(FRIEND, 500 ether, "three");
        vm.warp(block.timestamp + 30 days - 1);
        vm.expectPartialRevert(TreasuryVault.OverTheBudget.selector);
        _vault.payGrant(FRIEND, 1, "four");
        vm.warp(block.timestamp + 1);
        _vault.payGrant(FRIEND, 1000 ether, "four");
        assertEq(_vault.budgetLeft(), 1500 ether);
    }

    function test_no_grants_of_a_period_exceed_its_budget(uint256[8] calldata asked) external {
        uint256 paid = 0;
        for (uint256 i = 0; i < asked.length; ++i) {
            uint256 amount = asked[i] % 1200 ether;
            try _vault.payGrant(FRIEND, amount, "x") {
                paid += amount;
            } catch {}
        }
        assertLe(paid, _vault.BUDGET());
        assertEq(_dai.balanceOf(FRIEND), paid);
    }

    function test_a_grant_for_nothing_or_to_the_treasury_itself_reverts() external {
        vm.expectRevert(TreasuryVault.NoPurpose.selector);
        _vault.payGrant(FRIEND, 1, "");
        vm.expectPartialRevert(TreasuryVault.RecipientRefused.selector);
        _vault.payGrant(address(_vault), 1, "x");
        vm.expectPartialRevert(TreasuryVault.RecipientRefused.selector);
        _vault.payGrant(address(_dai), 1, "x");
    }

    function test_a_vote_is_cast_once_and_in_time() external {
        uint256 first = _vault.propose("A new website", uint64(block.timestamp + 1 days));
        assertEq(_vault.vote(first, false), "Voted against proposal 1.");
        vm.expectRevert(abi.encodeWithSelector(TreasuryVault.AlreadyVoted.selector, 1, false));
        _vault.vote(first, true);
        assertFalse(_vault.proposalOf(1).support);
        uint256 second = _vault.propose("An audit", uint64(block.timestamp));
        vm.warp(block.timestamp + 1);
        vm.expectPartialRevert(TreasuryVault.VotingClosed.selector);
        _vault.vote(second, true);
        vm.expectRevert(abi.encodeWithSelector(TreasuryVault.NoSuchProposal.selector, 3, 2));
        _vault.vote(3, true);
        vm.expectRevert(abi.encodeWithSelector(TreasuryVault.NoSuchProposal.selector, 0, 2));
        _vault.vote(0, true);
    }

    function test_nobody_else_pays_votes_or_proposes() external {
        uint64 end = uint64(block.timestamp + 1);
        vm.startPrank(FRIEND);
        bytes memory refused =
            abi.encodeWithSelector(TreasuryVault.NotForYou.selector, FRIEND);
        vm.expectRevert(refused);
        _vault.payGrant(FRIEND, 1, "x");
        vm.expectRevert(refused);
        _vault.vote(1, true);
        vm.expectRevert(refused);
        _vault.propose("x", end);
        vm.expectRevert(refused);
        _vault.takeBack(1);
        vm.expectRevert(refused);
        _vault.setTool(FRIEND);
        vm.stopPrank();
        _vault.takeBack(5000 ether);
        assertEq(_dai.balanceOf(address(this)), 10_000 ether);
    }
}
