"""The Solidity compiler, loaded once for many jobs: warm, it takes a fifth of the time."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.assurance.syntax import job
from zkagent.verifier_contracts.toolchain.install import toolchain

LOOP = Path(__file__).with_name("solc-loop.js")


class WarmCompiler:
    """A process that compiles, without the optimizer, until it is closed."""

    def __init__(self) -> None:
        tools = toolchain()
        self._process = subprocess.Popen(
            [str(tools.node), str(LOOP), str(tools.node_modules)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def compiled(self, units: Mapping[str, str], selection: Mapping[str, Any]) -> dict[str, Any]:
        """The compiler's answer, errors among it."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(job(units, selection)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the compiler ended with {self._process.wait()}")
        output: dict[str, Any] = json.loads(answer)
        return output

    def close(self) -> None:
        self._process.communicate()


__all__ = ["WarmCompiler"]
