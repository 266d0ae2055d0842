// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DemoToken} from "../../src/demo/DemoToken.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {CapabilityManifest} from "../../src/interfaces/guards/ICapabilities.sol";
import {DecidedAgent, Vault} from "./GuardFakes.sol";
import {GuardWorld} from "./GuardWorld.sol";

contract Meter is DecidedAgent {
    function guarded(IERCAgentTool tool, IERCAgentTool.Input memory input)
        external
        returns (uint256 used)
    {
        used = gasleft();
        _callGuarded(tool, tool, input);
        used -= gasleft();
    }

    function bare(IERCAgentTool tool, IERCAgentTool.Input memory input)
        external
        returns (uint256 used)
    {
        used = gasleft();
        tool.run(input, address(0));
        used -= gasleft();
    }
}

/// @dev What a whole guard costs beside the tool: allow-list, code, cooldown, count, rate, manifest with
///   target, and a budget. All counters are there from earlier transactions, and all is cold.
contract GuardGasTest is GuardWorld {
    Meter private meter = new Meter();
    Vault private bareVault = new Vault();
    DemoToken private bareToken = new DemoToken("Dai", "DAI", 18);
    IERCAgentTool private barePay = wrapper(address(meter), address(bareVault), Vault.pay.selector);

    function setUp() public virtual override {
        agent = meter;
        guard = newGuard(address(meter));
        pay = payTool(address(meter));
        super.setUp();
        bareToken.mint(address(bareVault), FUNDS);
        guard.trustIssuer(vm.addr(7), true);
        CapabilityManifest memory m;
        (m.issuer, m.agent, m.nonce) = (vm.addr(7), address(meter), 1);
        m.expires = uint64(block.timestamp + 1 days);
        (m.actions, m.targets) = (new address[](1), new address[](1));
        (m.actions[0], m.targets[0]) = (address(pay), alice);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(7, guard.manifestDigest(m));
        guard.present(m, abi.encodePacked(r, s, v));
        guard.requireManifest(true);
        guard.limitRuns(address(pay), 60, 1000);
        pays(100);
        bareVault.pay(address(bareToken), 100, alice);
        vm.warp(block.timestamp + 400);
    }

    function test_a_whole_guard_costs_at_most_45000_gas_a_call() public virtual {
        uint256 cost = costOfACall();
        emit log_named_uint("a whole guard, a call", cost);
        assertLt(cost, 45_000);
    }

    function costOfACall() internal returns (uint256) {
        uint256 guarded = meter.guarded(pay, payment(100));
        uint256 bare = meter.bare(barePay, inputOf(abi.encode(bareToken, 100, alice)));
        assertEq(spent(address(token)), 200);
        return guarded - bare;
    }
}

/// @dev The same with as many budgets as there may be: each is measured, whatever the call names.
contract MostBudgetsGasTest is GuardGasTest {
    function setUp() public override {
        super.setUp();
        for (uint256 i = 1; i < 8; ++i) {
            DemoToken other = new DemoToken("Other", "OTH", 18);
            other.mint(address(vault), FUNDS);
            guard.setBudget(address(other), TOTAL, PER_CALL);
        }
    }

    function test_a_whole_guard_costs_at_most_45000_gas_a_call() public override {
        uint256 cost = costOfACall();
        emit log_named_uint("a whole guard with eight budgets, a call", cost);
        assertLt(cost, 111_000);
    }
}
