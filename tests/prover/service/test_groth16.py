"""The service with a circuit of Groth16: proofs, verdicts, files; batches need no circuit."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.fleet import Fleet, eventually
from tests.support.small_networks import squares
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import KeysDamaged
from zkagent.circuits.groth16 import system as groth16
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.systems import GROTH16
from zkagent.executor.runs.service_prover import CheckedService
from zkagent.prover.child import answer
from zkagent.prover.client import ServiceClient, prove_by_service
from zkagent.prover.service.catalogue import prover_look
from zkagent.prover.service.catalogue.built import BuiltCircuits
from zkagent.prover.service.errors import ServiceAnswered
from zkagent.prover.verification import verify

X = [3, -1, 4, 1]


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory, square_onnx: Path) -> Circuit:
    pytest.importorskip("groth16py")
    return GROTH16.build(square_onnx, cache=tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def client(keyed: Circuit, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceClient]:
    database = tmp_path_factory.mktemp("service") / "service.sqlite"
    fleet = Fleet(keyed.directory.parent.parent, f"sqlite:///{database}", None)
    fleet.serve("--no-models")
    with fleet.client() as opened:
        yield opened
    fleet.end()


def test_a_proof_from_the_service_is_a_true_proof(client: ServiceClient, keyed: Circuit) -> None:
    proof = prove_by_service(client.url, keyed.digest, X, timeout_s=300)
    assert proof.outputs == squares(X)
    assert verify(proof, keyed)
    assert client.verify(proof) == (True, "")
    false = replace(proof, outputs=(proof.outputs[0] + 1, *proof.outputs[1:]))
    assert client.verify(false)[0] is False


def test_the_executors_prover_gets_proofs(client: ServiceClient, keyed: Circuit) -> None:
    with CheckedService(client.url, keyed) as prover:
        proof = prover.prove([5, 6, 7, 8])
    assert proof.outputs == squares([5, 6, 7, 8])
    assert verify(proof, keyed)


def test_inputs_beyond_features_are_refused(client: ServiceClient, keyed: Circuit) -> None:
    with pytest.raises(Exception, match=r"x\[0\] is 40000, expected 16 bits"):
        prove_by_service(client.url, keyed.digest, [40000, 0, 0, 0], timeout_s=300)


def test_the_verifying_key_is_the_contracts_code(client: ServiceClient, keyed: Circuit) -> None:
    code = client.artifact(keyed.digest, "verifying-key")
    assert code == keyed.vk.read_bytes()
    assert KeyCode.from_bytes(code).inputs == 4


@pytest.mark.parametrize("name", ["verifier.sol", "verifier.abi.json", "settings.json"])
def test_files_that_it_has_not_are_said_to_be_none(
    client: ServiceClient, keyed: Circuit, name: str
) -> None:
    with pytest.raises(ServiceAnswered, match=f"groth16-bn254-v1, which has no {name}"):
        client.artifact(keyed.digest, name)


def test_a_models_circuit_is_of_the_system_that_was_chosen(keyed: Circuit) -> None:
    home, onnx = keyed.directory.parent.parent, keyed.origin.onnx
    chosen, usual = BuiltCircuits(cache=home, system=GROTH16), BuiltCircuits(cache=home)
    assert chosen._find(onnx) == (keyed, None)
    assert usual._find(onnx) == (None, None)
    chosen.close()
    usual.close()


def test_a_circuit_that_was_copied_from_elsewhere_stands_for_no_model(
    keyed: Circuit, tmp_path: Path
) -> None:
    """It is proven and verified by its digest."""
    home, onnx = tmp_path / "home", keyed.origin.onnx
    shutil.copytree(keyed.directory, home / "circuits" / keyed.digest)
    opened = BuiltCircuits(cache=home, system=GROTH16)
    assert opened._find(onnx) == (None, None)
    assert opened.card(keyed.digest).digest == keyed.digest
    opened.close()
    named = BuiltCircuits(cache=home, system=GROTH16, srs=keyed.vk)
    (well, _), own = named._find(onnx), GROTH16.build(keyed.onnx, cache=home)
    assert well is not None
    assert well.digest == keyed.digest != own.digest
    assert GROTH16.build(keyed.onnx, cache=home, srs=keyed.vk).digest == keyed.digest
    named.close()
    opened = BuiltCircuits(cache=home, system=GROTH16)
    assert opened._find(onnx) == (own, None)
    opened.close()


def test_a_worker_without_the_library_leaves_its_circuits_to_others_and_says_what_it_lacks(
    keyed: Circuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(BuiltCircuits(cache=keyed.directory.parent.parent)) as circuits:
        monkeypatch.setitem(sys.modules, "groth16py", None)
        assert keyed.digest not in circuits.offered()
        (trouble,) = circuits.troubles()
        assert keyed.digest[:12] in trouble
        assert "groth16py is not installed: pip install -e '.[groth16]'" in trouble
        assert circuits.card(keyed.digest).digest == keyed.digest
        monkeypatch.undo()
        monkeypatch.setattr(prover_look, "LOOK_EVERY_S", 0)
        eventually(lambda: keyed.digest in circuits.offered())
        assert circuits.troubles() == []


def test_a_child_without_the_library_is_not_said_to_fail(
    keyed: Circuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "groth16py", None)
    monkeypatch.setattr(groth16, "_LOADED", {})
    told = answer(keyed, X)
    assert (told["trouble"], "groth16py is not installed" in told["detail"]) == ("prover", True)


def test_a_missing_file_at_the_start_makes_no_other_circuit(tmp_path: Path) -> None:
    """It stays the model's, for whoever mends it."""
    pytest.importorskip("groth16py")

    def started() -> tuple[str, list[str]]:
        with closing(BuiltCircuits(["wallet"], system=GROTH16, cache=tmp_path)) as circuits:
            circuits.build_models()
            return circuits.circuit_of("wallet"), circuits.troubles()

    named, troubles = started()
    assert troubles == []
    before = sorted((tmp_path / "circuits").iterdir())
    zkey = tmp_path / "circuits" / named / "circuit.zkey"
    away = zkey.rename(tmp_path / "away")
    again, (trouble,) = started()
    assert again == named
    assert "circuit.zkey is of no use" in trouble
    assert sorted((tmp_path / "circuits").iterdir()) == before
    away.rename(zkey)
    assert started() == (named, [])


