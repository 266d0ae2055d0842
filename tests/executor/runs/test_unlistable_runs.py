"""A folder of records that cannot be listed is no empty one: whoever asks it is refused, by a line
that does not send him to another folder, where the same instruction would be carried out again."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.disks import unreadable
from tests.support.folders import UNLISTABLE, make_unlistable
from zkagent.circuits.errors import HomeRefused
from zkagent.circuits.store import list_circuits
from zkagent.circuits.support.cache import files_in
from zkagent.executor.runs import session
from zkagent.executor.runs.errors import RunRecordUnreadable, RunsUnreadable
from zkagent.executor.runs.journal import LEFT_OVER_S, Intent, Journal, Signed

INTENT = Intent(31337, "", "0x" + "11" * 20, "0x" + "22" * 20, "deposit 5 USDC")
ID = f"{INTENT.key}-1"
ELSEWHERE = "set ZKAGENT_HOME to"
CHAIN = ("--rpc", "http://127.0.0.1:9", "--yes")

COMMANDS = (
    ("runs", "pending"),
    ("runs", "pending", "--all"),
    ("runs", "pending", "--json"),
    ("runs", "forget", ID, "--yes"),
    ("runs", "resume", ID, *CHAIN),
    ("runs", "replace", ID, *CHAIN),
)


def enter(held: object) -> None:
    with held:  # type: ignore[attr-defined]
        pass


ASKS: dict[str, Callable[[Journal], object]] = {
    "all": lambda journal: journal.records(),
    "what can be read": lambda journal: journal.look(),
    "of an intent": lambda journal: journal.of(INTENT),
    "the last one": lambda journal: journal.last(INTENT),
    "one by its id": lambda journal: journal.find(ID),
    "nonces on their way": lambda journal: journal.held_nonces(INTENT),
    "a new one": lambda journal: journal.add(INTENT, 0, Signed("0x", "0x")),
    "the instruction for us alone": lambda journal: enter(journal.held(INTENT)),
    "the account for us alone": lambda journal: enter(journal.choosing_nonce(INTENT)),
}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    (folder := tmp_path / "home" / "runs").mkdir(parents=True)
    return folder


@pytest.mark.parametrize("kind", UNLISTABLE)
def test_whoever_asks_for_records_is_refused(
    kind: str, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_unlistable(kind, runs, monkeypatch)
    for what, ask in ASKS.items():
        with pytest.raises(RunsUnreadable) as caught:
            ask(Journal())
        assert (caught.value.folder, str(runs) in str(caught.value)) == (runs, True), what


def test_nor_does_a_session_take_it_for_empty(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Signer:
        address = INTENT.account

    make_unlistable("not ours to list", runs, monkeypatch)
    with pytest.raises(RunsUnreadable):
        session._was_signed_for(INTENT.agent, Signer())  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", UNLISTABLE)
def test_every_command_that_asks_says_whose_trouble_it_is(
    kind: str,
    runs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_unlistable(kind, runs, monkeypatch)
    for words in COMMANDS:
        assert exit_code(*words) == 1
        error = one_line_error(capsys)
        assert error.startswith(f"error: {runs} holds the records of runs, and cannot be used (")
        assert "give it back to the account" in error
        assert ELSEWHERE not in error, words


def test_what_cannot_be_made_or_locked_is_refused_in_the_same_way(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise PermissionError(1, "Operation not permitted", str(runs))

    for where, name in ((Path, "chmod"), (Path, "mkdir"), (os, "open")):
        with monkeypatch.context() as patch:
            patch.setattr(where, name, refuse)
            with pytest.raises(RunsUnreadable, match="Operation not permitted"):
                enter(Journal().held(INTENT))
    with monkeypatch.context() as patch:
        patch.setattr("zkagent.executor.runs.journal.records.understood", lambda *_: None)
        patch.setattr("zkagent.executor.runs.journal.tempfile.mkstemp", refuse)
        with pytest.raises(RunsUnreadable, match="Operation not permitted"):
            Journal().add(INTENT, 0, Signed("0x", "0x"))


def test_the_owner_of_a_stranger_s_folder_is_named(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = runs.stat().st_uid
    make_unlistable("not ours to list", runs, monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(RunsUnreadable, match=f"owned by user {owner}[)]"):
        Journal().look()


def test_a_folder_that_never_was_holds_none(runs: Path) -> None:
    runs.rmdir()
    assert (Journal().look(), Journal().last(INTENT), files_in(runs)) == (((), ()), None, [])
    runs.parent.rmdir()
    assert Journal().look() == ((), ())


def test_a_record_that_cannot_be_read_is_not_to_be_moved_away(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := runs / f"{ID}.json").write_text("{}")
    with unreadable(path):
        for words in COMMANDS:
            assert exit_code(*words) == 1
            printed = capsys.readouterr()
            assert printed.out == ("[]\n" if "--json" in words else "")
            assert f"{path} cannot be read" in printed.err
            assert "move it away" not in printed.err
        with pytest.raises(RunRecordUnreadable):
            Journal().last(INTENT)


@pytest.mark.parametrize("kind", UNLISTABLE)
def test_nobody_is_sent_from_a_home_that_may_know_of_runs(
    kind: str, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever of it cannot be used."""
    (runs.parent / "circuits").write_text("in the way")
    with pytest.raises(HomeRefused, match=ELSEWHERE):
        list_circuits()
    (runs / f"{ID}.json").write_text("whatever")
    with pytest.raises(HomeRefused, match="the same instruction would happen again") as caught:
        list_circuits()
    assert ELSEWHERE not in str(caught.value)
    (runs / f"{ID}.json").unlink()
    make_unlistable(kind, runs, monkeypatch)
    with pytest.raises(HomeRefused, match="the same instruction would happen again"):
        list_circuits()


def test_what_was_begun_and_never_sent_goes_when_it_is_old(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runs.journal.records.understood", lambda *_: None)
    long_ago = time.time() - LEFT_OVER_S - 60
    for name, is_old in ((".old.new", True), (".fresh.new", False), ("old.new", True)):
        (runs / name).write_text("signed")
        if is_old:
            os.utime(runs / name, (long_ago, long_ago))
    record = Journal().add(INTENT, 0, Signed("0x", "0x"))
    assert {path.name for path in runs.iterdir()} == {".fresh.new", "old.new", f"{record.id}.json"}
