"""`zkagent ceremony` from the first key to a proof, and what each command refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.ceremonies import NETWORK, Held, X, snarkjs, with_section
from tests.support.command_line import exit_code, one_line_error
from tests.support.integer_networks import mlp
from zkagent.circuits.groth16.build import chosen_circuits
from zkagent.circuits.groth16.ceremony import transcript
from zkagent.circuits.groth16.ceremony.ptau import PUBLIC
from zkagent.circuits.groth16.ceremony.transcript import read_transcript
from zkagent.circuits.groth16.proving.provers import Prover
from zkagent.circuits.snarkjs.install import snarkjs_folder
from zkagent.circuits.support.cache import file_digest
from zkagent.circuits.systems import PROVERS, describe_circuit, load_circuit
from zkagent.executor.cli import ceremony, options
from zkagent.executor.cli.circuits_shown import deployed_lines

SNARKJS = ("--prover", "snarkjs")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One of the test's own, but for snarkjs."""
    installed = snarkjs_folder().parents[2]
    (home := tmp_path / "home").mkdir()
    (home / "snarkjs").symlink_to(installed)
    monkeypatch.setenv("ZKAGENT_HOME", str(home))
    return home


@pytest.mark.slow
def test_three_contributions_become_a_circuit_that_proves(
    held: Held, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (onnx := tmp_path / "mine.onnx").write_bytes(NETWORK)
    files = tmp_path / "ceremony"
    ptau = ("--ptau", held.ptau)
    assert exit_code("ceremony", "init", onnx, *ptau, "--out", files) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{files / 'circuit.r1cs'}\n")
    assert "of no public ceremony" in printed.err
    assert "circuit_0001.zkey --name NAME`, or with snarkjs to a key that" in printed.err
    assert (
        f"circuit_0000.zkey --model {onnx} --ptau {held.ptau} --ptau-digest HEX --out"
        in printed.err
    )
    origin = ("--model", onnx, *ptau, "--ptau-digest", held.ptau_digest)
    first, one, two, three = (files / f"circuit_000{n}.zkey" for n in range(4))
    words = ("ceremony", "contribute", first, "--out", one, "--name", "Zoë \u202e", *origin)
    assert exit_code(*words) == 2  # a name that turns text around
    words = ("ceremony", "contribute", first, "--out", one, "--name", "Zoë", *origin)
    assert exit_code(*words) == 0
    assert "of no public ceremony" in capsys.readouterr().err
    snarkjs("zkey", "contribute", one, two, "--name=\x1b[2Jstranger", "-e=worthless")
    words = ("ceremony", "contribute", two, "--out", three, "--name", "Max", "--json", *origin)
    capsys.readouterr()
    assert exit_code(*words) == 0
    last = json.loads(capsys.readouterr().out)
    assert (last["number"], last["name"], last["beacon"]) == (3, "Max", None)
    assert (last["ptau"], last["ptau_public"]) == (held.ptau_digest, False)
    assert exit_code("ceremony", "verify", onnx, three, *ptau) == 0
    printed = capsys.readouterr()
    assert "contribution 3 ('Max')" in printed.out
    assert last["hash"] in printed.out
    assert "contribution 1 ('Zoë')" in printed.out
    assert "\x1b" not in printed.out
    digest = ("--ptau-digest", held.ptau_digest)
    assert exit_code("ceremony", "finalize", onnx, three, *ptau, *SNARKJS) == 1
    assert "--ptau-digest" in one_line_error(capsys)
    words = ("ceremony", "finalize", onnx, three, *ptau, *digest, *SNARKJS, "--json")
    assert exit_code(*words) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["development_srs"] is False
    assert made["origin"]["groth16_transcript"] == read_transcript(three).digest
    assert exit_code("circuit", "show", made["digest"]) == 0
    printed = capsys.readouterr()
    assert "ceremony of its own" in printed.out
    assert f"the ceremony's transcript {read_transcript(three).digest}" in printed.out
    assert printed.err == ""
    (given := tmp_path / "x.json").write_text(json.dumps(X))
    out = tmp_path / "proof.json"
    words = ("prove", onnx, "--input", given, "--out", out, "--proof-system", "groth16", *SNARKJS)
    assert exit_code(*words) == 0
    assert made["digest"][:16] in capsys.readouterr().out
    assert exit_code("verify", out) == 0
    assert "ceremony of its own" in capsys.readouterr().out


def test_a_beacon_makes_a_key_to_be_published(
    held: Held, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("ceremony", "finalize", held.onnx, held.last, "--ptau", held.ptau, *SNARKJS)
    words += ("--ptau-digest", held.ptau_digest, "--beacon", "0xabcdef")
    assert exit_code(*words) == 0
    printed = capsys.readouterr()
    assert "contribution 4 ('beacon'), a beacon hashed 2^10 times" in printed.out
    assert "publish " in printed.err
    key = next((home / "circuits").glob("*/circuit.zkey"))
    assert exit_code("ceremony", "verify", held.onnx, key, "--ptau", held.ptau) == 0


def test_who_audits_verifies_and_who_holds_a_ceremony_finalizes(
    held: Held, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is deployed is shown before the question, and what replaces what is said."""
    ptau = ("--ptau", held.ptau, "--ptau-digest", held.ptau_digest)
    words = ("ceremony", "verify", held.onnx, held.key(1), "--for-audits")
    assert exit_code(*words, "--ptau", held.ptau) == 1
    assert "--ptau-digest" in one_line_error(capsys)
    assert exit_code(*words, *ptau, "--json") == 0
    checked = json.loads(capsys.readouterr().out)["circuit"]
    onnx = file_digest(held.onnx)
    assert chosen_circuits(onnx) == []
    assert not describe_circuit(checked).unknown_maker
    assert exit_code("ceremony", "finalize", held.onnx, held.key(2), *ptau, *SNARKJS) == 0
    printed = capsys.readouterr()
    two = printed.out[:64]
    assert "in place of" not in printed.err
    assert [each.digest for each in chosen_circuits(onnx)] == [two]
    assert exit_code("ceremony", "finalize", held.onnx, held.last, *ptau, *SNARKJS) == 0
    printed = capsys.readouterr()
    three = printed.out[:64]
    assert f"from now on, in place of {two[:16]}" in printed.err
    assert [each.digest for each in chosen_circuits(onnx)] == [three, two]
    (home / "groth16" / f"{three}.made").write_text("{")
    assert exit_code("ceremony", "finalize", held.onnx, held.last, *ptau, *SNARKJS) == 0
    printed = capsys.readouterr()
    assert [each.digest for each in chosen_circuits(onnx)] == [three, two]
    lines = deployed_lines(describe_circuit(three), "wallet")
    assert lines[0] == f"proves by circuit {three}, ceremony of its own"
    assert lines[1] == f"from powers of tau of no public ceremony, of BLAKE2b {held.ptau_digest}"
    assert lines[1] in printed.out
    public = replace(describe_circuit(three), notes={"ceremony": {"ptau": PUBLIC[12]}})
    assert deployed_lines(public, "wallet") == [lines[0], *lines[2:]]
    assert read_transcript(held.last).digest in (lines := lines[1:])[1]
    made = read_transcript(held.last).contributions
    assert lines[2:5] == [f"  {each.hash.hex()} {each.title}" for each in made]
    assert "zkagent ceremony finalize wallet KEY --ptau FILE" in lines[5]


def test_names_are_those_of_the_file_that_was_given_and_then_chosen(
    held: Held, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No hash covers them, so a stranger's copy that was looked at first may have others."""
    renamed = tmp_path / "renamed.zkey"
    renamed.write_bytes(with_section(held.last, 10, lambda c: c.replace(b"\1\3Ann", b"\1\3Mal")))
    words = ("--ptau", held.ptau, "--ptau-digest", held.ptau_digest)
    circuits = set()
    for key, names in ((renamed, "Mal Bob Cy"), (held.last, "Ann Bob Cy")) * 2:
        looked = ("ceremony", "verify", held.onnx, key, *words, "--for-audits", "--json")
        assert exit_code(*looked) == 0
        found = json.loads(capsys.readouterr().out)
        assert [each["name"] for each in found["contributions"]] == names.split()
        circuits.add(found["circuit"])
    (circuit,) = circuits
    kept = home / "circuits" / circuit / "circuit.zkey"
    assert kept.read_bytes() == renamed.read_bytes()
    for key in (held.last, renamed):  # what was chosen stays
        assert exit_code("ceremony", "finalize", held.onnx, key, *words, *SNARKJS) == 0
        printed = capsys.readouterr().out
        assert "'Ann'" in printed
        assert "'Mal'" not in printed
        lines = "\n".join(deployed_lines(describe_circuit(circuit), "wallet"))
        assert "'Ann'" in lines
        assert "'Mal'" not in lines
        assert kept.read_bytes() == held.last.read_bytes()
    load_circuit(circuit)


def test_a_key_that_nobody_contributed_to_is_called_that(
    held: Held, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("ceremony", "verify", held.onnx, held.key(0), "--ptau", held.ptau)
    assert exit_code(*words) == 0
    assert "nobody contributed to it" in capsys.readouterr().err
    assert exit_code(*words, "--ptau-digest", "0" * 128) == 1
    assert "expected 0000" in one_line_error(capsys)


def test_contributing_takes_a_model_and_powers_that_somebody_vouches_for(
    held: Held, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new.zkey"
    words = ("ceremony", "contribute", held.last, "--out", out, "--name", "Dan")
    model, ptau = ("--model", held.onnx), ("--ptau", held.ptau)
    for given in ((), model, ptau):
        assert exit_code(*words, *given) == 2
        lacking = "--ptau" if given == model else "--model"
        assert f"Missing option '{lacking}'" in capsys.readouterr().err
    assert exit_code(*words, *model, *ptau) == 1
    assert "whoever made its powers could forge" in one_line_error(capsys)
    (wider := tmp_path / "wider.onnx").write_bytes(mlp(3, 4, 7))
    vouched = (*ptau, "--ptau-digest", held.ptau_digest)
    assert exit_code(*words, *vouched, "--model", wider) == 1
    assert f"{held.last} is refused: it is of another circuit" in one_line_error(capsys)
    assert not out.exists()
    assert exit_code(*words, *vouched, *model) == 0
    assert "of no public ceremony" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "x" * 65, "é" * 33, "a\nb", "\x1b[2J"])
def test_a_name_that_is_none_is_refused(
    held: Held, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new.zkey"
    words = ("--out", out, "--model", held.onnx, "--ptau", held.ptau, "--name", name)
    assert exit_code("ceremony", "contribute", held.last, *words) == 2
    assert "bytes of printable text" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("beacon", ["", "0x", "xyz", "abc", "00" * 256])
def test_a_beacon_that_is_none_is_refused(held: Held, beacon: str) -> None:
    words = ("ceremony", "finalize", held.onnx, held.last, "--ptau", held.ptau)
    assert exit_code(*words, "--beacon", beacon) == 2


def test_files_that_are_there_stay(
    held: Held, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (there := tmp_path / "circuit_0000.zkey").write_text("mine")
    words = ("ceremony", "contribute", held.last, "--out", there, "--name", "Dan")
    assert exit_code(*words, "--model", held.onnx, "--ptau", held.ptau) == 1
    assert str(there) in one_line_error(capsys)
    assert exit_code("ceremony", "init", held.onnx, "--ptau", held.ptau, "--out", tmp_path) == 1
    assert str(there) in one_line_error(capsys)
    assert [path.name for path in tmp_path.iterdir()] == [there.name]
    assert there.read_text() == "mine"


def test_a_folder_that_nothing_came_into_is_gone_again(
    held: Held, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("ceremony", "init", held.onnx, "--out", tmp_path / "a" / "b", "--ptau")
    assert exit_code(*words, held.unprepared) == 1
    assert "not prepared" in one_line_error(capsys)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["onnx", "key", "ptau"])
def test_a_missing_file_is_one_line(
    held: Held, tmp_path: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"onnx": held.onnx, "key": held.last, "ptau": held.ptau}
    files[missing] = tmp_path / "missing.onnx"
    words = ("ceremony", "verify", files["onnx"], files["key"], "--ptau", files["ptau"])
    assert exit_code(*words) == 1
    assert "missing.onnx" in one_line_error(capsys)


def test_what_the_command_says_is_what_the_files_take() -> None:
    assert (ceremony.LEAST_ITERATIONS, ceremony.MOST_ITERATIONS) == (
        transcript.LEAST_ITERATIONS,
        transcript.MOST_ITERATIONS,
    )
    assert ceremony.MOST_NAME == transcript.MOST_NAME
    assert tuple(PROVERS) == tuple(Prover) == options.PROVERS
