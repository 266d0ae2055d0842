"""`zkagent prove --service` verifies what it gets where it can, and says where it cannot."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from tests.support.fleet import Fleet
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.executor.cli import prove
from zkagent.prover.local import Measurement


def test_a_proof_of_a_circuit_that_is_not_here_is_said_not_to_be_verified(
    fleet: Fleet, features: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "x.json"
    given.write_text(json.dumps(features))
    assert exit_code("prove", "quick", "--input", given, "--service", fleet.url) == 0
    printed = capsys.readouterr()
    proof = Proof.from_json(printed.out)
    assert f"not verified here: circuit {proof.circuit[:16]} was not built on" in printed.err


def test_a_false_proof_of_a_circuit_that_is_here_is_refused(
    circuit: Circuit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts = circuit.facts
    false = Proof(circuit.digest, (0,) * facts.input_count, (0,) * facts.output_count, b"false")
    monkeypatch.setattr(prove, "_prove_by_service", lambda *_: (false, Measurement(0, 0, 0)))
    monkeypatch.setenv("ZKAGENT_HOME", str(circuit.directory.parent.parent))
    given, out = tmp_path / "x.json", tmp_path / "proof.json"
    given.write_text(json.dumps([0] * facts.input_count))
    words = ("--input", given, "--out", out, "--service", "http://127.0.0.1:1")
    assert exit_code("prove", circuit.digest, *words) == 1
    assert "does not verify" in capsys.readouterr().err
    assert not out.exists()
