// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {IRequestDesk, RequestStatus} from "../../src/interfaces/IRequestDesk.sol";
import {DeskHandler} from "./DeskHandler.sol";

/// @dev What holds at a desk whatever requesters, operators, handlers, payees and tools do.
contract DeskInvariants is Test {
    DeskHandler private handler;

    function setUp() public {
        handler = new DeskHandler();
        bytes4[] memory selectors = new bytes4[](11);
        selectors[0] = handler.post.selector;
        selectors[1] = handler.post.selector;
        selectors[2] = handler.answer.selector;
        selectors[3] = handler.answer.selector;
        selectors[4] = handler.refund.selector;
        selectors[5] = handler.fail.selector;
        selectors[6] = handler.deliver.selector;
        selectors[7] = handler.take.selector;
        selectors[8] = handler.wait_.selector;
        selectors[9] = handler.changeModel.selector;
        selectors[10] = handler.resume.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
        targetContract(address(handler));
    }

    function invariant_requests_end_once_and_nobody_is_owed_more_than_there_is() public {
        handler.judge();
        assertEq(handler.wrong(), "", "each request ends in one way, once");
        assertEq(
            handler.deskAddress().balance,
            handler.held() + handler.owed(),
            "what a desk has is what it owes, and what it holds for open requests"
        );
    }

    /// @dev The handler gets somewhere: every end is reached, and calls from inside do something.
    function test_every_end_is_reached() public {
        for (uint256 seed = 1; seed < 120; ++seed) {
            uint256 s = uint256(keccak256(abi.encode(seed)));
            handler.post(s);
            handler.answer(s << 1);
            handler.resume(s << 1);
            handler.deliver(s << 1);
            handler.take(s);
            if (seed % 3 == 0) handler.wait_(s);
            handler.refund(s);
            handler.deposit(s);
            if (seed % 5 == 0) handler.changeModel(seed);
            handler.fail(s);
        }
        assertGt(handler.reached(RequestStatus.ANSWERED), 0, "answered, not delivered");
        assertGt(handler.reached(RequestStatus.DELIVERED), 0, "delivered");
        assertGt(handler.reached(RequestStatus.WAITING), 0, "waiting");
        assertGt(handler.resumed(), 0, "resumed to an end");
        assertGt(handler.reached(RequestStatus.REFUNDED), 0, "refunded");
        assertGt(handler.reached(RequestStatus.FAILED), 0, "failed");
        assertGt(handler.reentries(), 0, "requests from inside");
        invariant_requests_end_once_and_nobody_is_owed_more_than_there_is();
    }

    // The judge sees what must not be

    function test_a_second_end_is_seen() public {
        handler.post(7);
        handler.wait_(2 hours - 1);
        handler.refund(0);
        assertEq(handler.reached(RequestStatus.REFUNDED), 1);
        pretend(RequestStatus.DELIVERED);
        assertEq(handler.wrong(), "a request went where none goes from there");
    }

    function test_a_result_that_is_not_told_is_seen() public {
        handler.post(1 << 64);
        pretend(RequestStatus.DELIVERED);
        assertEq(handler.wrong(), "results were not told once each");
    }

    function test_a_request_that_stays_half_done_is_seen() public {
        handler.post(7);
        pretend(RequestStatus.RUNNING);
        assertEq(handler.wrong(), "a request went where none goes from there");
    }

    function test_missing_money_is_seen() public {
        handler.post((uint256(1) << 8) | (3 << 16));
        uint256 has = handler.deskAddress().balance;
        assertGt(has, 0);
        vm.deal(handler.deskAddress(), has - 1);
        assertLt(handler.deskAddress().balance, handler.held() + handler.owed());
    }

    /// @dev That this is what the desk says of its first request.
    function pretend(RequestStatus status) private {
        vm.mockCall(
            handler.deskAddress(), abi.encodeCall(IRequestDesk.statusOf, (1)), abi.encode(status)
        );
        handler.judge();
    }
}