@pytest.mark.parametrize("name", ["circuit.json", "note"])
def test_a_model_whose_circuit_cannot_be_told_keeps_no_other_from_starting(
    keyed: Circuit, tmp_path: Path, name: str
) -> None:
    home = Path(shutil.copytree(keyed.directory.parent.parent, tmp_path / "home"))
    own = GROTH16.build(keyed.onnx, cache=home)
    with closing(BuiltCircuits(cache=home, system=GROTH16)) as circuits:
        circuits._models = {"mine": named(keyed.onnx, keyed.origin.onnx)}
        path = home / "circuits" / own.digest / name
        if name == "note":
            path = home / "groth16" / f"{own.digest}.made"
        path.write_bytes(path.read_bytes()[:100])
        before = sorted((home / "circuits").iterdir())
        circuits.build_models()
        assert sorted((home / "circuits").iterdir()) == before
        with pytest.raises(KeysDamaged, match=path.name):
            circuits.circuit_of("mine")
        assert any(each.startswith(f"model mine: {path}") for each in circuits.troubles())


def named(onnx: Path, digest: str) -> Any:
    """A model as far as starting looks at it."""
    manifest = SimpleNamespace(files=SimpleNamespace(onnx=digest))
    return SimpleNamespace(onnx_path=onnx, manifest=manifest)


def test_a_circuit_that_stands_in_for_one_whose_folder_is_gone_is_named(
    keyed: Circuit, tmp_path: Path
) -> None:
    home, onnx = tmp_path / "home", tmp_path / "network.onnx"
    shutil.copy(keyed.onnx, onnx)
    own = GROTH16.build(onnx, cache=home)

    def troubles() -> list[str]:
        with closing(BuiltCircuits(cache=home, system=GROTH16)) as circuits:
            circuits._models = {"mine": named(onnx, keyed.origin.onnx)}
            circuits.build_models()
            return circuits.troubles()

    assert troubles() == []
    away = shutil.move(own.directory, tmp_path / "away")
    for _ in range(2):  # as the other circuit is made, and once it is there
        (trouble,) = troubles()
        assert trouble.startswith(f"circuit {own.digest[:12]}: its folder is gone, and ")
    shutil.move(away, own.directory)
    assert troubles() == []
