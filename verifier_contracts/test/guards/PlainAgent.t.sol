// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {PlainRunner} from "../../src/agents/PlainRunner.sol";
import {DemoToken} from "../../src/demo/DemoToken.sol";
import {GuardedTool} from "../../src/guards/GuardedTool.sol";
import {Claim} from "../../src/interfaces/IAgentExecutor.sol";
import {IProvenAgent} from "../../src/interfaces/IProvenAgent.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {IGuard, Mode} from "../../src/interfaces/guards/IGuard.sol";
import {IGuardedTool} from "../../src/interfaces/guards/IGuardedTool.sol";
import {EchoTool} from "../fakes/FakeTools.sol";
import {FakeVerifier} from "../fakes/FakeVerifier.sol";
import {StrangersAgent} from "../fakes/StrangersAgent.sol";
import {World} from "../support/World.sol";
import {IWholeGuard, Vault} from "./GuardFakes.sol";

/// @dev Pays a hundred out of the vault at each call. It obeys whom it was made for.
contract HundredTool is EchoTool {
    address private immutable _user;
    Vault private immutable _vault;
    address private immutable _token;
    address private immutable _to;

    error NotMine(address caller);

    constructor(address user, Vault vault, address token, address to) {
        (_user, _vault, _token, _to) = (user, vault, token, to);
    }

    function run(Input calldata, address) external override returns (int256, string memory) {
        if (msg.sender != _user) revert NotMine(msg.sender);
        _vault.pay(_token, 100, _to);
        return (-1, "paid");
    }
}

