// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";

import {DemoToken} from "../../src/demo/DemoToken.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ToolRule} from "../../src/interfaces/guards/IAllowList.sol";
import {Mode} from "../../src/interfaces/guards/IGuard.sol";
import {SimpleSmartContractTool} from "../../src/tools/SimpleSmartContractTool.sol";
import {ToolResultConverter} from "../../src/tools/ToolResultConverter.sol";
import {ArmedTool, DecidedAgent, IWholeGuard, Vault} from "./GuardFakes.sol";

/// @dev A guarded agent with a vault of tokens, a tool that pays out of it, and one that is armed.
abstract contract GuardWorld is Test {
    uint8 internal constant NONE = 255;
    uint32 internal constant ANY_NUMBER = type(uint32).max;
    uint128 internal constant TOTAL = 1000;
    uint96 internal constant PER_CALL = 400;
    uint256 internal constant FUNDS = 10_000;

    Vault internal vault = new Vault();
    DecidedAgent internal agent = new DecidedAgent();
    IWholeGuard internal guard = newGuard(address(agent));
    DemoToken internal token = new DemoToken("USD Coin", "USDC", 6);
    IERCAgentTool internal pay = payTool(address(agent));
    ArmedTool internal armed = new ArmedTool();
    address internal alice = makeAddr("alice");
    address internal stranger = makeAddr("stranger");

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        token.mint(address(vault), FUNDS);
        vm.deal(address(vault), FUNDS);
        agent.setGuard(guard);
        guard.setMode(Mode.AUTONOMOUS);
        guard.setBudget(address(token), TOTAL, PER_CALL);
        guard.allow(address(pay), payRule());
        guard.allow(address(armed), opaqueRule());
    }

    /// @dev By its artifact, so that not every test is compiled by way of Yul.
    function newGuard(address agent_) internal returns (IWholeGuard) {
        bytes memory arguments = abi.encode(address(this), agent_, address(vault));
        return IWholeGuard(deployCode("Guard.sol:Guard", arguments));
    }

    function payTool(address agent_) internal returns (IERCAgentTool) {
        return wrapper(agent_, address(vault), Vault.pay.selector);
    }

    function wrapper(address agent_, address target, bytes4 selector)
        internal
        returns (IERCAgentTool)
    {
        IERCAgentTool.InputDescription memory input;
        return new SimpleSmartContractTool(
            agent_, "Pay", "Pays", target, selector, input, "Paid", ToolResultConverter(address(0))
        );
    }

    function payRule() internal view returns (ToolRule memory) {
        return
            ToolRule(
                address(vault), Vault.pay.selector, false, false, 0, 1, 2, 0, ANY_NUMBER, false
            );
    }

    function opaqueRule() internal pure returns (ToolRule memory rule) {
        (rule.assetWord, rule.amountWord, rule.targetWord) = (NONE, NONE, NONE);
        rule.maxRuns = ANY_NUMBER;
        rule.vouched = true;
    }

    /// @dev Of a tool that tells what it wraps.
    function ruleOf(address target, bytes4 selector) internal pure returns (ToolRule memory rule) {
        rule = opaqueRule();
        (rule.target, rule.selector, rule.vouched) = (target, selector, false);
    }

    function inputOf(bytes memory params) internal pure returns (IERCAgentTool.Input memory input) {
        input.abiEncodedParams = params;
    }

    function payment(uint256 amount) internal view returns (IERCAgentTool.Input memory) {
        return inputOf(abi.encode(token, amount, alice));
    }

    function pays(uint256 amount) internal {
        agent.act(pay, payment(amount));
    }

    /// @dev The armed tool has the vault pay.
    function armPayment(address asset, uint256 amount, address recipient) internal {
        armed.arm(address(vault), abi.encodeCall(Vault.pay, (asset, amount, recipient)));
    }

    function acts() internal {
        agent.act(armed, inputOf(""));
    }

    function spent(address asset) internal view returns (uint256 amount) {
        (, amount,,) = guard.budgetOf(asset);
    }
}
