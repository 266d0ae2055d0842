"""Groth16 beside ezkl: the same networks, proven by a circuit with a set-up of its own.

A batch needs no circuit: B proofs of one key are verified together, so here `batch` says how many
are, and times are those of all of them, made one after another.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.circuits.networks.batch import batch_network
from zkagent.executor.bench.forms import KEYED, Prepared
from zkagent.executor.bench.subjects import Say, Subject
from zkagent.executor.bench.verification_gas import CallCost
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.gas import call_gas, calldata_gas, calldata_of
from zkagent.verifier_contracts.chain.local import Anvil, send
from zkagent.verifier_contracts.errors import RevertError

if TYPE_CHECKING:
    from zkagent.executor.bench.proving import Entry

FORM = "groth16"


def groth16(subject: Subject, batch: int, folder: Path, say: Say) -> Prepared:
    """Raises CircuitError, also without the prover's library."""
    from zkagent.circuits.groth16.build import build_isolated
    from zkagent.circuits.groth16.cached import PROVING_KEY, SOLVER

    circuit = build_isolated(subject.onnx, progress=say, input_bits=subject.input_bits)
    return Prepared(
        network=subject.network if batch == 1 else batch_network(subject.onnx, batch),
        input_bits=subject.input_bits,
        compiled=Path(),
        settings=Path(),
        vk=circuit.vk,
        pk=circuit.directory / PROVING_KEY,
        srs=Path(),
        verifier="",
        entry=KEYED,
        digest=circuit.digest,
        solver=circuit.directory / SOLVER,
        described={
            "model_input_scales": [0],
            "model_output_scales": [0],
            "run_args": {"logrows": circuit.logrows},
            "num_rows": circuit.rows,
        },
    )


def together(chain: Anvil, entry: "Entry") -> CallCost:
    """Deploy the key's contract and verify the last proofs in one call; the verifier itself is
    every executor's own, and is not counted. Raises ChainError, CompileError."""
    from zkagent.verifier_contracts.toolchain.compile import compile_all

    contract = compile_all()["Groth16Verifier"]
    factory = chain.web3.eth.contract(abi=list(contract.abi), bytecode=contract.bytecode)
    made = send(chain.web3, factory.constructor(), chain.accounts[0])["contractAddress"]
    verifier = chain.web3.eth.contract(address=made, abi=list(contract.abi))
    code = entry.prepared.vk.read_bytes()
    key = send(chain.web3, {"data": creation_code(code)}, chain.accounts[0])
    function = verifier.functions.verify(_claims(entry, str(key["contractAddress"])))
    try:
        gas = call_gas(chain.web3, function, chain.accounts[0])
    except RevertError as exc:
        raise RevertError(f"verify rejects the proofs: {exc}", data=exc.data) from exc
    data = calldata_of(function)
    return CallCost(
        deploy_gas=int(key["gasUsed"]),
        code_bytes=len(code),
        execution_gas=gas,
        calldata_bytes=len(data),
        calldata_gas=calldata_gas(data),
    )


def _claims(entry: "Entry", key: str) -> list[tuple[str, bytes, bytes, bytes]]:
    features = b"".join(number.to_bytes(2, "big", signed=True) for number in entry.x)
    output = b"".join(number.to_bytes(8, "big", signed=True) for number in entry.y)
    rows = (_parts(content, entry.batch) for content in (entry.proof, features, output))
    return [(key, *row) for row in zip(*rows, strict=True)]


def _parts(content: bytes, count: int) -> list[bytes]:
    size = len(content) // count
    return [content[at : at + size] for at in range(0, len(content), size)]


__all__ = ["FORM", "groth16", "together"]
