"""SIGTERM for commands that have something to keep when they end early.

Called by `bench`: whoever measures for an hour does so under `timeout`, in CI or in a batch queue.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
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


__all__ = ["sigterm_as_ctrl_c"]
