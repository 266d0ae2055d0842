"""Programs of others that end when we do, however that is, and with all that they started.

A small shell beside the program waits for the end of a pipe that only we hold: whatever ends this
process, even SIGKILL, ends that pipe, and the shell then kills their common process group.
(PR_SET_PDEATHSIG would follow the thread that started it instead of the process, and exists on
Linux only.) Children of ours that were forked without exec share the pipe: the program then ends
with the last of them. Called by whoever starts anvil, forge, solc or npm; processes of our own have
`child_process.py`.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

# $0 is the number of our pipe, $@ the program. `kill 0` reaches the whole group, so a process id
# that was given to somebody else meanwhile is never hit.
WATCHING = '(read -r _ <"/dev/fd/$0"; kill -KILL 0) >/dev/null 2>&1 & exec "$@"'


class Leash:
    """Of one program, until `let_go`, which ends it. It has to lead a process group of its own
    (`start_new_session=True`): Ctrl-C is then for us alone, and we end it."""

    def __init__(self) -> None:
        self._watched, self._held = os.pipe()

    def command(self, command: Sequence[str]) -> list[str]:
        """What to start in its place, with the descriptors of `passed`."""
        if os.name == "nt":
            return list(command)
        return ["/bin/sh", "-c", WATCHING, str(self._watched), *command]

    @property
    def passed(self) -> tuple[int, ...]:
        return () if os.name == "nt" else (self._watched,)

    def let_go(self) -> None:
        """Harmless when done before."""
        for number in {self._watched, self._held} - {-1}:
            os.close(number)
        self._watched = self._held = -1


def run_on_leash(
    command: Sequence[str],
    *,
    given: str | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    capture: bool = True,
    timeout_s: float | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Like `subprocess.run`; nothing of it is left when this returns or raises. given: its standard
    input. Raises OSError, subprocess.TimeoutExpired."""
    leash = Leash()
    try:
        return subprocess.run(
            leash.command(command),
            pass_fds=leash.passed,
            start_new_session=True,
            cwd=folder,
            env=environment,
            capture_output=capture,
            text=True,
            timeout=timeout_s,
            check=False,
            **({"stdin": subprocess.DEVNULL} if given is None else {"input": given}),
        )
    finally:
        leash.let_go()


__all__ = ["Leash", "run_on_leash"]
