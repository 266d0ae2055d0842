// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {StrictWalletAgent} from "../../src/agents/StrictWalletAgent.sol";
import {WalletAgent} from "../../src/agents/WalletAgent.sol";
import {DemoToken} from "../../src/demo/DemoToken.sol";
import {LendingPool} from "../../src/demo/LendingPool.sol";
import {AgreedCall, Claim, RunTerms} from "../../src/interfaces/IAgentExecutor.sol";
import {ModelBinding} from "../../src/interfaces/IModelRegistry.sol";
import {IERCAgentTool} from "../../src/interfaces/erc/IERCAgentTool.sol";
import {ModelCommitment} from "../../src/interfaces/erc/IERCZKMLRegistry.sol";
import {SymbolBook} from "../../src/wallet/SymbolBook.sol";
import {LightModel} from "../fakes/LightModel.sol";
import {Groth16World} from "../support/Groth16World.sol";
import {World} from "../support/World.sol";

/// @dev What it costs to prove before acting: three decisions of the wallet model's size. Encoder and
///   decoder are hollow, and so is Halo2's verifier, whose proofs are as long as real ones; Groth16's
///   is the real one.
contract StrictGasTest is World, Groth16World {
    uint256 private constant PROOF_BYTES = 3264;
    string private constant PROMPT = "Withdraw everything from the pool and send 20 USDC to Alice";

    DemoToken private usdc = new DemoToken("USD Coin", "USDC", 6);
    SymbolBook private book = new SymbolBook(address(this));
    LendingPool private pool = new LendingPool();

    function setUp() public {
        book.list("USDC", address(usdc));
    }

    function test_a_proof_before_its_tool_costs_an_eighth_more_than_its_verification() public {
        address light = address(new LightModel(2, address(usdc)));
        uint256 id = register(light, light, "ezkl-halo2-kzg-bn254-v1");
        bytes[] memory proofs = list(new bytes(PROOF_BYTES), "", "");
        (proofs[1], proofs[2]) = (proofs[0], proofs[0]);
        uint256 usual = gasOfRun(id, false, proofs);
        uint256 strict = gasOfRun(id, true, proofs);
        emit log_named_uint("halo2, three proofs, verified at the end", usual);
        emit log_named_uint("halo2, three proofs, each before its tool", strict);
        assertLt(strict - usual, 3 * 45_000); // a verification takes some 341,000
    }

    function test_groth16_proofs_one_by_one() public {
        address light = address(new LightModel(2, address(usdc)));
        address key = makeKey(INPUTS, OUTPUTS, "key");
        uint256 id = register(light, key, "groth16-bn254-v1");
        bytes[] memory proofs = new bytes[](3);
        for (uint256 i = 0; i < 3; ++i) {
            proofs[i] =
            prove(key, new bytes(2 * INPUTS), new bytes(8 * OUTPUTS), vm.toString(i)).proof;
        }
        uint256 usual = gasOfRun(id, false, proofs);
        uint256 strict = gasOfRun(id, true, proofs);
        emit log_named_uint("groth16, three proofs, together at the end", usual);
        emit log_named_uint("groth16, three proofs, each before its tool", strict);
        assertGt(strict, usual);
    }

    function register(address light, address by, string memory system) private returns (uint256) {
        ModelBinding memory binding = bindingWith(by);
        (binding.encoder, binding.decoder) = (light, light);
        ModelCommitment memory commitment = commitmentFor(binding);
        commitment.proofSystemId = bytes4(keccak256(bytes(system)));
        return registry.registerBoundModel(commitment, binding);
    }

    /// @dev Execution gas of a whole run, without the transaction's calldata.
    function gasOfRun(uint256 id, bool strict, bytes[] memory proofs)
        private
        returns (uint256 used)
    {
        WalletAgent agent = make(id, strict);
        Claim[] memory claims = new Claim[](3);
        for (uint256 i = 0; i < 3; ++i) {
            claims[i] = Claim(id, keccak256(new bytes(2 * INPUTS)), new bytes(8 * OUTPUTS));
        }
        bytes memory callData = abi.encodeCall(
            agent.runWithProofs, (inputOf(PROMPT), address(0), claims, proofs, termsOf(agent))
        );
        used = gasleft();
        (bool success,) = address(agent).call(callData);
        used -= gasleft();
        assertTrue(success);
    }

    function make(uint256 id, bool strict) private returns (WalletAgent) {
        bytes32 commitment = registry.commitmentHash(id);
        string memory number = vm.toString(id);
        if (strict) {
            return new StrictWalletAgent(
                executor, number, commitment, registry, address(this), pool, book, 6
            );
        }
        return new WalletAgent(executor, number, commitment, registry, address(this), pool, book, 6);
    }

    function termsOf(WalletAgent agent) private view returns (RunTerms memory terms) {
        (IERCAgentTool[] memory tools,) = agent.tools();
        terms.deadline = type(uint64).max;
        terms.calls = new AgreedCall[](3);
        for (uint256 i = 0; i < 3; ++i) {
            terms.calls[i].callHash = i < 2
                ? callHash(address(agent), address(tools[0]), abi.encode(usdc))
                : callHash(address(agent), address(0), "");
        }
    }
}
