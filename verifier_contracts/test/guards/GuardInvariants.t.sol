// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {GuardHandler} from "./GuardHandler.sol";

/// @dev What holds whatever tools, tokens and those who were granted something do.
contract GuardInvariants is Test {
    GuardHandler private handler;

    function setUp() public {
        handler = new GuardHandler();
        bytes4[] memory selectors = new bytes4[](9);
        selectors[0] = handler.decide.selector;
        selectors[1] = handler.decide.selector; // most calls
        selectors[2] = handler.decide.selector;
        selectors[3] = handler.decide.selector;
        selectors[4] = handler.pull.selector;
        selectors[5] = handler.give.selector;
        selectors[6] = handler.raiseBudget.selector;
        selectors[7] = handler.configure.selector;
        selectors[8] = handler.approveAndMake.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
        targetContract(address(handler));
    }

    function invariant_no_more_is_lost_than_was_spent_nor_spent_than_there_was_a_budget()
        public
        view
    {
        address[] memory assets = handler.guard().budgetedAssets();
        assertEq(assets.length, 5);
        for (uint256 i = 0; i < assets.length; ++i) {
            (uint256 total, uint256 spent,,) = handler.guard().budgetOf(assets[i]);
            assertLe(spent, total, "more spent than the budget");
            bool lies = assets[i] == address(handler.tokens(3));
            if (!lies) assertLe(handler.lost(assets[i]), spent, "lost, and not spent");
        }
        assertEq(handler.trespass(), "", "no call but by the guard's rules");
    }

    /// @dev The handler gets somewhere: calls are made, are refused, and lose the vault something.
    function test_calls_are_made_and_refused() public {
        for (uint256 i = 0; i < 400; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            if (i % 8 == 5) handler.pull(seed);
            else if (i % 8 == 6) handler.configure(seed);
            else if (i % 8 == 7) handler.raiseBudget(seed);
            else if (i % 8 == 4) handler.approveAndMake(seed);
            else handler.decide(seed);
        }
        assertGt(handler.made(), 20, "made");
        assertGt(handler.refused(), 20, "refused");
        assertGt(handler.guard().tickets(), 0, "asked");
        for (uint256 i = 0; i < 3; ++i) {
            assertGt(handler.lost(address(handler.tokens(i))), 0, "lost");
        }
        invariant_no_more_is_lost_than_was_spent_nor_spent_than_there_was_a_budget();
    }
}
