"""What `zkagent demo` prints of chapters, and as JSON, and when it fails."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.command_line import exit_code
from zkagent.executor.demo.attacks.stage import AttackResult
from zkagent.executor.demo.chapters.chapter import Chapter, Line, World
from zkagent.executor.demo.story import DemoReceipt
from zkagent.executor.receipts.verdicts import Report

HAPPENED = Line("tokens move", True, "5 USDC\n1,000 gas")
BOUNCED = Line("a stranger tries", True, "CallerIsNotTheOwner()", refused=True)
ATTACK = AttackResult("tampered proof", "a byte is changed", True, "it is false", "ProofRefused")


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Shows these lines as the one chapter of a demo without a chain."""

    @contextmanager
    def opened(model: Any, *rest: Any) -> Iterator[tuple[Any, Any]]:
        anvil = SimpleNamespace(snapshot=lambda: "0x1", revert=lambda snapshot: None)
        yield SimpleNamespace(model=model), SimpleNamespace(anvil=anvil)

    receipt = DemoReceipt(tmp_path / "receipt.json", Report(()))
    for name, instead in (
        ("runs.session.open_embedded", opened),
        ("runs.session.local_circuit", lambda *rest: None),
        ("demo.story.play", lambda *rest: iter(())),
        ("demo.story.attack", lambda *rest: iter([ATTACK])),
        ("demo.story.keep_receipt", lambda *rest: receipt),
        ("cli.demo_view.DemoView.opening", lambda *rest: None),
    ):
        monkeypatch.setattr(f"zkagent.executor.{name}", instead)

    def show(lines: tuple[Line, ...], *options: str) -> int:
        def played(world: World) -> Iterator[Line]:
            yield from lines

        chapter = Chapter("moves", "How tokens move", played)
        monkeypatch.setattr("zkagent.executor.demo.chapters.catalogue.CHAPTERS", (chapter,))
        return exit_code("demo", *options)

    return show


def test_each_line_is_shown_with_what_came_of_it(
    shown: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown((HAPPENED, BOUNCED), "--all") == 0
    told = capsys.readouterr().out
    assert "How tokens move" in told
    assert "- tokens move: done\n    5 USDC\n    1,000 gas\n" in told
    assert "- a stranger tries: bounced\n    CallerIsNotTheOwner()\n" in told


def test_without_all_there_are_no_chapters(shown: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown((Line("tokens move", False, ""),)) == 0
    assert "How tokens move" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (Line("tokens move", False, "none"), "tokens move: FAILED"),
        (Line("a stranger tries", False, "it went through", True), "tries: SUCCEEDED"),
    ],
)
def test_a_line_that_does_not_hold_fails_the_demo(
    shown: Any, capsys: pytest.CaptureFixture[str], line: Line, told: str
) -> None:
    assert shown((HAPPENED, line), "--all") == 1
    out = capsys.readouterr().out
    assert told in out
    assert f"broken        moves: {line.what}" in out


def test_a_chapter_that_shows_nothing_fails_it_too(
    shown: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown((), "--all") == 1
    assert "moves: no line" in capsys.readouterr().out


def test_json_has_runs_attacks_receipt_and_chapters(
    shown: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = Line("a stranger tries", False, "it went through", True)
    assert shown((HAPPENED, broken), "--all", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["held"] is False
    assert [each["bounced"] for each in told["attacks"]] == [True]
    assert told["receipt"]["path"].endswith("receipt.json")
    (chapter,) = told["chapters"]
    assert (chapter["name"], chapter["held"]) == ("moves", False)
    assert [(each["kind"], each["held"]) for each in chapter["lines"]] == [
        ("happened", True),
        ("refused", False),
    ]
