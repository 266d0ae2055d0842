"""Writes the log in a thread of its own: whoever reads stderr and stops (a pager, Ctrl-S, a pipe
that nobody empties) keeps nobody from being answered.

So many lines wait for the reader; what comes after them is dropped, and it is said how many
that were.
"""

import contextlib
import logging
import os
import queue
import threading
import time
from typing import TextIO

MOST_WAITING = 1000
LAST_WORDS_S = 2.0
FULL_S = 0.05


class LogWriter(logging.Handler):
    """Takes lines for a stream, and never waits for it but at the end, for a moment."""

    def __init__(self, stream: TextIO, most_waiting: int = MOST_WAITING) -> None:
        super().__init__()
        #: Not the stream: who is stuck in it keeps its lock, and Python wants that at its end.
        self._file = stream.fileno()
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._most_waiting = most_waiting
        self._given = self._written = self._dropped = self._told = 0
        threading.Thread(target=self._run, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception:
            self.handleError(record)
            return
        if self._lines.qsize() < self._most_waiting:
            self._given += 1
            self._lines.put(line)  # also in a signal's handler, in the middle of another one
        else:
            self._dropped += 1

    def flush(self) -> None:
        end = time.monotonic() + LAST_WORDS_S
        while self._written < self._given and time.monotonic() < end:
            time.sleep(0.005)

    def _run(self) -> None:
        while True:
            self._write(self._lines.get())
            if dropped := self._dropped - self._told:
                self._told += dropped
                self._write(self._note(dropped))
            self._written += 1

    def _note(self, dropped: int) -> str:
        words = "%d lines of the log were dropped, since nobody read it"
        fields = {"name": __name__, "levelno": logging.WARNING, "levelname": "WARNING"}
        return self.format(logging.makeLogRecord(fields | {"msg": words, "args": (dropped,)}))

    def _write(self, line: str) -> None:
        left = f"{line}\n".encode(errors="backslashreplace")
        with contextlib.suppress(OSError):  # nobody is there any more
            while left:
                try:
                    left = left[os.write(self._file, left) :]
                except BlockingIOError:  # full, and whoever shares it with us wants no waiting
                    time.sleep(FULL_S)


__all__ = ["LogWriter"]
