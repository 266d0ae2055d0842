"""SIGTERM for commands that have something to keep when they end early.

Called by `bench`: whoever measures for an hour does so under `timeout`, in CI or in a batch queue.
And by `worker`, which ends in order.
"""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """Within the block SIGTERM is KeyboardInterrupt, once: `timeout` sends it twice, and the second
    would come while the block saves what it has."""

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, lambda *_: None)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Ending:
    """What the main thread waits for: SIGTERM, Ctrl-C, or a thread of this process.

    The system hands a signal to any thread. An event that a handler sets is not seen by a main
    thread that waits for it before something else wakes that, and is locked for ever if it comes
    while the wait begins; so the signal is written into a socket, wherever it comes.
    """

    def __init__(self) -> None:
        """Of the main thread, once in a process."""
        self._bell, self._heard = socket.socketpair()
        self._bell.setblocking(False)
        signal.set_wakeup_fd(self._bell.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def begin(self) -> None:
        with suppress(BlockingIOError):  # then enough was written
            self._bell.send(b"\0")

    def wait(self) -> None:
        self._heard.recv(1)
        signal.set_wakeup_fd(-1)  # before the socket's number is another file's


__all__ = ["Ending", "sigterm_as_ctrl_c"]
