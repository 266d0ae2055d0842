"""`zkagent prove --service` verifies what it gets where it can, and says where it cannot."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.fleet import Fleet
from tests.support.liars import lying_service, says, view
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.halo2.ezkl_engine import make_srs
from zkagent.circuits.systems import GROTH16
from zkagent.executor.cli import prove
from zkagent.prover.local import LocalProver, Measurement


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


def asked(proof: Proof, model: object, tmp_path: Path, *words: object) -> int:
    """`zkagent prove MODEL --service` of a service that always answers with this proof."""
    given = tmp_path / "x.json"
    given.write_text(json.dumps(proof.inputs))
    with lying_service(says(view(proof=proof.document))) as url:
        return exit_code("prove", model, "--input", given, "--service", url, *words)


@pytest.fixture
def at_home(circuit: Circuit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(circuit.directory.parent.parent))


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("by", ["file", "digest", "prefix"])
def test_a_true_proof_of_another_circuit_that_is_here_is_refused(
    by: str,
    proof: Proof,
    other_circuit: Circuit,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    digest, out = other_circuit.digest, tmp_path / "proof.json"
    model = {"file": other_circuit.onnx, "digest": digest, "prefix": digest[:12]}[by]
    assert asked(proof, model, tmp_path, "--out", out) == 1
    assert "a proof of something else: " in one_line_error(capsys)
    assert not out.exists()


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("by", ["file", "digest", "prefix"])
def test_a_true_proof_of_what_was_asked_is_verified(
    by: str, proof: Proof, circuit: Circuit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digest = circuit.digest
    model = {"file": circuit.onnx, "digest": digest, "prefix": digest[:12]}[by]
    assert asked(proof, model, tmp_path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["verified"] is True


@pytest.fixture
def other_srs(circuit: Circuit, tmp_path: Path) -> Path:
    """A set-up of the same size that somebody else made up."""
    path = tmp_path / "other.srs"
    make_srs(path, circuit.logrows)
    return path


def copied(circuit: Circuit, home: Path) -> Path:
    """A home with the circuit and its set-up, which is not this home's own."""
    copy = home / "circuits" / circuit.digest
    shutil.copytree(circuit.directory, copy)
    (home / "srs").mkdir()
    shutil.copy(circuit.srs, home / "srs")
    return home


@pytest.mark.usefixtures("at_home")
def test_a_proof_under_another_set_up_than_the_named_one_is_not_said_to_be_verified(
    proof: Proof,
    circuit: Circuit,
    other_srs: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for model in (circuit.onnx, circuit.digest):
        assert asked(proof, model, tmp_path, "--srs", other_srs, "--json") == 0
        printed = capsys.readouterr()
        assert json.loads(printed.out)["verified"] is False
        assert f"its set-up is not the one in {other_srs}" in printed.err
        assert asked(proof, model, tmp_path, "--srs", circuit.srs, "--json") == 0
        assert json.loads(capsys.readouterr().out)["verified"] is True


def test_a_proof_under_a_set_up_of_somebody_else_is_not_said_to_be_verified(
    proof: Proof,
    circuit: Circuit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(copied(circuit, tmp_path / "home")))
    assert asked(proof, circuit.onnx, tmp_path, "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["verified"] is False
    assert "not this machine's own or a ceremony's" in printed.err
    assert asked(proof, circuit.onnx, tmp_path, "--srs", circuit.srs, "--json") == 0
    assert json.loads(capsys.readouterr().out)["verified"] is True
    assert asked(proof, circuit.digest, tmp_path, "--json") == 0  # which binds its set-up
    assert json.loads(capsys.readouterr().out)["verified"] is True


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("model", ["no-such-model", "missing.onnx"])
def test_a_true_proof_of_what_nobody_here_knows_is_said_not_to_be_verified(
    model: str, proof: Proof, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(proof, model, tmp_path, "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["verified"] is False
    assert f"this machine has no model {model!r}" in printed.err


@pytest.mark.usefixtures("at_home")
def test_a_decision_of_another_network_is_not_said_to_be_the_model_s(
    proof: Proof, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(proof, "wallet", tmp_path) == 1
    assert "is none of wallet" in one_line_error(capsys)


def test_a_proof_under_keys_that_were_made_elsewhere_is_not_said_to_be_verified(
    square_onnx: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("groth16py")
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    keyed = GROTH16.build(square_onnx, cache=theirs)
    with LocalProver(keyed) as prover:
        true = prover.prove([3, -1, 4, 1])
    shutil.copytree(keyed.directory, ours / "circuits" / keyed.digest)
    monkeypatch.setenv("ZKAGENT_HOME", str(ours))
    assert asked(true, square_onnx, tmp_path, "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["verified"] is False
    assert "not this machine's own or a ceremony's" in printed.err
    assert "name the circuit by its digest if you trust that" in printed.err
    assert asked(true, keyed.digest, tmp_path, "--json") == 0  # which binds its set-up
    printed = capsys.readouterr()
    assert json.loads(printed.out)["verified"] is False
    assert "the proof is true of circuit" in printed.err
    assert "nobody here knows who made its key" in printed.err
    monkeypatch.setenv("ZKAGENT_HOME", str(theirs))
    assert asked(true, square_onnx, tmp_path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["verified"] is True


def test_a_set_up_of_another_system_says_nothing_of_keys(
    square_onnx: Path,
    other_srs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("groth16py")
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    keyed = GROTH16.build(square_onnx)
    with LocalProver(keyed) as prover:
        true = prover.prove([3, -1, 4, 1])
    out = tmp_path / "proof.json"
    out.write_text(true.to_json())
    for _ in range(2):
        monkeypatch.setenv("ZKAGENT_SRS", str(other_srs))  # for circuits of ezkl
        assert exit_code("verify", out) == 0  # as the circuit that it names
        assert exit_code("circuit", "build", square_onnx, "--proof-system", "groth16") == 0
        capsys.readouterr()
        assert exit_code("verify", out, "--srs", other_srs) == 1
        assert "is made for one circuit: leave out --srs" in one_line_error(capsys)
        build = ("circuit", "build", square_onnx, "--proof-system", "groth16")
        assert exit_code(*build, "--srs", other_srs) == 1
        assert "leave out --srs" in one_line_error(capsys)
        next((tmp_path / "home" / "groth16").glob("*.made")).unlink()  # as if from elsewhere
    capsys.readouterr()
    assert exit_code("verify", out, "--srs", other_srs) == 1
    assert "has another set-up than" in one_line_error(capsys)
