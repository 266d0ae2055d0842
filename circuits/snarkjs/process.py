"""snarkjs in a process that answers one request after the other: `Snarkjs` asks, and ends it.

`python -m` on this module is its other half, whose place Node.js takes: it has no more memory than
there is, and ends with us (see `support/child_process.py`).
"""

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from zkagent.circuits.errors import EngineError
from zkagent.circuits.snarkjs.install import snarkjs_folder
from zkagent.circuits.support.child_process import ChildProcess, become
from zkagent.circuits.support.memory import limit_memory
from zkagent.circuits.support.npm import find_node

NAME = "snarkjs"
MODULE = "zkagent.circuits.snarkjs.process"
ADAPTER = Path(__file__).parent / "adapter.cjs"


class Snarkjs:
    """Use it in a `with` block. Files it writes are the caller's, by path."""

    def __init__(self, *, timeout_s: float | None = None) -> None:
        """timeout_s: for each request; by default whoever calls may take as long as it lives.
        Raises PackagesMissing, HomeRefused."""
        self._timeout_s = timeout_s
        command = [str(find_node().executable), str(ADAPTER), str(snarkjs_folder())]
        self._child = ChildProcess(MODULE, command, engine=NAME)

    def call(self, function: str, what: str, /, **arguments: Any) -> Any:
        """What a function of the adapter returns. what: it is asked to do, for errors. Raises
        EngineError, with what snarkjs says, and EngineCrashed."""
        result, said = self.answer(function, what, arguments)
        if result is False:
            raise EngineError(what, said or "it gave no reason", NAME)
        return result

    def answer(self, function: str, what: str, arguments: Mapping[str, Any]) -> tuple[Any, str]:
        """What it returns, False included, and what it says. Raises EngineError, EngineCrashed."""
        deadline = None if self._timeout_s is None else time.monotonic() + self._timeout_s
        try:
            self._child.send({"call": function, "arguments": arguments}, self._timeout_s)
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            answer = self._child.receive(left)
        except TimeoutError as exc:
            self.close()
            raise EngineError(what, f"no end within {self._timeout_s:g} s", NAME) from exc
        except json.JSONDecodeError as exc:
            self.close()
            raise EngineError(what, "it does not speak as its adapter does", NAME) from exc
        if "error" in answer:
            raise EngineError(what, " ".join(str(answer["error"]).split()), NAME)
        return answer["result"], " ".join(str(answer["said"]).split())

    def close(self) -> None:
        """End the process; harmless when done before."""
        self._child.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _stand_somewhere() -> None:
    """Node.js does not start in a folder that was removed."""
    try:
        Path.cwd()
    except FileNotFoundError:
        os.chdir(os.sep)


def main() -> None:
    watched, *command = sys.argv[1:]
    _stand_somewhere()
    limit_memory()
    become(int(watched), [os.fspath(part) for part in command])


if __name__ == "__main__":
    main()


__all__ = ["NAME", "Snarkjs"]
