"""Proofs that hide something, as users make and verify them; nothing hidden is written anywhere."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.command_line import exit_code as run
from tests.support.command_line import one_line_error
from tests.support.small_networks import relu_network, squares
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.bn254.field import to_hex
from zkagent.circuits.errors import CircuitError, NumbersHidden
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.prover.local import LocalProver

PLANTED = [738291, -592817, 918273, 0]
Y = squares(PLANTED)
HIDE_ALL = ("--inputs", "hashed", "--outputs", "hashed", "--weights", "hashed")


def forms(values: list[int]) -> list[bytes]:
    """How numbers may stand in a file: in decimals, as ezkl's hex, and as bytes of either order."""
    large = [value for value in values if abs(value) > 1000]
    texts = [form for value in large for form in (str(abs(value)), to_hex(value))]
    words = [bytes.fromhex(to_hex(value)) for value in large]
    return [*map(str.encode, texts), *words, *(word[::-1] for word in words)]


def files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.is_file())


def telling(values: list[int], *folders: Path) -> list[Path]:
    """Files that tell one of the values."""
    wanted = forms(values)
    return [path for path in files(*folders) if any(w in path.read_bytes() for w in wanted)]


@pytest.fixture(scope="session")
def prebuilt(hiding: Callable[..., Circuit]) -> Callable[..., Circuit]:
    """With all that these tests look for in a home: that is a copy, made later."""
    for shown in (
        {},
        {"inputs": "private"},
        {"outputs": "hashed"},
        {"inputs": "hashed", "outputs": "hashed"},
        {"inputs": "hashed", "weights": "hashed"},
        {"inputs": "hashed", "outputs": "hashed", "weights": "hashed"},
    ):
        hiding(**shown)
    return hiding


@pytest.fixture
def home(prebuilt: Callable[..., Circuit], zkagent_home: Path, tmp_path: Path) -> Path:
    """Where circuits are found; x.json, the user's own, lies in `user`."""
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "x.json").write_text(json.dumps(PLANTED))
    (tmp_path / "user" / "other.json").write_text(json.dumps([*PLANTED[:3], 1]))
    return zkagent_home


