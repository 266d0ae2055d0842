"""`zkagent` called in the test's own process, and the form of its errors."""

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
    assert printed.err.startswith("error: ")
    assert printed.err.count("\n") == 1
    return printed.err
