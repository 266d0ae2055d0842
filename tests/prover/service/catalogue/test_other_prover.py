"""A service whose Groth16 proofs are made by another prover than the usual one."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.integer_networks import mlp
from zkagent.circuits.systems import GROTH16, PROVERS, PROVING
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


def test_a_prover_of_another_system_changes_nothing_of_a_models(tmp_path: Path) -> None:
    ezkl = BuiltCircuits(cache=tmp_path, prover="snarkjs")
    groth16 = BuiltCircuits(system=GROTH16, cache=tmp_path, prover="snarkjs")
    assert ezkl._system is PROVING["ezkl"]
    assert groth16._system is PROVERS["snarkjs"]
    ezkl.close()
    groth16.close()
