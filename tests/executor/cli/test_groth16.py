"""`--proof-system groth16` as users give it: circuits, proofs and verdicts, and what does not go
with it."""

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.foreign_circuits import as_a_ceremonys
from tests.support.small_networks import relu_network, squares
from zkagent.circuits.artifacts import Proof
from zkagent.circuits.groth16.keys.key_code import HEAD
from zkagent.circuits.groth16.keys.setups import note_own
from zkagent.circuits.systems import GROTH16, PROVING, load_circuit
from zkagent.executor.api.circuits import build_circuit
from zkagent.executor.cli.options import PROOF_SYSTEMS
from zkagent.executor.errors import ArgumentRefused
from zkagent.verifier_contracts.deployment.backing import backing_of
from zkagent.verifier_contracts.errors import DevelopmentSetupRefused

X = [3, -1, 4, 1]
SYSTEM = ("--proof-system", "groth16")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("groth16py")
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_users_names_are_those_of_the_systems() -> None:
    assert tuple(PROVING) == PROOF_SYSTEMS


def test_a_proof_is_made_and_verified(
    home: Path, square_onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, out = tmp_path / "x.json", tmp_path / "proof.json"
    given.write_text(json.dumps(X))
    model = str(square_onnx)
    assert exit_code("prove", model, "--input", given, "--out", out, *SYSTEM) == 0
    assert f"y = {list(squares(X))}" in capsys.readouterr().out
    assert exit_code("verify", out) == exit_code("verify", out, "--model", model, *SYSTEM) == 0
    assert "valid for circuit " in capsys.readouterr().out
    proof = Proof.from_json(out.read_bytes())
    assert len(proof.proof) == 256
    out.write_text(out.read_text().replace(str(proof.outputs[0]), str(proof.outputs[0] + 1), 1))
    assert exit_code("verify", out) == 1
    assert "invalid: the proof does not hold" in capsys.readouterr().out


def test_a_circuit_is_built_listed_shown_and_removed(
    home: Path, square_onnx: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("circuit", "build", str(square_onnx), *SYSTEM, "--json") == 0
    built = json.loads(capsys.readouterr().out)
    assert built["origin"]["system"] == GROTH16.name
    assert built["development_srs"] is True
    assert exit_code("circuit", "build", str(square_onnx), *SYSTEM) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(built["digest"])
    assert printed.out.count("circuit.vk") == 1
    remedy = "`zkagent ceremony init` begins a ceremony"
    assert printed.err.endswith(f"proofs count on a local chain (31337) only; {remedy}\n")
    by_key = ("circuit", "build", str(square_onnx), *SYSTEM, "--json", "--srs")
    key = load_circuit(built["digest"]).vk
    assert exit_code(*by_key, str(key)) == 0
    assert json.loads(capsys.readouterr().out)["digest"] == built["digest"]
    (of_another := home / "another.vk").write_bytes(HEAD + bytes(64))
    assert exit_code(*by_key, str(of_another)) == 1
    assert (
        "no circuit of this one was built here with this verifying key" in capsys.readouterr().err
    )
    assert exit_code("circuit", "list") == 0
    assert "4 -> 2, exact" in capsys.readouterr().out
    assert exit_code("circuit", "show", built["digest"][:12]) == 0
    assert exit_code("circuit", "rm", built["digest"], "--yes") == 0
    assert exit_code("circuit", "show", built["digest"]) == 1


def test_the_python_face_builds_one(home: Path, square_onnx: Path) -> None:
    circuit = build_circuit(square_onnx, proof_system="groth16")
    assert circuit.origin.system == GROTH16.name
    with pytest.raises(ArgumentRefused, match="expected None for groth16"):
        build_circuit(square_onnx, proof_system="groth16", tuned=True)
    with pytest.raises(ArgumentRefused, match="one of ezkl, groth16"):
        build_circuit(square_onnx, proof_system="plonk")


def test_a_network_over_fractions_is_refused_in_a_line(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "relu.onnx"
    path.write_bytes(relu_network())
    assert exit_code("circuit", "build", path, *SYSTEM) == 1
    assert "made of networks over integers only" in one_line_error(capsys)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("circuit", "build", "wallet", "--tuned"), "are for circuits of ezkl"),
        (("prove", "wallet", "--prompt", "x", "--service", "http://127.0.0.1:1"), "its own"),
        (("run", "deposit 5 USDC", "--batch"), "verified together without"),
        (("run", "deposit 5 USDC", "--rpc", "http://127.0.0.1:1"), "leave out --proof-system"),
        (("chain", "--batch", "4"), "verified together without"),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*words, *SYSTEM) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_true_proof_under_a_key_of_nobody_known_is_told_as_that(
    home: Path, square_onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, out = tmp_path / "x.json", tmp_path / "proof.json"
    given.write_text(json.dumps(X))
    own = GROTH16.build(square_onnx)
    digest = as_a_ceremonys(own, home)
    assert exit_code("prove", digest, "--input", given, "--out", out) == 0
    printed = capsys.readouterr()
    assert ", not verified, circuit" in printed.out
    assert "nobody here knows who made its key" in printed.err
    assert exit_code("verify", out) == 0
    shown = capsys.readouterr().out
    assert "ceremony" not in shown
    assert "set-up of an unknown maker\nnot to be trusted: nobody here knows" in shown
    assert exit_code("verify", out, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["valid"], told["development_srs"], told["unknown_maker"]) == (True, True, True)
    for command in (("list",), ("show", digest)):
        assert exit_code("circuit", *command) == 0
        assert "ceremony" not in capsys.readouterr().out
    assert exit_code("verify", out, "--model", str(square_onnx), *SYSTEM) == 1
    with pytest.raises(DevelopmentSetupRefused):
        backing_of(load_circuit(digest)).check(1, own.origin.onnx)


def test_a_proof_under_a_key_that_nobody_chose_is_told_as_that(
    home: Path, square_onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The proof names the circuit, so who made both would choose; but for who names it himself."""
    given, out = tmp_path / "x.json", tmp_path / "proof.json"
    given.write_text(json.dumps(X))
    digest = as_a_ceremonys(GROTH16.build(square_onnx), home)
    copied = load_circuit(digest)
    note_own(copied.origin, copied.files, chosen=False)
    assert exit_code("prove", digest, "--input", given, "--out", out) == 0
    capsys.readouterr()

    def said(*words: object) -> str:
        assert exit_code("verify", out, *words) == 0
        return capsys.readouterr().out

    warned = (
        f"\nchosen by nobody here: the proof itself names .* --circuit {digest[:16]}, or choose"
    )
    assert re.search(warned, told := said())
    assert "`zkagent ceremony verify --for-audits`" in told
    assert "`zkagent ceremony finalize`" in told
    assert said("--circuit", digest[:16]).endswith("ceremony of its own, chosen by nobody here\n")
    assert json.loads(said("--json"))["unchosen"] is True
    assert "unchosen" not in json.loads(said("--json", "--srs", copied.vk))
    assert exit_code("verify", out, "--model", square_onnx, *SYSTEM) == 1
    note_own(copied.origin, copied.files)
    capsys.readouterr()
    assert said("--json").count("unchosen") == 0
    assert said().endswith("ceremony of its own\n")
    assert exit_code("verify", out, "--model", square_onnx, *SYSTEM) == 0


def test_a_proof_of_a_circuit_that_is_not_here_says_how_one_gets_it(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "proof.json").write_text(Proof("ab" * 32, (1,), (2,), bytes(256)).to_json())
    assert exit_code("verify", path) == 1
    said = one_line_error(capsys)
    assert "copy its folder from where it was built if it is one of Groth16" in said
    assert "of a ceremony, `zkagent ceremony verify --for-audits` on its last key" in said
