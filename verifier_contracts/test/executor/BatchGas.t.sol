// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {WalletAgent} from "../../src/agents/WalletAgent.sol";
import {DemoToken} from "../../src/demo/DemoToken.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {AgreedCall, Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {BatchVerifier, ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";
import {LightModel} from "../fakes/LightModel.sol";
import {World} from "../support/World.sol";

/// @dev What executor and registry add to a decision whose proof is shared, in the wallet model's size,
///   beside encoder, decoder and verifier, which are hollow here.
contract BatchGasTest is World {
    uint256 private constant PROOF_BYTES = 1856;
    uint16 private constant SIZE = 16;

    DemoToken private usdc = new DemoToken("USD Coin", "USDC", 6);
    SymbolBook private book = new SymbolBook(address(this));
    LendingPool private pool = new LendingPool();

    function setUp() public {
        book.list("USDC", address(usdc));
    }

    function test_a_shared_proof_costs_the_executor_less_than_proofs_of_ones_own() public {
        uint256 alone = gasOfRun(SIZE, false);
        uint256 together = gasOfRun(SIZE, true);
        emit log_named_uint("16 decisions, a proof each", alone);
        emit log_named_uint("16 decisions, one proof", together);
        assertLt(together, alone);
    }

    /// @dev Execution gas of a whole run, without the transaction's calldata.
    function gasOfRun(uint256 decisions, bool shared) private returns (uint256 used) {
        WalletAgent agent = agentThatCalls(decisions - 1);
        Claim[] memory claims = new Claim[](0);
        bytes[] memory proofs = new bytes[](0);
        uint256 modelId = vm.parseUint(agent.modelId());
        for (uint256 i = 0; i < decisions; ++i) {
            claims = append(
                claims, Claim(modelId, keccak256(new bytes(2 * INPUTS)), new bytes(8 * OUTPUTS))
            );
            proofs = append(proofs, i == 0 || !shared ? new bytes(PROOF_BYTES) : bytes(""));
        }
        bytes memory callData = abi.encodeCall(
            agent.runWithProofs,
            (inputOf("go"), address(0), claims, proofs, termsOf(agent, decisions))
        );
        used = gasleft();
        (bool success,) = address(agent).call(callData);
        used -= gasleft();
        assertTrue(success);
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
        BatchVerifier[] memory batches = new BatchVerifier[](1);
        batches[0] = BatchVerifier(SIZE, light, "batch circuit", light.codehash);
        registry.setBatchVerifiers(id, batches);
        bytes32 commitment = registry.commitmentHash(id);
        string memory number = vm.toString(id);
        return
            new WalletAgent(executor, number, commitment, registry, address(this), pool, book, SIZE);
    }
}
