"""What docs/errors.md says of errors and of commands that are called wrongly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.command_line import exit_code, one_line_error


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("run",), "Missing argument 'PROMPT'"),
        (("run", "withdraw 5 USDC", "--nonsense"), "No such option"),
        (("nonsense",), "No such command 'nonsense'"),
        (("prove", "wallet", "--prompt", "x", "--timeout", "soon"), "'soon' is not a valid float"),
        *(
            (
                ("deploy", "--rpc", "http://127.0.0.1:9", "--key-file", "k", option, "0x12"),
                "0x12 is",
            )
            for option in ("--book", "--registry", "--executor", "--pool")
        ),
        (("prove", "wallet"), "give x with either --input or --prompt"),
    ],
)
def test_a_command_called_wrongly_ends_with_2_and_a_few_lines(
    arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("Usage: zkagent ")
    assert 2 < len(printed.err.splitlines()) < 6
    last = printed.err.splitlines()[-1]
    assert last.startswith("Error: ")
    assert reason in last


def test_an_error_of_ours_ends_with_1_and_a_line(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("prove", "nonsense", "--prompt", "withdraw") == 1
    assert "unknown model 'nonsense'" in one_line_error(capsys)


def test_an_error_of_ours_shows_its_traceback_with_v(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("-v", "prove", "nonsense", "--prompt", "withdraw") == 1
    printed = capsys.readouterr().err.splitlines()
    assert printed[0] == "Traceback (most recent call last):"
    assert printed[-1].startswith("zkagent.models.errors.UnknownModel: unknown model 'nonsense'")


@pytest.mark.parametrize("words", ["--help", "circuit list", "config show", "config path --json"])
def test_a_reader_who_has_seen_enough_ends_it_quietly(home: Path, words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "zkagent", *words.split()]
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, check=False, timeout=300
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")
