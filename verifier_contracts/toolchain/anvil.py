"""The anvil process: started on a port the system chooses, never left behind.

Knows nothing of web3; chain.py puts the two together. Two things make it robust: anvil itself picks
the port (0), so that two tests never race for one, and it is on a leash (`support/leash.py`).

Foundry's tools read foundry.toml and .env of the folder that they are started in, and of those
above, and run what such a file names as the compiler. So anvil starts in a folder of ours with a
configuration of ours, and sees none of our settings, keys among them; there it also keeps the
states of older blocks, of which it would leave gigabytes in the user's home. All that it asks is on
this machine: no proxy stands between.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zkagent.circuits.support.leash import Leash
from zkagent.circuits.support.surroundings import without_settings
from zkagent.verifier_contracts.errors import AnvilError

FOUNDRY = "foundry.toml"
LEFT_OUT = re.compile(r"(FOUNDRY|DAPP)_|(HTTPS?|ALL)_PROXY$", re.IGNORECASE)  # of the environment
#: Of how many blocks anvil keeps the state on disk, those that were reverted among them: of some MB
#: each where large contracts are deployed.
MOST_STATES = 1_000
ON_DISK = ("--max-persisted-states", str(MOST_STATES))
#: All states stay in memory, where they share the code of contracts: for chains that are reverted
#: often, since those on disk are written whole, and push each other out.
IN_MEMORY = ("--prune-history", "1000000")
LISTENING = re.compile(r"Listening on \S+:(\d+)")


class AnvilProcess:
    """One running anvil; `close` ends it. Raises AnvilError when it does not start in time."""

    def __init__(self, executable: Path, options: Sequence[str], timeout_s: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="zkagent-anvil-")
        self.log_path = Path(self._folder.name) / "anvil.log"
        self.states_path = Path(self._folder.name) / "states"
        self._config_path = Path(self._folder.name) / "config.json"
        (Path(self._folder.name) / FOUNDRY).write_text("[profile.default]\n")
        self._leash = Leash()
        try:
            self._process = self._start(executable, options)
        except BaseException:
            self._leash.let_go()
            raise
        try:
            self.port = self._wait_for_port(timeout_s)
            self.config: dict[str, Any] = json.loads(self._config_path.read_text())
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The process id of anvil itself."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether anvil has not ended."""
        return self._process.poll() is None

    def log_tail(self, lines: int = 15) -> str:
        """The end of anvil's output, in one line."""
        try:
            said = self.log_path.read_text(errors="replace").splitlines()[-lines:]
        except FileNotFoundError:
            return ""
        return " | ".join(filter(None, map(str.strip, said)))

    def close(self) -> None:
        """End the process; harmless when it has ended already."""
        if os.name == "nt":
            self._process.kill()
        else:
            self._end_group()
        self._process.wait(timeout=10)
        self._leash.let_go()
        with contextlib.suppress(OSError):
            self._folder.cleanup()

    def _start(self, executable: Path, options: Sequence[str]) -> "subprocess.Popen[bytes]":
        command = [str(executable), "--port", "0", "--config-out", str(self._config_path)]
        command += ["--cache-path", str(self.states_path), *options]
        with self.log_path.open("wb") as output:
            try:
                return subprocess.Popen(
                    self._leash.command(command),
                    cwd=self._folder.name,
                    env=self._environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=self._leash.passed,
                    start_new_session=True,  # Ctrl-C is for us; we then close anvil in order
                )
            except OSError as exc:
                raise AnvilError(f"anvil did not start: {exc}") from exc

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in without_settings().items() if not LEFT_OUT.match(k)}
        return kept | {"FOUNDRY_CONFIG": str(Path(self._folder.name) / FOUNDRY)}

    def _wait_for_port(self, timeout_s: float) -> int:
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            ended = not self.running
            if match := LISTENING.search(self.log_path.read_text(errors="replace")):
                return int(match[1])
            if ended:
                code = self._process.returncode
                raise AnvilError(f"anvil ended with code {code}; its log: {self.log_tail()}")
            time.sleep(0.02)
        raise AnvilError(f"anvil not ready after {timeout_s:g} s; its log: {self.log_tail()}")

    def _end_group(self) -> None:
        """Politely first: anvil removes its temporary files on SIGTERM."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, signal.SIGTERM) if self.running else None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=3)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


__all__ = ["AnvilProcess"]
