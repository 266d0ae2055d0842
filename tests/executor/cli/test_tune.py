"""`zkagent circuit tune` as users call it: what later builds use, and what an end leaves."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from tests.support.command_tree import TREE
from tests.support.processes import environment
from tests.support.small_networks import write_tunable
from zkagent.circuits.store import list_circuits
from zkagent.circuits.systems import load_circuit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """relu.onnx with relu.npz, and square.onnx."""
    folder = tmp_path_factory.mktemp("tuning")
    write_tunable(folder)
    return folder


def test_the_command_builds_the_winner_and_later_builds_use_it(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    onnx = str(folder / "square.onnx")
    briefly = ("--objective", "latency", "--measure-for", "10", "--json")
    assert exit_code("circuit", "tune", onnx, *briefly) == 0
    tuned = json.loads(capsys.readouterr().out)
    circuit = load_circuit(tuned["circuit"], tmp_path)
    assert circuit.notes["tuning"]["chosen"] == tuned["chosen"]
    assert circuit.notes["tuning"]["options"] == tuned["options"]
    assert exit_code("circuit", "build", onnx, "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["digest"] == circuit.digest
    assert "tuned for latency" in printed.err
    assert_advice_can_be_followed(printed.err)
    assert exit_code("circuit", "build", onnx, "--untuned", "--json") == 0
    printed = capsys.readouterr()
    assert "tuned" not in printed.err
    assert json.loads(printed.out)["digest"] in list_circuits(tmp_path)


def assert_advice_can_be_followed(told: str) -> None:
    """Whichever command said it: an option is named with the command that has it."""
    named = re.findall(r"`(zkagent [a-z ]+) (--[a-z-]+)`", told)
    assert len(named) == len(re.findall(r"--[a-z]", told)) > 0
    for command, option in named:
        assert option in {o for p in TREE[command].params for o in (*p.opts, *p.secondary_opts)}


def test_tuned_settings_that_do_not_exist_are_one_line(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    assert exit_code("circuit", "build", str(folder / "square.onnx"), "--tuned") == 1
    assert "was not tuned on this machine" in capsys.readouterr().err
    assert exit_code("circuit", "tune", str(folder / "relu.onnx")) == 1
    assert "give samples" in capsys.readouterr().err


#: The command, also where interrupts are ignored because pytest runs in the background.
INTERRUPTIBLE = """
import signal
from zkagent.executor.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""


def test_ctrl_c_leaves_no_process_no_circuit_and_no_record(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    arguments = ["circuit", "tune", str(folder / "relu.onnx"), "--data", str(folder / "relu.npz")]
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *arguments],
        env=environment(ZKAGENT_HOME=tmp_path, TMPDIR=tmp_path / "temporary"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while not list((tmp_path / "temporary").glob("zkagent-*/*/network.*")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode != 0
    assert list((tmp_path / "temporary").iterdir()) == []
    assert list_circuits(tmp_path) == []
    assert not (tmp_path / "tuned").exists()
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