def test_nothing_hidden_is_written_by_building_proving_and_verifying(
    home: Path,
    square_onnx: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made, temporary, user = tmp_path / "made", tmp_path / "tmp", tmp_path / "user"
    for folder in (made, temporary):
        folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    proof, x = str(made / "proof.json"), str(user / "x.json")
    assert run("prove", square_onnx, *HIDE_ALL, "--input", x, "--out", proof) == 0
    assert run("verify", proof, "--input", x) == 0
    assert run("verify", proof, "--json") == 0
    assert run("circuit", "list", "--json") == 0
    printed = capsys.readouterr()
    assert set(telling([*PLANTED, *Y], user)) == {user / "x.json", user / "other.json"}
    assert telling([*PLANTED, *Y], home, made, temporary) == []
    assert not any(form in (printed.out + printed.err).encode() for form in forms([*PLANTED, *Y]))


def test_a_private_proof_shows_its_outputs_alone(
    home: Path, square_onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    arguments = ("--inputs", "private", "--input", str(tmp_path / "user" / "x.json"))
    assert run("prove", square_onnx, *arguments, "--out", str(made / "proof.json")) == 0
    printed = capsys.readouterr().out
    assert f"y = {list(Y)}" in printed
    assert "the inputs are hidden" in printed
    assert telling(PLANTED, home, made) == []
    assert telling(list(Y), made) == [made / "proof.json"]


@pytest.mark.parametrize("shown", [{"inputs": "private"}, {"outputs": "hashed"}, {}])
def test_no_temporary_file_tells_any_numbers_while_it_is_proven(
    hiding: Callable[..., Circuit],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shown: dict[str, str],
) -> None:
    """So that none stays behind where the process is killed then, of shown ones neither."""
    circuit, real, seen = hiding(**shown), ezkl_engine.prove_witness, []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def spying(*arguments: Path) -> object:
        seen.append(telling(PLANTED, tmp_path))
        return real(*arguments)

    monkeypatch.setattr(ezkl_engine, "prove_witness", spying)
    ezkl_engine.prove(circuit, PLANTED)
    assert seen == [[]]
    (tmp_path / "input.json").write_text(json.dumps(PLANTED))
    assert telling(PLANTED, tmp_path) == [tmp_path / "input.json"]


@pytest.mark.parametrize(
    "x",
    [
        [738291.25, 592817, 918273, 0],
        [738291, 592817, 918273],
        [2**63 + 738291, 1, 2, 3],
        [2**62 + 738291, 1, 2, 3],
        ["738291", 1, 2, 3],
        [738291, 592817, 918273, None],
    ],
)
def test_errors_tell_no_hidden_number(
    home: Path,
    hiding: Callable[..., Circuit],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    x: list[object],
) -> None:
    path = tmp_path / "user" / "wrong.json"
    path.write_text(json.dumps(x))
    digest = hiding(inputs="private").digest
    assert run("-v", "prove", digest, "--input", path) == 1
    printed = capsys.readouterr()
    for form in ("738291", "592817", "918273", str(2**62)[:6], str(2**63)[:6]):
        assert form not in printed.out + printed.err


def test_what_ezkl_says_of_hidden_numbers_is_left_out(
    hiding: Callable[..., Circuit], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise RuntimeError("Failed to prove: 738291 is no cell")

    monkeypatch.setattr(ezkl_engine.ezkl, "prove", failing)
    with pytest.raises(CircuitError, match="738291"):
        ezkl_engine.prove(hiding(), PLANTED)
    with pytest.raises(CircuitError, match="its words are left out") as caught:
        ezkl_engine.prove(hiding(inputs="private"), PLANTED)
    assert caught.value.__cause__ is None
    assert "738291" not in str(caught.value)


def test_hashes_are_opened_by_the_numbers_that_were_proven(
    home: Path, square_onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user, proof, y = tmp_path / "user", str(tmp_path / "p.json"), tmp_path / "y.json"
    x = ("--input", str(user / "x.json"))
    out = ("--out", proof, "--hidden-outputs", str(y))
    assert run("prove", square_onnx, "--inputs", "hashed", "--outputs", "hashed", *x, *out) == 0
    assert json.loads(y.read_text()) == list(Y)
    assert y.stat().st_mode & 0o077 == 0
    capsys.readouterr()
    assert run("verify", proof, *x, "--output", y) == 0
    printed = capsys.readouterr().out
    assert "y is hidden" in printed
    assert "known of them is a hash" in printed
    assert run("prove", square_onnx, "--outputs", "hashed", *x, *out) == 1
    assert "y.json is there already: name another file" in one_line_error(capsys)
    assert run("verify", proof, "--input", str(user / "other.json")) == 1
    assert "invalid: its inputs are not those of" in capsys.readouterr().out
    y.write_text(json.dumps([Y[0], Y[1] + 1]))
    assert run("verify", proof, "--output", y, "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["valid"] is False
    assert not {"inputs", "outputs"} & set(told)
    assert (
        told["input_hashes"]
        == Proof.from_json(Path(proof).read_bytes()).hashes.to_json()["input_hashes"]
    )


def test_shown_outputs_are_put_into_no_file_of_their_own(
    home: Path, hiding: Callable[..., Circuit], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x, y = str(tmp_path / "user" / "x.json"), tmp_path / "y.json"
    digest = hiding(inputs="private").digest
    assert run("prove", digest, "--input", x, "--hidden-outputs", str(y)) == 2
    assert "the proof shows its outputs" in capsys.readouterr().err
    assert not y.exists()


def test_what_cannot_hide_or_is_something_else_is_refused(
    home: Path, hiding: Callable[..., Circuit], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x, digest = str(tmp_path / "user" / "x.json"), hiding(inputs="private").digest
    for wrong, reason in (
        (("prove", digest, "--inputs", "hashed", "--input", x), "has inputs private"),
        (
            ("prove", "wallet", "--proof-system", "groth16", "--inputs", "private", "--input", x),
            "are for circuits of ezkl",
        ),
        (("verify", x, "--outputs", "hashed"), "say how --model is built"),
        (
            ("circuit", "build", "wallet", "--proof-system", "groth16", "--weights", "hashed"),
            "are for circuits of ezkl",
        ),
        (("prove", digest, "--outputs", "private", "--input", x), "is not one of"),
    ):
        assert run(*wrong) == 2
        assert reason in " ".join(capsys.readouterr().err.split())


def test_a_service_is_not_told_hidden_inputs(
    home: Path, hiding: Callable[..., Circuit], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody listens there: it is refused before anybody is asked."""
    x, digest = str(tmp_path / "user" / "x.json"), hiding(inputs="private").digest
    service = ("--service", "http://127.0.0.1:9")
    assert run("prove", digest, "--input", x, *service) == 1
    assert "prove with this one on your own machine" in one_line_error(capsys)
    assert run("prove", digest, "--inputs", "private", "--input", x, *service) == 2
    assert "a service hides nothing" in capsys.readouterr().err


def test_a_local_prover_tells_hidden_outputs_to_its_caller_alone(
    home: Path, hiding: Callable[..., Circuit]
) -> None:
    for shown, expected in (({"outputs": "hashed"}, list(Y)), ({}, None)):
        with LocalProver(hiding(**shown)) as prover:
            proof = prover.prove(PLANTED)
            assert prover.hidden_outputs == expected
            assert (proof.outputs == Y) == (expected is None)


def test_circuits_say_what_their_proofs_hide(
    home: Path, hiding: Callable[..., Circuit], capsys: pytest.CaptureFixture[str]
) -> None:
    circuit = hiding(inputs="hashed", weights="hashed")
    assert run("circuit", "show", circuit.digest) == 0
    printed = capsys.readouterr().out
    assert "inputs hashed, outputs public, weights hashed" in printed
    assert f"weights hash {circuit.facts.weights_hash}" in printed
    assert run("circuit", "show", hiding().digest) == 0
    assert "hash" not in capsys.readouterr().out
    assert run("circuit", "show", circuit.digest, "--json") == 0
    assert json.loads(capsys.readouterr().out)["weight_visibility"] == "hashed"


def test_hidden_inputs_of_fractions_are_fitted_to_samples_and_compared(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import numpy as np

    (tmp_path / "relu.onnx").write_bytes(relu_network())
    samples = np.random.default_rng(1).normal(size=(8, 1, 4)).astype(np.float32)
    np.savez(tmp_path / "relu.npz", x=samples)
    data = ("--data", str(tmp_path / "relu.npz"), *HIDE_ALL, "--json")
    assert run("circuit", "build", str(tmp_path / "relu.onnx"), *data) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["notes"]["fidelity"]["agreement"] == 1.0
    assert found["input_visibility"] == found["weight_visibility"] == "hashed"
    (tmp_path / "x.json").write_text(json.dumps(samples[0].reshape(-1).tolist()))
    (tmp_path / "far.json").write_text(json.dumps([738291.0, 1, 2, 3]))
    out, x = str(tmp_path / "p.json"), str(tmp_path / "x.json")
    assert run("prove", found["digest"], "--input", x, "--out", out) == 0
    assert run("verify", out, "--input", x) == 0
    capsys.readouterr()
    assert run("prove", found["digest"], "--input", str(tmp_path / "far.json")) == 1
    assert "a number, which is hidden, is too large" in (error := one_line_error(capsys))
    assert "738291" not in error


def test_what_takes_no_circuit_that_hides_says_so(hiding: Callable[..., Circuit]) -> None:
    hiding().require_open("an agent")
    for shown in ({"inputs": "hashed"}, {"outputs": "hashed"}, {"weights": "private"}):
        with pytest.raises(NumbersHidden, match="an agent takes circuits of public inputs"):
            hiding(**shown).require_open("an agent")
