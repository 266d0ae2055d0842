"""Work that ends in time, whoever it waits for: a thread that the caller leaves behind.

For requests over HTTP, whose own time-outs count from byte to byte, so that whoever sends one now
and then holds a caller for ever. Called by the clients of chains and of the proof service.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def within(timeout_s: float, work: Callable[[], Result]) -> Result:
    """What `work` returned or raised, if it did so in time; otherwise raises TimeoutError. A thread
    that is still at it ends with its connection, or with the process."""
    returned: list[Result] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(work())
        except BaseException as exc:  # raised again below, by the caller's thread
            raised.append(exc)

    thread = threading.Thread(target=run, name="zkagent-request", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if raised:
        raise raised[0]
    if not returned:
        raise TimeoutError
    return returned[0]


__all__ = ["within"]
