"""Events as lines of a log."""

import json
import logging

import pytest

from tests.executor.runtime.events.stories import FOUND, GIVEN, SAID, TASK, event, in_loop, told
from zkagent.executor.runtime.events.contents import EVERYTHING, NOTHING, Include
from zkagent.executor.runtime.events.logged import LOGGER, Logged, line
from zkagent.prover.service.logs import JsonFormatter, LineFormatter


async def log(include: Include = NOTHING) -> None:
    for one in told():
        await Logged(include).take(one)


@in_loop
async def test_runs_are_logged_without_contents_and_failures_as_warnings(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, LOGGER)
    await log()
    levels = {record.event["kind"]: record.levelname for record in caplog.records}  # type: ignore[attr-defined]
    assert (levels["tool_failed"], levels["run_finished"], levels["tool_called"]) == (
        "WARNING",
        "INFO",
        "DEBUG",
    )
    assert not [content for content in (TASK, GIVEN, FOUND, SAID) if content in caplog.text]


@in_loop
async def test_contents_are_logged_where_they_are_included(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, LOGGER)
    await log(EVERYTHING)
    assert all(content in caplog.text for content in (TASK, GIVEN, FOUND, SAID))


def test_no_content_breaks_out_of_its_line_and_none_is_endless() -> None:
    hostile = event("planned", 1, step=0, plan={"input": "\n\x1b[2Jrun 7 \u202e" + "x" * 9_000})
    shown = line(hostile)
    assert shown.isprintable()
    assert len(shown) < 2_100


@in_loop
async def test_the_service_tells_each_event_once_and_ends_shortly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, LOGGER)
    await log()
    for record in caplog.records:
        of_record = record.event  # type: ignore[attr-defined]
        shown = LineFormatter().format(record)
        assert shown.count(f"{of_record['kind']} {{") == 1
        assert "event=" not in shown
        document = json.loads(JsonFormatter().format(record))
        assert document["event"] == of_record
        number = of_record["number"]
        head = f"run {of_record['run_id']} {'-' if number is None else number}"
        assert document["message"] == f"{head} {of_record['kind']}"
    ends = [record for record in caplog.records if record.event["kind"] == "run_finished"]  # type: ignore[attr-defined]
    assert ends
    for record in ends:
        assert len(LineFormatter().format(record)) < 700
        result = record.event["data"]["result"]  # type: ignore[attr-defined]
        assert "actions" not in result
        assert {"success", "steps", "error", "result"} <= set(result)


def test_other_extras_are_told_after_the_line_as_before() -> None:
    record = logging.makeLogRecord({"msg": "made", "levelname": "INFO", "proof": "p7"})
    assert LineFormatter().format(record).endswith("made  proof=p7")
    assert json.loads(JsonFormatter().format(record))["proof"] == "p7"
