"""What it costs on chain to show one decision of a reader: by evaluating its network, by a proof,
and by one of several proofs that are verified in one transaction; on a chain of our own.

Called by `agent deploy`, so that who deploys an agent knows which is cheaper.
"""

from dataclasses import dataclass

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.executor.chain.abi import FEATURE_BYTES, OUTPUT_BYTES, pack
from zkagent.models.networks.filling import NUMBERS
from zkagent.models.networks.reading import FEATURES, TOOL_FEATURES, TOOLS
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.gas import call_gas, calldata_gas
from zkagent.verifier_contracts.chain.local import Anvil, deploy, send
from zkagent.verifier_contracts.evm import deploy_evm_model, generate_evm_model
from zkagent.verifier_contracts.toolchain.compile import compile_source, contract

#: Candidates for the arguments of the tool that the measured prompt is closest to.
CANDIDATES = 6
TOGETHER = 2
#: Hands instances to a model's verifier as the executor does.
ASKING = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ProofCheck} from "src/executor/ProofCheck.sol";

contract Asking {
    function check(address verifier, bytes calldata x, bytes calldata y) external view {
        ProofCheck.check(verifier, msg.data[:0], x, y);
    }
}
"""


@dataclass(frozen=True)
class DecisionCost:
    """Gas of one decision, a proof's calldata included: evaluated; proven, alone; proven, each
    further proof that is verified with others."""

    evaluated: int
    alone: int
    further: int

    def proven(self, count: int) -> int:
        """Of so many proofs that are verified together."""
        return self.alone + (count - 1) * self.further

    @property
    def proofs_from(self) -> int | None:
        """How many have to be verified together for proofs to cost less; None if that never is."""
        if self.alone < self.evaluated:
            return 1
        if self.further >= self.evaluated:
            return None
        return (self.alone - self.further) // (self.evaluated - self.further) + 1

    def told(self) -> str:
        """In a line."""
        first = f"showing a decision takes {self.evaluated:,} gas evaluated (--proof-system evm), "
        first += f"{self.alone:,} by a proof: "
        if self.proofs_from == 1:
            return f"{first}a proof is cheaper"
        if self.proofs_from is None:
            return f"{first}evaluating is cheaper, however many proofs are verified together"
        return (
            f"{first}evaluating is cheaper; where {self.proofs_from} or more proofs are verified "
            f"in one transaction, proofs are ({self.further:,} for each further one)"
        )


def sample_features() -> list[int]:
    """Of a prompt with eight tools, the closest of which has some candidates for arguments: numbers
    of all sizes."""
    numbers = TOOL_FEATURES - 1
    used = range(numbers + 1 + CANDIDATES * NUMBERS // 2)
    x = [(7_919 * at % (1 << 16)) - (1 << 15) if at in used else 0 for at in range(FEATURES)]
    x[numbers] = (1 << TOOLS) - 1
    return x


def evaluated_gas(chain: Anvil, onnx: bytes, x: list[int], y: tuple[int, ...]) -> int:
    """What the executor pays to have y = f(x) evaluated. Raises EvmModelError, ChainError,
    RevertError for another y."""
    made = deploy_evm_model(chain.web3, generate_evm_model(onnx), chain.accounts[0])
    asking = deploy(chain.web3, compile_source("Asking", ASKING), chain.accounts[0])
    packed = pack(x, FEATURE_BYTES), pack(y, OUTPUT_BYTES)
    function = asking.functions.check(made.contract.address, *packed)
    return call_gas(chain.web3, function, chain.accounts[0])


def decision_cost(circuit: Circuit, proof: Proof) -> DecisionCost:
    """circuit: of Groth16; proof: that y = f(x) for `sample_features`. Raises EvmModelError,
    CompileError, ChainError, RevertError for a false proof."""
    onnx, x, y = circuit.onnx.read_bytes(), list(proof.inputs), tuple(proof.outputs)
    with Anvil() as chain:
        owner = chain.accounts[0]
        verifier = deploy(chain.web3, contract("Groth16Verifier"), owner)
        key = send(chain.web3, {"data": creation_code(circuit.vk.read_bytes())}, owner)
        claim = key["contractAddress"], proof.proof, pack(x, FEATURE_BYTES), pack(y, OUTPUT_BYTES)
        paid = calldata_gas(proof.proof)
        alone, both = (
            call_gas(chain.web3, verifier.functions.verify([claim] * count), owner) + count * paid
            for count in (1, TOGETHER)
        )
        return DecisionCost(evaluated_gas(chain, onnx, x, y), alone, both - alone)


__all__ = ["DecisionCost", "decision_cost", "evaluated_gas", "sample_features"]
