"""What is said on stderr while a command works, where there is no terminal."""

import io
import re
from itertools import pairwise

import pytest

from tests.support.command_line import without_progress
from tests.support.fleet import eventually
from zkagent.executor.cli import progress
from zkagent.executor.cli.narrator import Narrator
from zkagent.executor.cli.progress import Lines, Work, stages, working


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lines(clock: Clock) -> Lines:
    return Lines(clock)


def said(lines: Lines, clock: Clock, seconds: float) -> list[str]:
    """What is due while so much time passes, looked at ten times a second."""
    found = []
    for _ in range(round(10 * seconds)):
        clock.now = round(clock.now + 0.1, 1)
        found.append(lines.due())
    return [line for line in found if line]


def test_nothing_is_said_in_the_first_two_seconds(lines: Lines, clock: Clock) -> None:
    lines.begin("reading")
    assert said(lines, clock, 1.0) == []
    lines.begin("writing")
    assert said(lines, clock, 0.9) == []
    assert said(lines, clock, 0.5) == ["[2 s] writing ..."]


def test_a_long_stage_is_said_again_ever_more_rarely(lines: Lines, clock: Clock) -> None:
    lines.begin("making the keys")
    seconds = [int(line[1:].split()[0]) for line in said(lines, clock, 600)]
    assert seconds[:3] == [2, 12, 22]
    gaps = [after - before for before, after in pairwise(seconds)]
    assert gaps == sorted(gaps)
    assert 15 < len(seconds) < 30


def test_short_stages_do_not_become_a_flood(lines: Lines, clock: Clock) -> None:
    found = []
    for number in range(1000):
        lines.begin(f"step {number}")
        found += said(lines, clock, 0.5)
    assert 10 < len(found) < 60


def test_a_stage_that_rests_is_not_said(clock: Clock) -> None:
    work = Work()
    work._lines = Lines(clock)
    work.rest("serving")
    assert said(work._lines, clock, 100) == []


@pytest.mark.parametrize("kind", ["stages", "working", "narrator"])
def test_every_kind_of_work_is_told_alike_and_on_stderr(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "FIRST_S", 0.05)
    monkeypatch.setattr(progress, "LOOK_S", 0.01)
    said_so_far: list[str] = []

    def told() -> bool:
        printed = capsys.readouterr()
        assert printed.out == ""
        said_so_far.append(printed.err)
        return "planning" in "".join(said_so_far)

    if kind == "narrator":
        with Narrator().working() as tell:
            tell.stage("planning")
            eventually(told)
    else:
        with stages(3) if kind == "stages" else working() as begin:
            begin("planning")
            eventually(told)
    told()
    assert re.fullmatch(r"\[\d+ s\] planning \.\.\.\n", "".join(said_so_far))
    assert without_progress("".join(said_so_far)) == ""


def test_quick_work_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with working("deciding"):
        pass
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("term", "shown"), [("xterm", True), ("dumb", False), ("", False)])
def test_a_bar_is_for_terminals_that_can_show_one(
    term: str, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", term)
    with stages(2) as begin:
        begin("planning")
    assert ("planning" in terminal.getvalue()) is shown
