"""What it costs to check a proof on chain: by the contract as ezkl writes it, and by ours.

Called by the benchmarks and by the tests that bound it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from circuits.artifacts import Circuit, Proof
from circuits.verifier_patch import CONTRACT
from verifier_contracts.chain import Anvil, deploy
from verifier_contracts.compile import compile_source
from verifier_contracts.errors import RevertError

TRANSACTION_GAS, ZERO_BYTE_GAS, BYTE_GAS = 21_000, 4, 16  # Cancun


@dataclass(frozen=True, slots=True)
class VerificationGas:
    """Gas of executing one verification, without the transaction's base cost and calldata."""

    instances: int
    stock: int
    hardened: int

    @property
    def saved_percent(self) -> float:
        return 100 * (1 - self.hardened / self.stock)


def verification_gas(circuit: Circuit, proof: Proof, chain: Anvil) -> VerificationGas:
    """Measure both verifiers of `circuit` with a proof that holds; `chain` is left as it was.

    The chain's hardfork must be Cancun, Anvil's default. Raises RevertError when the proof is
    false, EngineError, CompileError, ChainError.
    """
    from circuits.ezkl_engine import make_verifier

    stock = make_verifier(circuit.vk, circuit.settings, circuit.srs)
    hardened = circuit.verifier_source.read_text()
    arguments = [proof.proof, list(proof.instances)]
    snapshot = chain.snapshot()
    try:
        return VerificationGas(
            instances=len(proof.instances),
            stock=_execution_gas(chain, stock, "verifyProof", arguments),
            hardened=_execution_gas(chain, hardened, "verify", arguments),
        )
    finally:
        chain.revert(snapshot)


def _execution_gas(chain: Anvil, source: str, function: str, arguments: Sequence[Any]) -> int:
    contract = deploy(chain.web3, compile_source(CONTRACT, source), chain.accounts[0])
    data: str = contract.encode_abi(function, args=arguments)
    call = {"from": chain.accounts[0].address, "to": contract.address, "data": data}
    frame = chain.rpc("debug_traceCall", call, "latest", {"tracer": "callTracer"})
    if "error" in frame:
        raise RevertError(f"{function} rejects the proof: {frame['error']}", data=b"")
    return int(frame["gasUsed"], 16) - _intrinsic_gas(bytes.fromhex(data.removeprefix("0x")))


def _intrinsic_gas(data: bytes) -> int:
    zeros = data.count(0)
    return TRANSACTION_GAS + ZERO_BYTE_GAS * zeros + BYTE_GAS * (len(data) - zeros)


__all__ = ["VerificationGas", "verification_gas"]
