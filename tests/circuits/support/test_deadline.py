"""Work that is waited for no longer than its time, and whose errors are the caller's."""

import threading
import time
from collections.abc import Callable

import pytest

from tests.support.fleet import eventually
from zkagent.circuits.support.deadline import within


def test_what_ends_in_time_is_returned_or_raised_as_it_is() -> None:
    assert within(120, lambda: 7) == 7
    assert within(120, lambda: None) is None
    with pytest.raises(ZeroDivisionError):
        within(120, lambda: 1 // 0)


def test_what_goes_on_is_left_behind() -> None:
    held, began = threading.Event(), time.monotonic()
    with pytest.raises(TimeoutError):
        within(0.1, lambda: held.wait(600))
    held.set()
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("busy", [lambda: time.sleep(0.001), lambda: None])
def test_who_is_kept_busy_for_ever_ends_when_nobody_waits_any_more(
    busy: Callable[[], None],
) -> None:
    threads: list[threading.Thread] = []
    closed = threading.Event()

    def spin() -> None:
        threads.append(threading.current_thread())
        try:
            while True:
                try:
                    busy()
                except Exception:  # as whoever tries again whatever happens
                    continue
        finally:
            closed.set()

    with pytest.raises(TimeoutError):
        within(0.1, spin)
    eventually(lambda: threads)
    (thread,) = threads
    thread.join(120)
    assert not thread.is_alive()
    assert closed.is_set()
