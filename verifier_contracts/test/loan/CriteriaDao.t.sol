// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {ICriteriaDao} from "../../src/interfaces/ICriteriaDao.sol";
import {CriteriaDao} from "../../src/loan/CriteriaDao.sol";

contract CriteriaDaoTest is Test {
    address private one = makeAddr("one");
    address private two = makeAddr("two");
    address private three = makeAddr("three");
    CriteriaDao private dao = new CriteriaDao(members(), "first");

    function members() private view returns (address[] memory all) {
        all = new address[](3);
        (all[0], all[1], all[2]) = (one, two, three);
    }

    function test_more_than_half_of_the_members_change_the_criteria() public {
        vm.prank(one);
        uint256 proposal = dao.propose("second");
        assertEq(dao.criteria(), "first");
        vm.prank(two);
        vm.expectEmit(address(dao));
        emit ICriteriaDao.CriteriaChanged(proposal, "second");
        dao.vote(proposal);
        assertEq(dao.criteria(), "second");
    }

    function test_a_member_votes_once() public {
        vm.startPrank(one);
        uint256 proposal = dao.propose("second");
        vm.expectRevert(abi.encodeWithSelector(ICriteriaDao.AlreadyVoted.selector, proposal, one));
        dao.vote(proposal);
        assertEq(dao.criteria(), "first");
    }

    function test_a_carried_proposal_is_over() public {
        vm.prank(one);
        uint256 proposal = dao.propose("second");
        vm.prank(two);
        dao.vote(proposal);
        vm.prank(three);
        vm.expectRevert(abi.encodeWithSelector(ICriteriaDao.AlreadyCarried.selector, proposal));
        dao.vote(proposal);
    }

    function test_strangers_neither_propose_nor_vote() public {
        vm.prank(one);
        uint256 proposal = dao.propose("second");
        bytes memory refused =
            abi.encodeWithSelector(ICriteriaDao.CallerIsNotAMember.selector, address(this));
        vm.expectRevert(refused);
        dao.propose("mine");
        vm.expectRevert(refused);
        dao.vote(proposal);
    }

    function test_there_is_no_voting_for_what_nobody_proposed() public {
        vm.startPrank(one);
        for (uint256 none = 0; none < 2; ++none) {
            vm.expectRevert(abi.encodeWithSelector(ICriteriaDao.UnknownProposal.selector, none, 0));
            dao.vote(none);
        }
    }

    function test_criteria_are_as_long_as_an_encoder_reads() public {
        vm.startPrank(one);
        dao.propose(string(new bytes(512)));
        vm.expectRevert(abi.encodeWithSelector(ICriteriaDao.CriteriaLength.selector, 513, 512));
        dao.propose(string(new bytes(513)));
        vm.expectRevert(abi.encodeWithSelector(ICriteriaDao.CriteriaLength.selector, 0, 512));
        dao.propose("");
    }

    function test_members_are_some_and_different() public {
        vm.expectRevert(abi.encodeWithSelector(ICriteriaDao.MalformedMembers.selector, 0));
        new CriteriaDao(new address[](0), "first");
        address[] memory twice = members();
        twice[2] = one;
        vm.expectRevert(abi.encodeWithSelector(ICriteriaDao.MalformedMembers.selector, 2));
        new CriteriaDao(twice, "first");
    }
}
