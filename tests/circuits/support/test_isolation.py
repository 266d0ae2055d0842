"""A call in another process gives what it would give in this one: answer, error, warnings."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from zkagent.circuits.errors import SettingsRefused
from zkagent.circuits.support.isolation import call_module


class Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[str, int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append((record.name, record.levelno, record.getMessage()))


@pytest.fixture
def records() -> Iterator[list[tuple[str, int, str]]]:
    handler, logger = Records(), logging.getLogger("zkagent")
    logger.addHandler(handler)
    yield handler.kept
    logger.removeHandler(handler)


def call(seen: list[Any], **wishes: Any) -> Any:
    request = {"warnings": [], "reports": [], "refused": False, "answer": None, **wishes}
    return call_module("tests.circuits.support.odd_work", request, seen.append)


def test_an_answer_comes_after_its_reports(records: list[tuple[str, int, str]]) -> None:
    seen: list[Any] = []
    assert call(seen, reports=["one", {"two": 2}], answer={"error": "none"}) == {"error": "none"}
    assert seen == ["one", {"two": 2}]
    assert records == []


def test_a_refusal_keeps_its_type_and_message() -> None:
    seen: list[Any] = []
    with pytest.raises(SettingsRefused, match="the rule is broken, must be kept"):
        call(seen, reports=[1], refused=True)
    assert seen == [1]


def test_warnings_are_logged_here_each_as_one_line(records: list[tuple[str, int, str]]) -> None:
    assert call([], warnings=["100 % damaged", "two\nlines"], answer=3) == 3
    assert records == [
        ("zkagent.odd_work", logging.WARNING, "100 % damaged"),
        ("zkagent.odd_work", logging.WARNING, "two lines"),
    ]
