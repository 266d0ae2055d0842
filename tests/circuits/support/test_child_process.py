"""The pipe to a helper process: what it says, how it ends, and that it ends with us."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.disks import file_limit
from tests.support.processes import ended, environment
from zkagent.circuits.errors import EngineCrashed
from zkagent.circuits.support.child_process import ChildProcess

MODULE = "tests.circuits.support.odd_child"


@pytest.fixture
def child() -> Iterator[ChildProcess]:
    running = ChildProcess(MODULE, [])
    yield running
    running.kill()


def test_messages_go_both_ways_whatever_else_is_printed(child: ChildProcess) -> None:
    for what in ("one", ["two", 2], "x" * 200_000):
        child.send({"do": "echo", "what": what})
        assert child.receive(120) == {"echo": what}


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_what_ends_a_whole_group_is_for_the_parent_to_handle(
    child: ChildProcess, end: signal.Signals
) -> None:
    """As a terminal's Ctrl-C, and as whoever stops a service and all that belongs to it."""
    child.send({"do": "echo", "what": "begun"})
    child.receive(120)
    os.kill(child.pid, end)
    child.send({"do": "echo", "what": "still here"})
    assert child.receive(120) == {"echo": "still here"}


def test_a_crash_shows_how_it_ended_and_its_last_words(child: ChildProcess) -> None:
    child.send({"do": "crash"})
    with pytest.raises(EngineCrashed, match=r"signal SIGABRT \(the last words\)") as caught:
        child.receive(120)
    assert caught.value.ending == "signal SIGABRT"
    child.send({"do": "echo", "what": "anyone?"})  # into a closed pipe
    with pytest.raises(EngineCrashed):
        child.receive(120)


def test_a_child_whose_last_words_are_cut_off_names_what_did_it() -> None:
    with file_limit(300):
        child = ChildProcess(MODULE, [])
    try:
        child.send({"do": "fail deep inside"})
        words = r"its words cannot be written\): make room in \$TMPDIR, or raise the limit on files"
        with pytest.raises(EngineCrashed, match=words):
            child.receive(120)
    finally:
        child.kill()


def test_a_child_that_runs_out_of_memory_says_so_whatever_it_says_last(
    child: ChildProcess,
) -> None:
    child.send({"do": "run out of memory"})
    words = r"memory allocation of 64 bytes failed\): free memory, or make the model smaller"
    with pytest.raises(EngineCrashed, match=words):
        child.receive(120)


def test_waiting_has_a_limit(child: ChildProcess) -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        child.receive(0.2)
    assert time.monotonic() - started < 60


def test_handing_over_has_a_limit_where_the_child_does_not_read(child: ChildProcess) -> None:
    child.send({"do": "echo", "what": "one"})
    assert child.receive(120) == {"echo": "one"}
    os.kill(child.pid, signal.SIGSTOP)
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        child.send({"do": "echo", "what": "x" * 2_000_000}, 0.2)
    assert time.monotonic() - started < 60


def test_pipes_may_have_numbers_beyond_those_that_select_takes() -> None:
    with contextlib.ExitStack() as stack:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 1200 if hard == resource.RLIM_INFINITY else min(1200, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1024):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        child = ChildProcess(MODULE, [])
        stack.callback(child.kill)
        child.send({"do": "echo", "what": "x" * 200_000}, 120)
        assert child.receive(120) == {"echo": "x" * 200_000}


def test_a_child_can_be_killed_while_it_holds_the_lock_and_twice(child: ChildProcess) -> None:
    child.send({"do": "hold the lock"})
    child.receive(120)
    child.kill()
    child.kill()
    assert not Path(f"/proc/{child.pid}").exists()


HOLDING = f"""
import time
from zkagent.circuits.support.child_process import ChildProcess
child = ChildProcess("{MODULE}", [])
child.send({{"do": "hold the lock"}})
child.receive(120)
print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when it next reads")
def test_a_child_that_holds_the_lock_dies_with_a_killed_parent(tmp_path: Path) -> None:
    command, ours = [sys.executable, "-c", HOLDING], environment(TMPDIR=tmp_path)
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ours) as parent:
        assert parent.stdout
        child = Path("/proc") / parent.stdout.readline().decode().strip()
        assert child.exists()
        parent.kill()
        parent.wait(120)
        assert ended([child])
