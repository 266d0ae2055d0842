"""`zkagent circuit` as users call it: results on stdout, one line for each error."""

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.command_line import exit_code, one_line_error, without_progress
from tests.support.processes import environment
from tests.support.small_networks import square_network
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.networks.batch import batch_network
from zkagent.circuits.systems import load_circuit


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


def test_building_for_several_decisions_builds_a_batch_circuit(
    zkagent_home: Path, square_onnx: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", str(square_onnx), "--batch", "3", "--json") == 0
    digest = json.loads(capsys.readouterr().out)["digest"]
    circuit = load_circuit(digest, zkagent_home)
    assert (circuit.input_count, circuit.output_count) == (12, 6)
    assert circuit.origin.onnx == batch_network(square_onnx, 3).sha256


def test_circuits_are_listed_and_shown(
    zkagent_home: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("list") == 0
    assert f"{circuit.digest[:16]}  4 -> 2, exact" in capsys.readouterr().out
    assert run("show", circuit.digest[:12], "--json") == 0
    assert json.loads(capsys.readouterr().out)["digest"] == circuit.digest


def test_every_file_that_is_checked_is_shown(
    zkagent_home: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", circuit.digest) == 0
    shown = [Path(line.split()[0]) for line in capsys.readouterr().out.splitlines()[2:]]
    *files, setup = shown
    there = {path.name for path in circuit.directory.iterdir()}
    assert {path.name for path in files} == there - {"circuit.json"}
    assert setup.name == circuit.srs.name
    for path in shown:
        content = path.read_bytes()
        damage(path)
        assert run("show", circuit.digest) == 1
        path.write_bytes(content)
    assert run("show", circuit.digest) == 0


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


def damage(path: Path) -> None:
    *content, last = path.read_bytes()
    path.write_bytes(bytes([*content, last ^ 1]))


def test_what_the_build_s_process_warns_of_is_one_line_for_the_user(
    zkagent_home: Path, square_onnx: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    key, setup = circuit.vk.relative_to(circuit.directory), circuit.srs.name
    for path, end in (
        (zkagent_home / "circuits" / circuit.digest / key, "building it again"),
        (zkagent_home / "srs" / setup, "making it again"),
    ):
        damage(path)
        assert run("build", str(square_onnx)) == 0
        first, second = without_progress(capsys.readouterr().err).splitlines()
        assert first.startswith(f"{path} is damaged (")
        assert first.endswith(f"; {end}")
        assert second.startswith("development set-up: ")


def seen_on_a_terminal(home: Path, *arguments: str) -> tuple[str, str]:
    """What `zkagent` writes to a pseudo-terminal as its stderr, and to stdout."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "zkagent", *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(ZKAGENT_HOME=home, TERM="xterm"),
        cwd=str(ROOT),
    ) as process:
        os.close(theirs)
        seen = all_of(ours)
        out, _ = process.communicate()
    assert process.returncode == 0, seen
    return seen.decode(), out.decode()


def all_of(terminal: int) -> bytes:
    """What is written to a pseudo-terminal until nobody has it open."""
    seen = b""
    with contextlib.suppress(OSError):  # Linux says so with EIO
        while chunk := os.read(terminal, 1 << 16):
            seen += chunk
    os.close(terminal)
    return seen


def test_a_terminal_sees_the_stages(tmp_path: Path) -> None:
    """On a pseudo-terminal the bar names the stages; nothing of it reaches stdout."""
    onnx = tmp_path / "square.onnx"
    onnx.write_bytes(square_network())
    seen, out = seen_on_a_terminal(tmp_path, "circuit", "build", str(onnx))
    assert "making the keys" in seen
    assert "making the keys" not in out


def test_a_terminal_sees_a_warning_above_the_bar(
    zkagent_home: Path, square_onnx: Path, circuit: Circuit
) -> None:
    setup = zkagent_home / "srs" / circuit.srs.name
    damage(setup)
    seen, _ = seen_on_a_terminal(zkagent_home, "circuit", "build", str(square_onnx))
    begins = [line.rpartition("\x1b[2K")[2] for line in seen.splitlines()]
    assert [line for line in begins if line.startswith(str(setup)[:20])] != []
