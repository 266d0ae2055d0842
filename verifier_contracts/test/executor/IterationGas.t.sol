// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {WalletAgent} from "../../src/agents/WalletAgent.sol";
import {DemoToken} from "../../src/demo/DemoToken.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {AgreedCall, Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";
import {LightModel} from "../fakes/LightModel.sol";
import {World} from "../support/World.sol";

/// @dev What executor and agent cost beside encoder, decoder and verifier, which are hollow here.
contract IterationGasTest is World {
    uint256 private constant PROOF_BYTES = 3264;
    string private constant PROMPT = "Withdraw everything from the pool and send 20 USDC to Alice";

    DemoToken private usdc = new DemoToken("USD Coin", "USDC", 6);
    SymbolBook private book = new SymbolBook(address(this));
    LendingPool private pool = new LendingPool();

    function setUp() public {
        book.list("USDC", address(usdc));
    }

    function test_an_iteration_costs_little_beside_encoder_and_verifier() public {
        uint256 two = gasOfRun(2);
        uint256 three = gasOfRun(3);
        uint256 tool = gasOfTool();
        emit log_named_uint("run of two decisions", two);
        emit log_named_uint("one more decision and its tool", three - two);
        emit log_named_uint("of which the tool", tool);
        assertLt(three - two - tool, 45_000);
    }

    /// @dev Execution gas of a whole run, without the transaction's calldata.
    function gasOfRun(uint256 decisions) private returns (uint256 used) {
        WalletAgent agent = agentThatCalls(decisions - 1);
        Claim[] memory claims = new Claim[](0);
        bytes[] memory proofs = new bytes[](0);
        uint256 modelId = vm.parseUint(agent.modelId());
        for (uint256 i = 0; i < decisions; ++i) {
            claims = append(
                claims, Claim(modelId, keccak256(new bytes(2 * INPUTS)), new bytes(8 * OUTPUTS))
            );
            proofs = append(proofs, new bytes(PROOF_BYTES));
        }
        bytes memory callData = abi.encodeCall(
            agent.runWithProofs,
            (inputOf(PROMPT), address(0), claims, proofs, termsOf(agent, decisions))
        );
        used = gasleft();
        (bool success,) = address(agent).call(callData);
        used -= gasleft();
        assertTrue(success);
    }

    /// @dev The tool's own part, warm, as in a later iteration.
    function gasOfTool() private returns (uint256 used) {
        WalletAgent agent = agentThatCalls(0);
        (IERCAgentTool[] memory tools,) = agent.tools();
        IERCAgentTool.Input memory input;
        input.abiEncodedParams = abi.encode(usdc);
        vm.startPrank(address(agent));
        tools[0].run(input, address(0));
        used = gasleft();
        tools[0].run(input, address(0));
        used -= gasleft();
        vm.stopPrank();
    }

    function termsOf(WalletAgent agent, uint256 decisions)
        private
        view
        returns (RunTerms memory terms)
    {
        (IERCAgentTool[] memory tools,) = agent.tools();
        terms.deadline = type(uint64).max;
        terms.calls = new AgreedCall[](decisions);
        for (uint256 i = 0; i < decisions; ++i) {
            terms.calls[i].callHash = i + 1 < decisions
                ? callHash(address(agent), address(tools[0]), abi.encode(usdc))
                : callHash(address(agent), address(0), "");
        }
    }

    function agentThatCalls(uint256 calls) private returns (WalletAgent) {
        address light = address(new LightModel(calls, address(usdc)));
        ModelBinding memory binding = bindingWith(light);
        (binding.encoder, binding.decoder) = (light, light);
        uint256 id = registry.registerBoundModel(commitmentFor(binding), binding);
        bytes32 commitment = registry.commitmentHash(id);
        string memory number = vm.toString(id);
        return new WalletAgent(executor, number, commitment, registry, address(this), pool, book, 6);
    }
}
