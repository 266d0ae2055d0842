"""What it costs to check a proof on chain: by the contract as ezkl writes it, and by ours.

`call_cost` is what the benchmarks call; `verification_gas` compares the two verifiers of a built
circuit, for the tests that bound what ours costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.verifier_contracts.chain.gas import call_gas, calldata_gas, calldata_of
from zkagent.verifier_contracts.chain.local import Anvil, send
from zkagent.verifier_contracts.deployment.verifier import compile_verifier
from zkagent.verifier_contracts.errors import RevertError


@dataclass(frozen=True)
class CallCost:
    """Of a contract that was deployed and called once with a proof."""

    deploy_gas: int
    code_bytes: int
    execution_gas: int
    calldata_bytes: int
    calldata_gas: int


@dataclass(frozen=True, slots=True)
class VerificationGas:
    """Gas of executing one verification, without the transaction's base cost and calldata."""

    instances: int
    stock: int
    hardened: int

    @property
    def saved_percent(self) -> float:
        return 100 * (1 - self.hardened / self.stock)


def call_cost(
    chain: Anvil, source: str, entry: str, proof: bytes, instances: Sequence[int]
) -> CallCost:
    """Deploy a generated verifier and call its function `entry` in a transaction.

    The chain's hardfork must be Cancun, Anvil's default. Raises RevertError when the proof is
    false, CompileError, ChainError.
    """
    contract, deploy_gas = _deployed(chain, source)
    function = contract.functions[entry](proof, list(instances))
    try:
        execution_gas = call_gas(chain.web3, function, chain.accounts[0])
    except RevertError as exc:
        raise RevertError(f"{entry} rejects the proof: {exc}", data=exc.data) from exc
    data = calldata_of(function)
    return CallCost(
        deploy_gas=deploy_gas,
        code_bytes=len(chain.web3.eth.get_code(contract.address)),
        execution_gas=execution_gas,
        calldata_bytes=len(data),
        calldata_gas=calldata_gas(data),
    )


def verification_gas(circuit: Circuit, proof: Proof, chain: Anvil) -> VerificationGas:
    """Measure both verifiers of `circuit` with a proof that holds; `chain` is left as it was.

    Raises like call_cost, and EngineError.
    """
    from zkagent.circuits.halo2.ezkl_engine import make_verifier

    stock = make_verifier(circuit.vk, circuit.settings, circuit.srs)
    hardened = circuit.verifier_source.read_text()
    snapshot = chain.snapshot()
    try:
        costs = [
            call_cost(chain, source, entry, proof.proof, proof.instances).execution_gas
            for source, entry in ((stock, "verifyProof"), (hardened, "verify"))
        ]
    finally:
        chain.revert(snapshot)
    return VerificationGas(len(proof.instances), *costs)


def _deployed(chain: Anvil, source: str) -> tuple[Any, int]:
    """The contract of generated Solidity, and the gas of its deployment."""
    compiled = compile_verifier(source)
    factory = chain.web3.eth.contract(abi=list(compiled.abi), bytecode=compiled.bytecode)
    receipt = send(chain.web3, factory.constructor(), chain.accounts[0])
    contract = chain.web3.eth.contract(address=receipt["contractAddress"], abi=list(compiled.abi))
    return contract, int(receipt["gasUsed"])


__all__ = ["CallCost", "VerificationGas", "call_cost", "verification_gas"]
