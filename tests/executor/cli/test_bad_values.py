"""Every command, every parameter, every kind of value that it cannot take: one line that names it.

The calls are made from the command tree, so that a new command is covered when it comes. None may
begin any work, and none may change a file.
"""

import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from tests.support.bad_values import NOBODY, Bad, Files, bad_calls, call
from tests.support.command_line import exit_code, without_progress
from tests.support.command_tree import TREE
from tests.support.homes import bad_home
from zkagent.executor.cli import prove
from zkagent.prover.service.queue.engine import open_database

LONGEST_S = 300
#: Commands that keep nothing in the home, so that a bad one is nothing to them.
WITHOUT_HOME = {
    "zkagent bench runtime",
    "zkagent decide",
    "zkagent completion",
    "zkagent model train",
    "zkagent model evaluate",
    "zkagent model import",
    *(f"zkagent config {verb}" for verb in ("show", "path", "set", "unset", "trust")),
}


@pytest.fixture
def files(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Files]:
    """What calls are made with; each has so many seconds."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"a refusal took more than {LONGEST_S} s")

    (tmp_path / "files").mkdir()
    made = Files(tmp_path / "files")
    monkeypatch.chdir(made.folder / "folder")
    monkeypatch.setattr(prove, "PATIENCE_S", 0.2)
    before = signal.signal(signal.SIGALRM, late)
    yield made
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("path", TREE)
def test_what_cannot_be_is_refused_by_name(
    path: str, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    if path.split()[1] in {"jobs", "key"}:
        open_database(None).close()  # whose absence would be said first
    before = files.snapshot()
    for bad in bad_calls(path, TREE[path], files):
        code, err = refused(bad.arguments, capsys)
        assert names(bad, files, code, err), (bad.arguments, err)
        assert files.snapshot() == before, bad.arguments


# All kinds: tests/circuits/support/test_home.py.
@pytest.mark.parametrize("kind", ["empty", "a file"])
def test_a_home_that_cannot_be_is_refused_by_every_command(
    kind: str,
    files: Files,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home, said = bad_home(kind, tmp_path), []
    monkeypatch.setenv("ZKAGENT_HOME", home)
    before = files.snapshot()
    for path in TREE.keys() - WITHOUT_HOME:
        _, err = refused(tuple(call(path, TREE[path], files)), capsys)
        said += [path] if f"ZKAGENT_HOME is {home!r}, and that cannot be used" in err else []
        assert files.snapshot() == before, path
    needed = {"circuit build", "circuit list", "demo", "jobs list", "prove", "serve", "key list"}
    assert {f"zkagent {words}" for words in needed} - set(said) == set()


def refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and error of a call that must end soon, with one line on stderr."""
    signal.alarm(LONGEST_S)
    code = exit_code(*arguments)
    signal.alarm(0)
    err = without_progress(capsys.readouterr().err).strip()
    assert code in (1, 2), (arguments, code)
    assert "Traceback" not in err, (arguments, err)
    lines = err.splitlines()
    assert lines[-1].startswith("error: " if code == 1 else "Error: "), (arguments, err)
    assert len(lines) == 1 or code == 2, (arguments, err)
    return code, err


def names(bad: Bad, files: Files, code: int, err: str) -> bool:
    """Whether it is clear which value is meant: it, its option, or another one that is as bad."""
    others = (str(files.text), NOBODY, *(bad.parameter.opts if code == 2 else ()))
    return any(text in err for text in (bad.value[:40], *others))
