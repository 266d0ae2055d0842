"""What the service writes down: everything an operator needs, and nobody's inputs."""

import json
import logging
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from pydantic import BaseModel

from zkagent.circuits.errors import InputRefused
from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.log_writer import MOST_WAITING
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


ESCAPING = """
import asyncio, sys, threading, time, warnings
from zkagent.prover.service.logs import catch_the_rest, set_up_logging
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import Engine, EngineQueue, prepare_engine
from zkagent.prover.service.queue.jobs import Run

set_up_logging(as_json=True, verbose=False)
catch_the_rest()
database = Database(sys.argv[1])
database.prepare()
prepare_engine(database)
ended = threading.Event()

def fail(*_):
    ended.set()
    int("x" + sys.argv[2])

engine, queue = Engine(database, "one", 0.1), EngineQueue(database)
engine.start(fail, 1)
with database.write() as connection:
    queue.enqueue(connection, Run("p" * 64, 1, 1))
assert ended.wait(200)
engine.stop(100)
thread = threading.Thread(target=fail)
thread.start()
thread.join()

class Dying:
    __del__ = fail

del [Dying()][:]
warnings.warn(sys.argv[2])

async def lose():
    asyncio.get_running_loop().call_soon(fail, sys.argv[2])
    task = asyncio.ensure_future(asyncio.to_thread(fail))
    await asyncio.wait([task])
    del task

asyncio.run(lose())
"""


def test_what_leaves_a_run_a_thread_or_a_loop_is_written_as_anything_else(tmp_path: Path) -> None:
    """Libraries, and Python itself, have handlers of their own for it."""
    words = ("-c", ESCAPING, f"sqlite:///{tmp_path}/service.sqlite", MARKER)
    command = [sys.executable, *words]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    records = [json.loads(line) for line in ended.stderr.splitlines()]
    assert MARKER not in ended.stderr
    assert "ValueError" in ended.stderr
    loggers = [record["logger"] for record in records]
    ours = "zkagent.prover.service.logs"
    assert sorted(loggers) == ["asyncio", "asyncio", "dbos", "py.warnings", ours, ours]


TALKING = """
import logging, sys
from zkagent.prover.service.log_writer import MOST_WAITING
from zkagent.prover.service.logs import set_up_logging

set_up_logging(as_json=True, verbose=False)
log = logging.getLogger("zkagent.x")
for number in range(5 * MOST_WAITING):
    log.info("line %d %s", number, "x" * 100)
print("answered", flush=True)
sys.stdin.read()
log.info("the end")
"""


@pytest.mark.parametrize("is_read_later", [True, False])
def test_who_stops_reading_the_log_holds_up_nobody(is_read_later: bool) -> None:
    """Neither at work nor at the end; what is missing is counted."""
    command = [sys.executable, "-c", TALKING]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            assert process.stdout.readline() == "answered\n"
            if is_read_later:
                _, text = process.communicate(timeout=120)
            else:
                process.stdin.close()
                process.wait(120)
                text = process.stderr.read()
        finally:
            process.kill()
    assert process.returncode == 0
    lines = [line for line in text.splitlines() if line.endswith("}")]
    said = [json.loads(line)["message"] for line in lines]
    assert said[0].startswith("line 0 x")
    missing = [int(words.split()[0]) for words in said if "were dropped" in words]
    written = [words for words in said if words.startswith("line ")]
    if is_read_later:
        written += ["the end"] * ("the end" in said)
        assert len(written) + sum(missing) == 5 * MOST_WAITING + 1
    assert len(written) < 5 * MOST_WAITING


def test_what_is_read_is_written_whole_and_in_order() -> None:
    command = [sys.executable, "-c", TALKING.replace("5 * MOST_WAITING", "MOST_WAITING // 2")]
    ended = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=300, input=""
    )
    said = [json.loads(line)["message"] for line in ended.stderr.splitlines()]
    assert [words.split()[1] for words in said[:-1]] == [str(n) for n in range(MOST_WAITING // 2)]
    assert said[-1] == "the end"