/// @dev An agent that knows only the ERC, its runner, real frames, and its only tool behind a guard.
contract PlainAgentTest is World {
    Vault private vault = new Vault();
    DemoToken private token = new DemoToken("USD Coin", "USDC", 6);
    address private alice = makeAddr("alice");
    IWholeGuard private guard = IWholeGuard(
        deployCode("Guard.sol:Guard", abi.encode(address(this), address(0), address(vault)))
    );
    HundredTool private pay;
    GuardedTool private tool;
    StrangersAgent private agent;
    PlainRunner private runner;

    function setUp() public {
        vm.warp(1_800_000_000);
        token.mint(address(vault), 10_000);
        guard.setMode(Mode.AUTONOMOUS);
        guard.setBudget(address(token), 300, 100);
        (tool, agent, runner) = made(false);
        guard.bindAgent(address(agent));
    }

    function made(bool strict)
        private
        returns (GuardedTool tool_, StrangersAgent agent_, PlainRunner runner_)
    {
        address predicted = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        pay = new HundredTool(predicted, vault, address(token), alice);
        tool_ = new GuardedTool(guard, pay, executor, strict);
        IERCAgentTool[] memory tools = new IERCAgentTool[](1);
        tools[0] = tool_;
        agent_ = new StrangersAgent(address(executor), vm.toString(model), "Be good.", tools, 5);
        runner_ = new PlainRunner(executor, agent_, address(this), tool_.needsProofs());
        ToolRule memory rule;
        (rule.assetWord, rule.amountWord, rule.targetWord) = (255, 255, 255);
        (rule.wrapped, rule.maxRuns, rule.vouched) = (true, type(uint32).max, true);
        guard.allow(address(tool_), rule);
    }

    function planned() private returns (Claim[] memory claims, bytes[] memory proofs) {
        return plan(
            IProvenAgent(address(runner)),
            "go",
            list(output(CALL, 0), output(CALL, 0), output(REPORT, 0))
        );
    }

    function sends(Claim[] memory claims, bytes[] memory proofs)
        private
        returns (string memory answer)
    {
        (, answer) = runner.runWithProofs(
            inputOf("go"), address(0), claims, proofs, termsFor(claims)
        );
    }

    function spent() private view returns (uint256 amount) {
        (, amount,,) = guard.budgetOf(address(token));
    }

    function test_what_it_decides_is_paid_and_counted() public {
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        assertEq(
            sends(claims, proofs),
            "Thought: use it\nObservation: paid\nThought: use it\nObservation: paid\n"
        );
        assertEq(token.balanceOf(alice), 200);
        assertEq(spent(), 200);
        (uint256 runs,) = guard.runsOf(address(tool));
        assertEq(runs, 2);
    }

    /// @dev A stranger's agent has words of its own for failures; it comes to nothing all the same.
    function test_what_the_guard_refuses_comes_to_nothing() public {
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        uint256 state = vm.snapshotState();
        guard.setBudget(address(token), 199, 100);
        refused(claims, proofs, "Tool call failed");
        vm.revertToState(state);
        guard.pause("no");
        refused(claims, proofs, "Tool call failed");
        vm.revertToState(state);
        guard.setRate(1);
        refused(claims, proofs, "Tool call failed");
        vm.revertToState(state);
        guard.requireManifest(true);
        refused(claims, proofs, "Tool call failed");
        vm.revertToState(state);
        guard.setMode(Mode.SUPERVISED);
        refused(claims, proofs, "Only synchronous tools supported");
        assertEq(guard.tickets(), 0);
        vm.revertToState(state);
        assertEq(bytes(sends(claims, proofs)).length, 68);
    }

    function refused(Claim[] memory claims, bytes[] memory proofs, string memory words) private {
        vm.expectRevert(bytes(words));
        sends(claims, proofs);
        assertEq(token.balanceOf(alice), 0);
        assertEq(spent(), 0);
    }

    function test_a_false_proof_leaves_nothing_paid_or_counted() public {
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        proofs[0] = bytes.concat(proofs[0], hex"00");
        vm.expectCall(address(pay), abi.encodeWithSelector(pay.run.selector), 2);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        sends(claims, proofs);
        assertEq(token.balanceOf(alice), 0);
        assertEq(spent(), 0);
        (uint256 runs,) = guard.runsOf(address(tool));
        assertEq(runs, 0);
    }

    function test_on_paper_it_sees_what_would_have_been() public {
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        guard.setMode(Mode.PAPER);
        assertEq(
            sends(claims, proofs),
            "Thought: use it\nObservation: paid\nThought: use it\nObservation: paid\n"
        );
        assertEq(token.balanceOf(alice), 0);
        assertEq(spent(), 0);
    }

    function test_nobody_else_reaches_the_tool() public {
        vm.expectRevert(
            abi.encodeWithSelector(
                IGuardedTool.CallerIsNotTheGuardedAgent.selector, address(this), agent
            )
        );
        tool.run(inputOf("go"), address(0));
        vm.prank(address(agent));
        vm.expectRevert(abi.encodeWithSelector(HundredTool.NotMine.selector, agent));
        pay.run(inputOf("go"), address(0));
        vm.prank(address(agent)); // it may call the guarded tool alone, not the guard
        vm.expectRevert(abi.encodeWithSelector(IGuard.CallerIsNotGuarded.selector, agent, tool));
        guard.beforeCall(tool, "");
    }

    /// @dev An agent that cannot be strict itself: its tool is not called on what is not proven.
    function test_behind_a_strict_tool_decisions_are_proven_first() public {
        guard = IWholeGuard(
            deployCode("Guard.sol:Guard", abi.encode(address(this), address(0), address(vault)))
        );
        guard.setMode(Mode.AUTONOMOUS);
        guard.setBudget(address(token), 300, 100);
        (tool, agent, runner) = made(true);
        guard.bindAgent(address(agent));
        assertTrue(runner.needsProofs());
        (Claim[] memory claims, bytes[] memory proofs) = planned();
        uint256 state = vm.snapshotState();
        sends(claims, proofs);
        assertEq(token.balanceOf(alice), 200);
        vm.revertToState(state);
        proofs[0] = bytes.concat(proofs[0], hex"00");
        vm.expectCall(address(pay), abi.encodeWithSelector(pay.run.selector), 0);
        vm.expectRevert(FakeVerifier.ProofRefused.selector);
        sends(claims, proofs);
    }
}
