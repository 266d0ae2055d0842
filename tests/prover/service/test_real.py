"""The service with real circuits: proofs, batches, artifacts, verdicts, models."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.support.fleet import Fleet
from tests.support.small_networks import squares
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.networks.batch import batch_file, own_row
from zkagent.executor.runs.provers import ProverOpener
from zkagent.executor.runs.service_prover import CheckedService
from zkagent.prover.client import AsyncServiceClient, ServiceProver, Wanted, prove_by_service
from zkagent.prover.errors import ProofFalse
from zkagent.prover.service.errors import ServiceAnswered
from zkagent.prover.verification import verify

ROWS = 3


@pytest.fixture(scope="session")
def batch_circuit(session_cache: Path, square_onnx: Path) -> Circuit:
    with batch_file(square_onnx, ROWS) as path:
        return build_circuit(path, cache=session_cache)


@pytest.fixture(scope="module")
def real(
    tmp_path_factory: pytest.TempPathFactory, circuit: Circuit, batch_circuit: Circuit
) -> Iterator[Fleet]:
    home = circuit.directory.parent.parent
    data = tmp_path_factory.mktemp("real")
    fleet = Fleet(home, f"sqlite:///{data}/service.sqlite", None)
    pair = ("--batch", circuit.digest, batch_circuit.digest)
    fleet.serve("--no-models", *pair, "--linger", "0.5", "--batch-size", str(ROWS))
    yield fleet
    fleet.end()


def test_a_proof_from_the_service_is_a_true_proof(real: Fleet, circuit: Circuit) -> None:
    proof = prove_by_service(real.url, circuit.digest, [3, -1, 4, 1], timeout_s=300)
    assert proof.inputs == (3, -1, 4, 1)
    assert proof.outputs == squares([3, -1, 4, 1])
    assert verify(proof, circuit)


def test_the_executors_prover_gets_single_proofs(real: Fleet, circuit: Circuit) -> None:
    opener: ProverOpener = partial(CheckedService, real.url)
    with opener(circuit) as prover:
        proof = prover.prove([5, 6, 7, 8])
    assert proof.circuit == circuit.digest
    assert verify(proof, circuit)


def test_the_executors_prover_hands_out_no_false_proof(
    real: Fleet, circuit: Circuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = ServiceProver.prove

    def forge(prover: ServiceProver, x: Sequence[int]) -> Proof:
        proof = genuine(prover, x)
        return replace(proof, outputs=(proof.outputs[0] + 1, *proof.outputs[1:]))

    monkeypatch.setattr(ServiceProver, "prove", forge)
    with CheckedService(real.url, circuit) as prover, pytest.raises(ProofFalse):
        prover.prove([5, 6, 7, 8])


def test_several_requests_share_a_true_proof(
    real: Fleet, circuit: Circuit, batch_circuit: Circuit
) -> None:
    wanted = [[n, 1, 2, 3] for n in range(ROWS)]

    async def ask() -> list[Proof]:
        async with AsyncServiceClient(real.url) as client:
            asked = (client.prove(Wanted.of_features(circuit.digest, x)) for x in wanted)
            views = await asyncio.gather(*asked)
        for x, view in zip(wanted, views, strict=True):
            assert view.result
            assert tuple(view.result.outputs) == squares(x)
        return [Proof.from_json(v.result.proof.model_dump_json()) for v in views if v.result]

    proofs = asyncio.run(ask())
    assert len(set(proofs)) == 1
    assert proofs[0].circuit == batch_circuit.digest
    assert verify(proofs[0], batch_circuit)
    first = next(n for n in range(ROWS) if list(proofs[0].inputs[4 * n : 4 * n + 4]) == wanted[0])
    assert own_row(proofs[0], wanted[0], first) == squares(wanted[0])


def test_the_service_tells_true_proofs_from_false_ones(
    real: Fleet, proof: Proof, batch_circuit: Circuit
) -> None:
    flipped = bytes([proof.proof[0] ^ 1]) + proof.proof[1:]
    false = [
        Proof(proof.circuit, proof.inputs, proof.outputs, flipped),
        Proof(proof.circuit, proof.inputs, (proof.outputs[0] + 1, proof.outputs[1]), proof.proof),
        Proof(proof.circuit, (4, -1, 4, 1), proof.outputs, proof.proof),
        Proof(batch_circuit.digest, proof.inputs, proof.outputs, proof.proof),
    ]
    with real.client() as client:
        assert client.verify(proof) == (True, "")
        assert [client.verify(one)[0] for one in false] == [False] * 4
        with pytest.raises(ServiceAnswered) as unknown:
            client.verify(Proof("0" * 64, proof.inputs, proof.outputs, proof.proof))
    assert unknown.value.status == 404


def test_public_files_are_served_as_they_are(real: Fleet, circuit: Circuit) -> None:
    with real.client() as client:
        assert client.artifact(circuit.digest, "verifying-key") == circuit.vk.read_bytes()
        solidity = client.artifact(circuit.digest, "verifier.sol")
        abi = json.loads(client.artifact(circuit.digest, "verifier.abi.json"))
    assert solidity == circuit.verifier_source.read_bytes()
    (function,) = abi
    types = [argument["type"] for argument in function["inputs"]]
    assert (function["name"], types) == ("verify", ["bytes", "uint256[]"])
    assert b"function verify(" in solidity


def test_a_batch_of_another_shape_is_refused_at_the_start(
    tmp_path: Path, circuit: Circuit, other_circuit: Circuit
) -> None:
    home = circuit.directory.parent.parent
    fleet = Fleet(home, f"sqlite:///{tmp_path}/service.sqlite", None)
    with pytest.raises(AssertionError, match="is no batch of"):
        fleet.serve("--no-models", "--batch", circuit.digest, other_circuit.digest)
    fleet.end()
