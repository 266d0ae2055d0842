"""A helper process that speaks JSON lines and cannot outlive us.

ezkl holds the interpreter lock for seconds to minutes, and its Rust side may abort or run out of
memory: work that must be shown, timed or survived runs in a process of its own. It is spawned, not
forked (a fork after a proof hangs), and imports nothing of the caller's script.

Besides its standard streams the child holds the reading end of a pipe that nobody writes to. When
the parent ends, even by SIGKILL, that pipe closes and the kernel ends the child with SIGIO, even
while ezkl holds the lock. (PR_SET_PDEATHSIG would fire when the thread that started it ends.)
"""

import contextlib
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from zkagent.circuits.errors import CUT_OFF, EngineCrashed, tells_of_no_memory
from zkagent.circuits.support.held_folders import HeldFolder
from zkagent.circuits.support.surroundings import without_settings

ROOT = Path(__file__).parents[3]
LOG_TAIL_BYTES = 20_000
CHUNK_BYTES = 1 << 16
PEAK_KIB = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


class ChildProcess:
    """One `python -m module` with a pipe in each direction.

    Its stray output goes to a log of which errors show the end; its temporary files lie in a folder
    of ours that is removed with it, by a later process if ours was killed.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        engine: str = "ezkl",
    ) -> None:
        """engine: what is said to have failed when the process dies."""
        self._engine = engine
        self._folder = HeldFolder()
        self._log = self._folder.path / "log"
        self._buffer = b""
        watched, self._held = os.pipe()
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", module, str(watched), *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    pass_fds=(watched, *self._folder.passed),
                    env=self._environment(environment or {}),
                )
            assert self._process.stdin
            os.set_blocking(self._process.stdin.fileno(), False)
        except BaseException:
            os.close(self._held)
            self._folder.remove()
            raise
        finally:
            os.close(watched)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Mapping[str, Any], timeout_s: float | None = None) -> None:
        """Write one message; a dead child is noticed by the next `receive`. Raises TimeoutError
        when it is not read in time."""
        assert self._process.stdin
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        pipe, rest = self._process.stdin.fileno(), json.dumps(message).encode() + b"\n"
        with contextlib.suppress(BrokenPipeError):
            while rest:
                _wait_for(pipe, select.POLLOUT, deadline)
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(pipe, rest) :]

    def receive(self, timeout_s: float | None = None) -> dict[str, Any]:
        """The child's next message. Raises EngineCrashed when it ended, TimeoutError."""
        assert self._process.stdout
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while b"\n" not in self._buffer:
            _wait_for(self._process.stdout.fileno(), select.POLLIN, deadline)
            chunk = os.read(self._process.stdout.fileno(), CHUNK_BYTES)
            if not chunk:
                ending = _ending(self._process.wait())
                raise EngineCrashed(ending, self._log_tail(), self._engine)
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def kill(self) -> None:
        """End the child and remove what it left; harmless when done before."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        if self._held >= 0:
            os.close(self._held)
            self._held = -1
        self._folder.remove()

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        return {**os.environ, "PYTHONPATH": path, "TMPDIR": str(self._folder.path), **more}

    def _log_tail(self) -> str:
        """Its last words: where memory ran out, the line that says so, else the last one; of a
        traceback without an end, what has cut it off."""
        text = self._log.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")
        lines = text.strip().splitlines() or [""]
        if lines[0].startswith("Traceback ") and lines[-1].startswith(" "):
            return CUT_OFF
        return next(filter(tells_of_no_memory, lines), lines[-1])


class ParentLink:
    """The child's side: messages from the parent and back."""

    def __init__(self, watched: int) -> None:
        """watched: the descriptor that closes with the parent, the child's first argument."""
        for end in (signal.SIGINT, signal.SIGTERM):  # to all of a group: the parent's to handle
            signal.signal(end, signal.SIG_IGN)
        _die_when_closed(watched)
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # what anyone else prints must not get between our lines

    def requests(self) -> Iterator[dict[str, Any]]:
        """The parent's messages until it closes the pipe."""
        for line in sys.stdin:
            yield json.loads(line)

    def send(self, message: Mapping[str, Any]) -> None:
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()


def become(watched: int, command: Sequence[str]) -> NoReturn:
    """Let another program take the place of a child's process: it ends with the parent as well,
    hears of no Ctrl-C, which is the parent's to handle, and gets none of our settings. Raises
    OSError."""
    _die_when_closed(watched)
    os.setsid()
    os.execve(command[0], list(command), without_settings())


def _wait_for(pipe: int, event: int, deadline: float | None) -> None:
    """Until it is ready; of any number, which `select` does not take above 1,023. Raises
    TimeoutError."""
    poll = select.poll()
    poll.register(pipe, event)
    left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
    if not poll.poll(left):
        raise TimeoutError


def _die_when_closed(watched: int) -> None:
    """Let the kernel end this process when the other end of `watched` closes (Linux).

    Elsewhere it ends when it next reads from the parent.
    """
    if sys.platform != "linux":
        return
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(watched, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(watched, fcntl.F_GETFL)
    fcntl.fcntl(watched, fcntl.F_SETFL, flags | os.O_ASYNC)
    with contextlib.suppress(TimeoutError):
        _wait_for(watched, select.POLLIN, time.monotonic())
        sys.exit(1)  # closed before we were listening


def peak_rss_bytes() -> int:
    """The most memory that this process held.

    Not ru_maxrss where /proc tells: Linux lets a child inherit its parent's through exec.
    """
    status = Path("/proc/self/status")
    found = PEAK_KIB.search(status.read_text()) if status.is_file() else None
    if found:
        return int(found[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


__all__ = ["ChildProcess", "ParentLink", "become", "peak_rss_bytes"]
