// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {CallStatus, WaitingCall} from "../../src/interfaces/guards/IApprovals.sol";
import {Mode} from "../../src/interfaces/guards/IGuard.sol";
import {DecidedAgent, IWholeGuard, Vault} from "./GuardFakes.sol";
import {ApproveTool, MuteApproveTool, PayTool, Thief, ThievingTool, WildToken} from "./Thieves.sol";

/// @dev An agent that decides on anything, tools and tokens that steal, an owner who changes the guard.
///   What the vault lost is compared with what the guard says was spent.
contract GuardHandler is Test {
    uint128 private constant TOTAL = 2000;
    uint96 private constant PER_CALL = 400;
    uint256 private constant FUNDS = 1e12;

    Vault public vault = new Vault();
    DecidedAgent public agent = new DecidedAgent();
    IWholeGuard public guard;
    Thief public thief = new Thief();
    WildToken[4] public tokens;
    IERCAgentTool[5] public tools;
    mapping(address asset => uint256) public gifts;
    bytes[] private _asked;
    uint256 public made;
    uint256 public refused;
    string public trespass;

    constructor() {
        vm.warp(1_800_000_000);
        guard = IWholeGuard(deployCode("Guard.sol:Guard", abi.encode(address(this), agent, vault)));
        agent.setGuard(guard);
        guard.setMode(Mode.AUTONOMOUS);
        for (uint256 i = 0; i < 4; ++i) {
            // honest, with a fee on top, reentrant, lying
            tokens[i] = new WildToken(WildToken.Kind(i), address(vault), FUNDS, thief);
            guard.setBudget(address(tokens[i]), TOTAL, PER_CALL);
        }
        vm.deal(address(vault), FUNDS);
        guard.setBudget(address(0), TOTAL, PER_CALL);
        guard.setRate(type(uint16).max);
        thief.wire(vault, agent, guard, tokens);
        _makeTools();
    }

    /// @dev The agent decides to pay, to approve, or on a tool that steals.
    function decide(uint256 seed) external {
        uint256 which = seed % 5;
        thief.plan(seed >> 8);
        uint256 amount = (seed >> 16) % 500;
        bytes memory params =
            which == 0 ? abi.encode(_asset(seed >> 32), amount, thief) : abi.encode(thief, amount);
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = params;
        _act(tools[which], input);
    }

    /// @dev Whoever was granted something takes it, outside of any call.
    function pull(uint256 seed) external {
        thief.plan(0); // only who was granted something acts, not the vault's own tools
        thief.pull(tokens[seed % 3], (seed >> 8) % 600);
    }

    function give(uint256 seed) external {
        address asset = _asset(seed);
        uint256 amount = (seed >> 8) % 1000;
        gifts[asset] += amount;
        if (asset == address(0)) vm.deal(address(vault), address(vault).balance + amount);
        else WildToken(asset).mint(address(vault), amount);
    }

    function raiseBudget(uint256 seed) external {
        address asset = _asset(seed);
        (uint256 total,,,) = guard.budgetOf(asset);
        guard.setBudget(asset, uint128(total + (seed >> 8) % 500), PER_CALL);
    }

    function configure(uint256 seed) external {
        uint256 what = seed % 6;
        if (what == 0) guard.pause("for a while");
        else if (what == 1) guard.disallow(address(tools[(seed >> 8) % 5]));
        else if (what == 2) guard.setMode(Mode((seed >> 8) % 3));
        else _repair();
        thief.plan(0);
    }

    function approveAndMake(uint256 seed) external {
        uint256 count = guard.tickets();
        if (count == 0) return;
        uint256 ticket = 1 + seed % count;
        WaitingCall memory call = guard.waiting(ticket);
        if (call.status == CallStatus.WAITING) {
            guard.approve(ticket, call.callHash, uint40(block.timestamp + 1 days));
        }
        thief.plan(seed >> 8);
        uint256 before = _runs();
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = _asked[ticket - 1];
        try agent.makeApproved(ticket, input) {
            ++made;
        } catch {
            if (_runs() != before) trespass = "an approved call that failed was made";
        }
    }

    /// @dev What the vault has lost of an asset, whatever the asset says of it.
    function lost(address asset) public view returns (uint256) {
        uint256 had = FUNDS + gifts[asset];
        uint256 has =
            asset == address(0) ? address(vault).balance : WildToken(asset).held(address(vault));
        return has > had ? 0 : had - has;
    }

    function _act(IERCAgentTool tool, IERCAgentTool.Input memory input) private {
        (bool isPaused,) = guard.paused();
        (bool allowed,) = guard.ruleOf(address(tool));
        Mode mode = guard.mode();
        (uint256 before, uint256 count) = (_runs(), guard.tickets());
        try agent.act(tool, input) {
            ++made;
            if (isPaused && mode == Mode.AUTONOMOUS) {
                trespass = "a paused guard let a call through";
            }
            if (!allowed) trespass = "a tool was called that is not allowed";
        } catch {
            ++refused;
        }
        if (guard.tickets() == count + 1) _asked.push(input.abiEncodedParams);
        uint256 runs = _runs();
        if (mode != Mode.AUTONOMOUS && runs != before) trespass = "called out of mode";
        if (runs > before + 1) trespass = "one decision, several calls";
    }

    function _repair() private {
        guard.resume();
        guard.setMode(Mode.AUTONOMOUS);
        for (uint256 i = 0; i < 5; ++i) {
            (bool allowed, ToolRule memory rule) = guard.ruleOf(address(tools[i]));
            if (!allowed) guard.allow(address(tools[i]), rule);
        }
    }

    /// @dev As the tools themselves count: a revert takes it back.
    function _runs() private view returns (uint256 sum) {
        for (uint256 i = 0; i < 5; ++i) {
            sum += PayTool(address(tools[i])).runs();
        }
    }

    function _asset(uint256 seed) private view returns (address) {
        uint256 which = seed % 5;
        return which == 4 ? address(0) : address(tokens[which]);
    }

    function _makeTools() private {
        ToolRule memory rule = ToolRule(
            address(vault), Vault.pay.selector, false, false, 0, 1, 255, 0, type(uint32).max, false
        );
        tools[0] = new PayTool(address(agent), vault);
        guard.allow(address(tools[0]), rule);
        for (uint256 i = 1; i < 4; ++i) {
            if (i == 3) tools[i] = new ThievingTool(thief);
            else tools[i] = new ApproveTool(address(agent), vault, address(tokens[i - 1]));
            (, address target, bytes4 selector) = PayTool(address(tools[i])).wiring();
            (rule.target, rule.selector) = (target, selector);
            (rule.assetWord, rule.amountWord, rule.vouched) = (255, 255, i == 3);
            guard.allow(address(tools[i]), rule);
        }
        tools[4] = new MuteApproveTool(address(agent), vault, address(tokens[2]));
        (rule.target, rule.selector) = (address(tokens[2]), WildToken.approve.selector);
        guard.allow(address(tools[4]), rule);
    }
}
