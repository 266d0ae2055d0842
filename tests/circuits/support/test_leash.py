"""A program on a leash: it hears what it is given, and ends when whoever started it does."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import ended, environment, running, started
from zkagent.circuits.support.leash import run_on_leash

#: Starts a child of its own, which would stay behind too; tells both numbers.
STAYING = 'sleep 77 & echo "$$ $!" >{place}; sleep 77'
STARTING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where pytest runs aside
from zkagent.circuits.support.leash import run_on_leash
run_on_leash(["/bin/sh", "-c", sys.argv[1]], given="")
"""


def test_it_is_given_its_input_and_what_it_says_and_how_it_ends_comes_back() -> None:
    done = run_on_leash(["/bin/sh", "-c", "cat; echo sorry >&2; exit 7"], given="x" * 300_000)
    assert (done.stdout, done.stderr, done.returncode) == ("x" * 300_000, "sorry\n", 7)
    assert run_on_leash(["/bin/cat"]).stdout == ""


def test_what_is_not_there_is_told_by_the_shell(tmp_path: Path) -> None:
    done = run_on_leash([str(tmp_path / "absent")])
    assert done.returncode == 127
    assert "absent" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_ends_with_whoever_started_it(tmp_path: Path, end: signal.Signals) -> None:
    place = tmp_path / "numbers"
    words = [sys.executable, "-c", STARTING, STAYING.format(place=place)]
    with subprocess.Popen(words, env=environment(), stderr=subprocess.DEVNULL) as parent:
        processes = started(place)
        assert all(map(running, processes))
        parent.send_signal(end)
        parent.wait(120)
        assert ended(processes)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_of_it_is_left_when_its_time_is_over(tmp_path: Path) -> None:
    place = tmp_path / "numbers"
    for timeout_s in (1.0, 10.0, 100.0):  # in which it has to begin
        with pytest.raises(subprocess.TimeoutExpired):
            run_on_leash(["/bin/sh", "-c", STAYING.format(place=place)], timeout_s=timeout_s)
        if place.exists() and place.read_text().endswith("\n"):
            break
    assert ended(started(place))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nor_when_it_ends_and_leaves_something(tmp_path: Path) -> None:
    place = tmp_path / "numbers"
    run_on_leash(["/bin/sh", "-c", f'sleep 77 >/dev/null 2>&1 & echo "$!" >{place}'])
    assert ended(started(place))
