"""What the service writes down: everything an operator needs, and nobody's inputs."""

import json
import logging
import sqlite3

import pytest
import sqlalchemy as sa
from pydantic import BaseModel

from zkagent.circuits.errors import InputRefused
from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.logs import Discreet, JsonFormatter, LineFormatter

MARKER = "7391846250"


class Body(BaseModel):
    features: list[str]


def library_errors() -> dict[str, Exception]:
    """Errors as libraries make them, which quote what they were given."""
    found: dict[str, Exception] = {}
    try:
        Body.model_validate({"features": int(MARKER)})
    except ValueError as exc:
        found["pydantic"] = exc
    try:
        int(f"x{MARKER}")
    except ValueError as exc:
        found["int"] = exc
    try:
        json.loads(f'{{"features": [{MARKER}')
    except ValueError as exc:
        found["json"] = exc
    orig = sqlite3.IntegrityError(f"Failing row contains ({MARKER})")
    found["sqlalchemy"] = sa.exc.IntegrityError(f"insert {MARKER}", {"inputs": MARKER}, orig)
    found["ours"] = InputRefused(f"x[0] is {MARKER}")
    return found


@pytest.mark.parametrize("name", library_errors())
@pytest.mark.parametrize("formatter", [JsonFormatter(), LineFormatter()], ids=["json", "line"])
def test_of_an_error_its_kind_and_place_are_written_and_not_what_it_quotes(
    name: str, formatter: logging.Formatter
) -> None:
    try:
        try:
            raise library_errors()[name]
        except Exception as exc:
            raise RuntimeError(f"while at {MARKER}") from exc
    except RuntimeError as exc:
        info = (type(exc), exc, exc.__traceback__)
    record = logging.LogRecord("zkagent.x", logging.ERROR, __file__, 1, "it failed", (), info)
    text = formatter.format(record)
    assert MARKER not in text
    assert type(library_errors()[name]).__name__ in text
    assert "test_logs.py" in text


def test_our_errors_about_the_machine_are_written_whole() -> None:
    exc = DatabaseLost("/data/service.sqlite", "removed")
    record = logging.LogRecord(
        "zkagent.x", logging.ERROR, __file__, 1, "it failed", (), (type(exc), exc, None)
    )
    assert "/data/service.sqlite was removed while in use" in JsonFormatter().format(record)


def test_of_what_libraries_log_the_errors_words_are_left_out() -> None:
    words = f"Error serializing object: {{'inputs': [{MARKER}]}}\nDETAIL: {MARKER}"
    record = logging.LogRecord("dbos", logging.ERROR, __file__, 1, words, (), None)
    assert Discreet().filter(record)
    assert LineFormatter().format(record).endswith("Error serializing object")
