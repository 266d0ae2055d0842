"""A service whose Groth16 proofs are made by another prover than the usual one."""

import shutil
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.disks import read_only
from tests.support.integer_networks import mlp
from zkagent.circuits.snarkjs.install import snarkjs_folder
from zkagent.circuits.systems import GROTH16, PROVERS, PROVING
from zkagent.prover.child import answer
from zkagent.prover.service.catalogue.built import BuiltCircuits
from zkagent.prover.verification import verify

X = [5, -3, 100, 0, -32768, 32767, 1, -1, 7]


def test_what_snarkjs_proves_is_offered_where_groth16py_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (onnx := tmp_path / "mlp.onnx").write_bytes(mlp())
    circuit = PROVERS["snarkjs"].build(onnx, cache=tmp_path)
    monkeypatch.setitem(sys.modules, "groth16py", None)
    without, having = (BuiltCircuits(cache=tmp_path, prover=name) for name in (None, "snarkjs"))
    try:
        assert without.offered() == frozenset()
        assert having.offered() == {circuit.digest}
        with having.prover(circuit.digest, 300, None) as prover:
            proof = prover.prove(X)
        assert verify(proof, circuit)
        assert not verify(replace(proof, inputs=(*proof.inputs[:-1], 8)), circuit)
    finally:
        without.close()
        having.close()


@pytest.mark.parametrize("complete", [True, False])
def test_of_a_read_only_cache_snarkjs_proves_if_it_is_installed_there_and_is_not_offered_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complete: bool
) -> None:
    (onnx := tmp_path / "mlp.onnx").write_bytes(mlp())
    circuit, there = PROVERS["snarkjs"].build(onnx, cache=tmp_path), snarkjs_folder().parents[1]
    if complete:
        shutil.copytree(there, tmp_path / "snarkjs" / there.name, symlinks=True)
    else:
        (tmp_path / "snarkjs").mkdir()
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    with (
        read_only(tmp_path / "snarkjs"),
        closing(BuiltCircuits(cache=tmp_path, prover="snarkjs")) as circuits,
    ):
        assert circuits.offered() == ({circuit.digest} if complete else frozenset())
        troubles = circuits.troubles()
        assert len(troubles) == (0 if complete else 1)
        assert all("snarkjs is not installed there" in each for each in troubles)
        told = answer(circuit, X, "snarkjs")
        assert ("proof" in told) == complete
        assert told.get("trouble") == (None if complete else "prover")


def test_a_prover_of_another_system_changes_nothing_of_a_models(tmp_path: Path) -> None:
    ezkl = BuiltCircuits(cache=tmp_path, prover="snarkjs")
    groth16 = BuiltCircuits(system=GROTH16, cache=tmp_path, prover="snarkjs")
    assert ezkl._system is PROVING["ezkl"]
    assert groth16._system is PROVERS["snarkjs"]
    ezkl.close()
    groth16.close()
