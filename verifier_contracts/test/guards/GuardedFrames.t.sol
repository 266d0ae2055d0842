// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IBudgets} from "../../src/interfaces/guards/IBudgets.sol";
import {Mode} from "../../src/interfaces/guards/IGuard.sol";
import {TestAgent} from "../fakes/TestAgent.sol";
import {FrameHandler} from "../invariants/FrameHandler.sol";
import {FrameInvariants} from "../invariants/FrameInvariants.t.sol";
import {PayTool} from "../invariants/Hostile.sol";
import {IWholeGuard} from "./GuardFakes.sol";

/// @dev The same agents, each behind a guard whose owner opens and closes it at random.
contract GuardedFrameHandler is FrameHandler {
    IWholeGuard[] public guards;
    IERCAgentTool[][] private _toolsOf;
    string public trespass;

    /// @dev A run while one of the guards is closed to one tool, or altogether.
    function runBehind(uint256 seed, uint8 misdeed, uint8 spoil) external {
        uint256 which = (seed >> 240) % guards.length;
        IWholeGuard guard = guards[which];
        IERCAgentTool[] memory tools = _toolsOf[which];
        address closed = address(tools[(seed >> 200) % tools.length]);
        (, ToolRule memory rule) = guard.ruleOf(closed);
        bool pauses = (seed >> 160) % 2 == 0;
        if (pauses) guard.pause("closed");
        else guard.disallow(closed);
        (uint256 before,) = guard.runsOf(closed);
        this.run(seed, misdeed, spoil, 200_000);
        (uint256 runs,) = guard.runsOf(closed);
        if (runs != before) trespass = "a closed guard let a call through";
        if (pauses) guard.resume();
        else guard.allow(closed, rule);
    }

    function _makeAgent(string memory model, IERCAgentTool[] memory tools)
        internal
        override
        returns (IProvenAgent)
    {
        TestAgent agent = new TestAgent(executor, model, address(0), tools, 4);
        bytes memory arguments = abi.encode(address(this), agent, vault);
        IWholeGuard guard = IWholeGuard(deployCode("Guard.sol:Guard", arguments));
        agent.setGuard(guard);
        guard.setMode(Mode.AUTONOMOUS);
        guard.setRate(type(uint16).max);
        guard.setBudget(address(token), type(uint128).max, type(uint96).max);
        ToolRule memory rule;
        (rule.assetWord, rule.amountWord, rule.targetWord) = (255, 255, 255);
        (rule.maxRuns, rule.vouched) = (type(uint32).max, true);
        for (uint256 i = 0; i < tools.length; ++i) {
            guard.allow(address(tools[i]), rule);
        }
        guards.push(guard);
        _toolsOf.push(tools);
        return agent;
    }
}

/// @dev What holds of agents, holds of guarded ones; and no tool is called but through an open guard.
contract GuardedFrameInvariants is FrameInvariants {
    function makeHandler() internal override returns (FrameHandler) {
        GuardedFrameHandler made = new GuardedFrameHandler();
        bytes4[] memory selectors = new bytes4[](2);
        selectors[0] = made.runBehind.selector;
        selectors[1] = made.runBehind.selector;
        targetSelector(FuzzSelector(address(made), selectors));
        return made;
    }

    /// @dev One invariant of both: each has a sequence of calls of its own.
    function invariant_frames_hold() public view override {
        super.invariant_frames_hold();
        GuardedFrameHandler guarded = GuardedFrameHandler(address(handler));
        assertEq(guarded.trespass(), "", "through an open guard alone");
        uint256 counted = 0;
        for (uint256 i = 0; i < 2; ++i) {
            (, uint256 spent,,) = guarded.guards(i).budgetOf(address(guarded.token()));
            counted += spent;
        }
        uint256 left = guarded.token().balanceOf(guarded.vault());
        assertGe(counted, guarded.SUPPLY() - left, "what was paid was counted");
    }
}
