"""`zkagent` called in the test's own process, and the form of its errors."""

import re

import pytest

from zkagent.executor.cli.main import main


def exit_code(*arguments: object) -> int:
    """Of `zkagent ...`; what it prints is for capsys."""
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as exc:
        return int(exc.code or 0)
    return 0


def one_line_error(capsys: pytest.CaptureFixture[str]) -> str:
    """The line, after nothing but an error was printed."""
    printed = capsys.readouterr()
    assert printed.out == ""
    error = without_progress(printed.err)
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    return error


def without_progress(err: str) -> str:
    """stderr without what a slow or new machine adds to it: ``[3 s] making the keys ...``, how long
    that will take, and what is compiled for the first time there."""
    slow = r"\[\d+ s\] .* \.\.\.|.*keys and a first proof will take about .*"
    added = rf"^({slow}|compiling \d+ Solidity sources .*)\n"
    return re.sub(added, "", err, flags=re.MULTILINE)
