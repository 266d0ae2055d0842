"""`zkagent circuit` as users call it: results on stdout, one line for each error."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from circuits.artifacts import Circuit
from circuits.srs import development_srs
from tests.circuits.networks import square_network
from tests.command_line import exit_code, one_line_error

ROOT = str(Path(__file__).parents[2])


def run(*arguments: str) -> int:
    """Exit code of `zkagent circuit ...`."""
    return exit_code("circuit", *arguments)


def test_building_prints_the_circuit_s_name(
    zkagent_home: Path, square_onnx: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", str(square_onnx)) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(circuit.digest)
    assert "4 -> 2, exact" in printed.out
    assert "development set-up: proofs count on a local chain (31337) only" in printed.err


def test_building_as_json(
    zkagent_home: Path, square_onnx: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", str(square_onnx), "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["digest"] == circuit.digest
    assert printed["development_srs"] is True
    assert printed["sizes"]["circuit.pk"] == circuit.pk.stat().st_size


def test_circuits_are_listed_and_shown(
    zkagent_home: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("list") == 0
    assert f"{circuit.digest[:16]}  4 -> 2, exact" in capsys.readouterr().out
    assert run("show", circuit.digest[:12], "--json") == 0
    assert json.loads(capsys.readouterr().out)["digest"] == circuit.digest


def test_an_empty_cache_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    assert run("list") == 0
    assert capsys.readouterr().out == "no circuits yet\n"


def test_a_damaged_circuit_is_listed_as_such(
    zkagent_home: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    (zkagent_home / "circuits" / circuit.digest / "circuit.vk").write_bytes(b"")
    assert run("list") == 0
    assert "is damaged" in capsys.readouterr().out
    assert run("show", circuit.digest) == 1


def test_bad_models_are_one_line_each(
    zkagent_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.onnx"
    text.write_text("not a network")
    for model, reason in (
        ("walet", "unknown model 'walet'"),
        (str(tmp_path / "nowhere.onnx"), "cannot be read (No such file"),
        (str(text), "not a valid ONNX model"),
    ):
        assert run("build", model) == 1
        assert reason in one_line_error(capsys)


def test_bad_set_ups_are_one_line_each(
    zkagent_home: Path, square_onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = development_srs(5, tmp_path).path
    damaged = tmp_path / "damaged.srs"
    damaged.write_bytes(small.read_bytes()[:-100])
    for path, reason in (
        (small, "the circuit needs 2^6"),
        (damaged, "bytes, expected"),
        (tmp_path / "nowhere.srs", "cannot be read"),
    ):
        assert run("build", str(square_onnx), "--srs", str(path)) == 1
        assert reason in one_line_error(capsys)


def test_an_unknown_digest_is_one_line(
    zkagent_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", "ffffffffff") == 1
    assert "no circuit ffffffffff" in one_line_error(capsys)


def test_a_terminal_sees_the_stages(tmp_path: Path) -> None:
    """On a pseudo-terminal the bar names the stages; nothing of it reaches stdout."""
    onnx = tmp_path / "square.onnx"
    onnx.write_bytes(square_network())
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": ROOT, "ZKAGENT_HOME": str(tmp_path), "TERM": "xterm"}
    result = subprocess.run(
        [sys.executable, "-m", "executor.cli", "circuit", "build", str(onnx)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment,
        cwd=ROOT,
        check=True,
    )
    os.close(theirs)
    seen = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "making the keys" in seen
    assert "making the keys" not in result.stdout.decode()
