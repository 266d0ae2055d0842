"""Work that ends in time, whoever it waits for: in a thread that the caller leaves, and that is
told to end.

For requests over HTTP, whose own time-outs count from byte to byte, so that whoever sends one now
and then holds a caller for ever. Called by the clients of chains and of the proof service.
"""

import contextlib
import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

GRACE_S = 1.0

Result = TypeVar("Result")


class Abandoned(BaseException):
    """Nobody waits for this work any more. No Exception, so that nobody who expects those takes it
    for trouble that is worth another try."""


def within(timeout_s: float, work: Callable[[], Result]) -> Result:
    """What `work` returned or raised, if it did so in time; otherwise raises TimeoutError. A thread
    that is still at it soon afterwards, which gives time-outs of its own their time, gets Abandoned
    as soon as it runs code of Python's, on which HTTP clients close their connections: at once when
    it is kept busy, say by answers of which none is the last; when it waits for bytes, as they come
    or at its own time-out."""
    returned: list[Result] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(work())
        except BaseException as exc:  # raised again below, by the caller's thread
            raised.append(exc)

    def run_until_abandoned() -> None:
        with contextlib.suppress(Abandoned):  # when it comes just after the end
            run()

    thread = threading.Thread(target=run_until_abandoned, name="zkagent-request", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if raised:
        raise raised[0]
    if returned:
        return returned[0]
    timer = threading.Timer(GRACE_S, _abandon, [thread])
    timer.daemon = True
    timer.start()
    raise TimeoutError


def _abandon(thread: threading.Thread) -> None:
    """Raise Abandoned in it, unless it has ended."""
    if not thread.is_alive():  # another one may have its number now
        return
    name = ctypes.c_ulong(thread.ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(name, ctypes.py_object(Abandoned))


__all__ = ["Abandoned", "within"]
