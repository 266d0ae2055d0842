"""Shells complete `zkagent`: the scripts, and what the command answers them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.command_line import exit_code

Complete = Callable[..., list[str]]


@pytest.fixture
def completed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """What a shell is offered after these words, the last of which is incomplete."""

    def complete(*words: str) -> list[str]:
        monkeypatch.setenv("_ZKAGENT_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(["zkagent", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        assert exit_code() == 0
        return [line.partition(",")[2] for line in capsys.readouterr().out.split()]

    return complete


def test_commands_are_completed(completed: Complete) -> None:
    assert completed("verif") == ["verify", "verify-run"]
    assert {"model", "run", "completion"} <= set(completed(""))


def test_commands_of_groups_are_completed(completed: Complete) -> None:
    assert completed("circuit", "b") == ["build"]
    assert completed("model", "train") == ["train", "train-classifier"]
    assert completed("key", "re") == ["revoke"]


def test_options_are_completed(completed: Complete) -> None:
    assert completed("run", "deposit", "--dep") == ["--deployment"]
    assert completed("circuit", "tune", "wallet", "--objective", "b") == ["balanced"]
    assert completed("model", "audit", "1", "--reg") == ["--registry"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_is_for_its_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("completion", shell) == 0
    script = capsys.readouterr().out
    assert f"_ZKAGENT_COMPLETE={shell}_complete" in script
    found = shutil.which(shell)
    if found:
        subprocess.run([found, "-n"], input=script, text=True, check=True)


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("completion", "csh") == 2
    assert "'csh' is not one of 'bash', 'zsh', 'fish'" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_itself_completes_with_the_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("completion", "bash") == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    command = tmp_path / "zkagent"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m zkagent "$@"\n')
    command.chmod(0o755)
    ask = (
        f"source {tmp_path}/script; COMP_WORDS=(zkagent circuit s) COMP_CWORD=2;"
        "_zkagent_completion zkagent; echo ${COMPREPLY[@]}"
    )
    path = f"{tmp_path}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", ask], env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout == "show\n"
