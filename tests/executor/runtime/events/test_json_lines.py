"""A file of events: appended to, its owner's alone, each event once."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.executor.runtime.events.stories import FOUND, GIVEN, TASK, event, in_loop, told
from tests.executor.runtime.scripts import DONE, agent
from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.events.contents import EVERYTHING
from zkagent.executor.runtime.events.json_lines import JsonLines, read_lines


async def write(path: Path, events: list[Event]) -> None:
    file = JsonLines(path)
    for one in events:
        await file.take(one)
    file.close()


def test_a_run_is_in_the_file_line_by_line_and_its_contents_are_not(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    agent(DONE, task_prompt=TASK, sinks=[JsonLines(path)]).run()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["kind"] for line in lines][0::4] == ["run_started", "run_finished"]
    assert TASK not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@in_loop
async def test_contents_are_in_the_file_where_they_are_included(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    file = JsonLines(path, EVERYTHING)
    events = told()
    for one in events:
        await file.take(one)
    file.close()
    assert [Event.from_json(line) for line in read_lines(path)] == events
    assert all(content in path.read_text() for content in (TASK, GIVEN, FOUND))


@in_loop
async def test_half_a_character_is_written_as_well_and_others_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    told = [event("model_tokens", None, step=0, text=text) for text in ("\ud800", "žlutý")]
    file = JsonLines(path, EVERYTHING)
    for one in told:
        await file.take(one)
    file.close()
    assert [line["data"]["text"] for line in read_lines(path)] == ["\ud800", "žlutý"]
    assert "žlutý" in path.read_text()


@in_loop
async def test_a_run_that_goes_on_in_a_later_process_is_not_told_twice(tmp_path: Path) -> None:
    path, events = tmp_path / "events.jsonl", told()
    await write(path, events[:3])
    await write(path, [event("run_resumed", None, events[0].run_id, incarnation="2"), *events])
    numbers = [line["number"] for line in read_lines(path)]
    assert numbers == [0, 1, 2, None, *range(3, len(events))]


@in_loop
async def test_a_line_that_was_cut_off_stays_and_its_event_is_written_whole(tmp_path: Path) -> None:
    path, events = tmp_path / "events.jsonl", told()
    await write(path, events[:2])
    os.truncate(path, path.stat().st_size - 5)
    await write(path, events)
    assert [line["number"] for line in read_lines(path)] == list(range(len(events)))
    assert len(path.read_text().splitlines()) == len(events) + 1


@pytest.mark.parametrize("mode", [0o644, 0o660])
def test_a_file_that_others_may_read_is_refused_and_one_that_they_may_not_is_taken(
    tmp_path: Path, mode: int
) -> None:
    path = tmp_path / "events.jsonl"
    path.touch(mode=0o600)
    JsonLines(path).close()
    path.chmod(mode)
    with pytest.raises(MemoryFault, match=r"others may read .*: chmod 600 it"):
        JsonLines(path)


def test_a_link_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("link", ".", "missing/events.jsonl", "pipe"):
        with pytest.raises(MemoryFault, match="events cannot be written to"):
            JsonLines(tmp_path / name)
    assert not (tmp_path / "other").exists()
