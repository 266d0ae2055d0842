"""Real circuits of which one has a file that is damaged, cannot be read or hangs: the others go on,
and what is wrong is named."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from tests.support.disks import unreadable
from zkagent.circuits.artifacts import MANIFEST, Circuit, Proof
from zkagent.circuits.errors import ArtifactCorrupted, CircuitError, EngineError
from zkagent.circuits.halo2 import build_process
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.ezkl_engine import make_srs
from zkagent.prover.errors import ProverTroubled
from zkagent.prover.service.api.application import Service
from zkagent.prover.service.api.guard import GuardRules
from zkagent.prover.service.catalogue import built
from zkagent.prover.service.catalogue.built import FILES, BuiltCircuits
from zkagent.prover.service.catalogue.catalogue import Artifact
from zkagent.prover.service.errors import CircuitUnknown
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import prepare_engine
from zkagent.prover.service.worker.callback_rules import CallbackRules
from zkagent.prover.verification import Verdict

JSON = {"content-type": "application/json"}
KEYS = ("circuit.pk", "network.ezkl", "network.onnx")  # which only those who prove read


@pytest.fixture
def home(cache: Path, circuit: Circuit, other_circuit: Circuit) -> Path:
    """Two circuits; `circuit` is the one that is harmed."""
    assert (cache / "circuits" / other_circuit.digest).is_dir()
    return cache


@pytest.fixture
def circuits(home: Path) -> Iterator[BuiltCircuits]:
    opened = BuiltCircuits(cache=home)
    yield opened
    opened.close()


def offered(circuits: BuiltCircuits) -> set[str]:
    return {card.digest for card in circuits.cards()}


def test_a_file_that_cannot_be_read_is_the_trouble_of_its_circuit_alone(
    home: Path, circuits: BuiltCircuits, circuit: Circuit, other_circuit: Circuit
) -> None:
    folder, both = home / "circuits" / circuit.digest, {circuit.digest, other_circuit.digest}
    with unreadable(folder / MANIFEST):
        assert circuits.offered() & both == {other_circuit.digest}
        assert offered(circuits) & both == {other_circuit.digest}
        with pytest.raises(ArtifactCorrupted):
            circuits.card(circuit.digest)
        (trouble,) = circuits.troubles()
        assert circuit.digest[:12] in trouble
        assert MANIFEST in trouble
    assert circuits.offered() >= both
    assert offered(circuits) >= both
    assert circuits.troubles() == []
    for name in circuit.files:
        with unreadable(folder / name):
            assert offered(circuits) >= both
            assert circuits.card(circuit.digest).input_count == circuit.input_count


def test_nobody_but_who_proves_reads_what_only_that_takes(
    home: Path, circuits: BuiltCircuits, circuit: Circuit, proof: Proof
) -> None:
    for name in KEYS:
        (home / "circuits" / circuit.digest / name).unlink()
    assert circuits.card(circuit.digest).proof_bytes == circuit.facts.proof_bytes
    assert circuits.verify(proof) == Verdict(True)
    assert circuits.artifact(circuit.digest, Artifact.SETTINGS) == circuit.settings.read_bytes()
    assert circuits.troubles() == []


@pytest.mark.parametrize("name", FILES)
def test_public_files_are_handed_out_as_they_were_built_or_not_at_all(
    home: Path, circuits: BuiltCircuits, circuit: Circuit, name: Artifact
) -> None:
    path = home / "circuits" / circuit.digest / FILES[name]
    good = circuits.artifact(circuit.digest, name)
    path.write_bytes(b"contract Evil {}")
    with pytest.raises(ArtifactCorrupted, match="sha256"):
        circuits.artifact(circuit.digest, name)
    path.unlink()
    with pytest.raises(ArtifactCorrupted, match="missing"):
        circuits.artifact(circuit.digest, name)
    path.write_bytes(good)
    with unreadable(path), pytest.raises(ArtifactCorrupted, match="cannot be read"):
        circuits.artifact(circuit.digest, name)
    circuits.card(circuit.digest)
    (trouble,) = circuits.troubles()
    assert path.name in trouble
    assert circuits.artifact(circuit.digest, name) == good
    assert circuits.troubles() == []


def test_trouble_that_nobody_sees_again_is_shown_for_a_while(
    home: Path, circuits: BuiltCircuits, circuit: Circuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "circuits" / circuit.digest / "circuit.vk").unlink()
    with pytest.raises(ArtifactCorrupted):
        circuits.artifact(circuit.digest, Artifact.VERIFYING_KEY)
    assert len(circuits.troubles()) == 1
    monkeypatch.setattr(built, "SHOWN_S", 0.0)
    assert circuits.troubles() == []


def test_verdicts_are_told_only_under_the_circuits_own_key(
    home: Path, circuits: BuiltCircuits, circuit: Circuit, other_circuit: Circuit, proof: Proof
) -> None:
    false = replace(proof, inputs=(4, *proof.inputs[1:]))
    vk = home / "circuits" / circuit.digest / "circuit.vk"
    good = vk.read_bytes()
    for content in (other_circuit.vk.read_bytes(), good[:200]):
        assert (circuits.verify(proof).valid, circuits.verify(false).valid) == (True, False)
        vk.write_bytes(content)
        for asked in (proof, false):
            with pytest.raises(ProverTroubled, match=r"circuit\.vk is damaged"):
                circuits.verify(asked)
        assert "circuit.vk" in " ".join(circuits.troubles())
        vk.write_bytes(good)
    with unreadable(vk), pytest.raises(ProverTroubled, match="cannot be read"):
        circuits.verify(proof)
    assert circuits.verify(proof) == Verdict(True)
    assert circuits.troubles() == []


def test_a_service_with_a_circuit_that_cannot_be_read_takes_requests_for_the_others(
    home: Path, tmp_path: Path, circuit: Circuit, other_circuit: Circuit, proof: Proof
) -> None:
    database = Database(f"sqlite:///{tmp_path}/service.sqlite")
    database.prepare()
    prepare_engine(database)
    catalogue = BuiltCircuits(cache=home)
    service = Service(
        database, catalogue, CallbackRules(), GuardRules(), keys_needed=False, least_free_bytes=0
    )
    folder = home / "circuits" / circuit.digest

    async def ask() -> None:
        transport = httpx.ASGITransport(service.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

            async def submitted(digest: str) -> int:
                body = {"circuit": digest, "features": [1, 2, 3, 4]}
                return (await client.post("/v1/proofs", json=body)).status_code

            async def named(file: str, *, wanted: bool = True) -> bool:
                for _ in range(100):
                    found = (await client.get("/readyz")).json()["troubles"]
                    seen = any(t["cause"] == "keys" and file in t["detail"] for t in found)
                    if seen == wanted:
                        break
                    await asyncio.sleep(0.6)  # FRESH_S
                return seen

            with unreadable(folder / MANIFEST):
                assert await submitted(other_circuit.digest) == 202
                assert await submitted(circuit.digest) == 503
                assert await named(MANIFEST)
                metrics = (await client.get("/metrics")).text
                assert 'zkagent_trouble{cause="keys"} 1.0' in metrics
            with unreadable(folder / "circuit.pk"):
                assert await submitted(other_circuit.digest) == 202
                assert await submitted(circuit.digest) == 202
            with unreadable(folder / "circuit.vk"):
                path = f"/v1/circuits/{circuit.digest}/verifying-key"
                asked = (
                    await client.get(path),
                    await client.post("/v1/verify", content=proof.to_json(), headers=JSON),
                )
                assert [answer.status_code for answer in asked] == [503, 503]
                assert all("circuit.vk" in answer.json()["detail"] for answer in asked)
                assert await named("circuit.vk")
            verdict = await client.post("/v1/verify", content=proof.to_json(), headers=JSON)
            assert verdict.json() == {"valid": True, "reason": ""}
            assert (await client.get(path)).content == circuit.vk.read_bytes()
            assert not await named("circuit", wanted=False)

    try:
        asyncio.run(ask())
    finally:
        service.close()
        database.close()


def test_a_model_whose_circuit_can_be_neither_read_nor_built_keeps_no_other_from_starting(
    home: Path, circuit: Circuit, circuits: BuiltCircuits, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Named:
        """A model as far as starting looks at it."""

        onnx_path = home / "circuits" / circuit.digest / "network.onnx"
        manifest = type("", (), {"files": type("", (), {"onnx": circuit.origin.onnx})})

    def fail(*_: object, **__: object) -> Circuit:
        raise EngineError("make the keys", "for the test")

    monkeypatch.setattr(circuits, "_models", {"mine": Named})
    monkeypatch.setattr(build_process, "build_isolated", fail)
    with unreadable(home / "circuits" / circuit.digest / "circuit.pk"):
        circuits.build_models()
    assert circuits.card(circuits.circuit_of("mine")).models == ("mine",)
    assert "for the test" in " ".join(circuits.troubles())
    (home / "circuits" / circuit.digest).rename(home / "away")
    with pytest.raises(CircuitError, match="for the test"):
        BuiltCircuits.build_models(_with(home, Named))


def _with(home: Path, model: object) -> BuiltCircuits:
    fresh = BuiltCircuits(cache=home)
    fresh._models["mine"] = model  # type: ignore[assignment]
    return fresh


def test_batches_of_a_circuit_that_cannot_be_read_are_left_out(
    home: Path, circuit: Circuit, other_circuit: Circuit, circuits: BuiltCircuits
) -> None:
    with unreadable(home / "circuits" / circuit.digest / "network.onnx"):
        circuits.add_batch(circuit.digest, other_circuit.digest)
    assert circuits.card(circuit.digest).batches == ()
    with pytest.raises(CircuitUnknown):
        circuits.add_batch("0" * 64, other_circuit.digest)


def test_a_model_s_circuit_has_the_set_up_that_was_named_or_this_machine_s(
    home: Path, circuit: Circuit, tmp_path: Path
) -> None:
    """And not the one under which a proof of others was verified here."""
    onnx, strangers = circuit.origin.onnx, []
    for number in range(3):  # so that one is first in any order
        srs = tmp_path / f"{number}.srs"
        make_srs(srs, circuit.logrows)
        strangers.append((srs, build_circuit(circuit.onnx, srs=srs, cache=home)))
    for named, expected in ((None, circuit), *strangers):
        opened = BuiltCircuits(srs=named, cache=home)
        well, damaged = opened._find(onnx)
        opened.close()
        assert well is not None
        assert (well.digest, damaged) == (expected.digest, None)
    note = home / "srs" / f"development-k{circuit.logrows}"
    note.unlink()
    opened = BuiltCircuits(cache=home)
    well, _ = opened._find(onnx)  # one that was built with a set-up of several machines
    opened.close()
    assert well is not None
