"""What a measuring process answers, whatever the proof system: `worker.py`, `keyed_worker.py`."""

import sys
from collections.abc import Callable
from typing import Any, Protocol

from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.child_process import ParentLink, peak_rss_bytes


class Measuring(Protocol):
    """What is asked of a circuit of any system."""

    def setup(self) -> dict[str, Any]: ...

    def prove(self, inputs: list[int]) -> dict[str, Any]: ...

    def evaluate(self, samples: str) -> dict[str, Any]: ...


def serve(open_files: Callable[[dict[str, str]], Measuring]) -> None:
    """First a circuit's files, then requests, until nobody asks any more."""
    link = ParentLink(int(sys.argv[1]))
    requests = link.requests()
    worker = open_files(next(requests))
    for request in requests:
        link.send(_answer(worker, request))


def _answer(worker: Measuring, request: dict[str, Any]) -> dict[str, Any]:
    try:
        match request:
            case {"do": "setup"}:
                reply = worker.setup()
            case {"do": "prove", "inputs": inputs}:
                reply = worker.prove(inputs)
            case {"do": "evaluate", "samples": samples}:
                reply = worker.evaluate(samples)
            case _:
                raise ValueError(f"not a request: {request}")
    except CircuitError as exc:
        return {"failed": str(exc)}
    return {**reply, "peak_bytes": peak_rss_bytes()}


__all__ = ["Measuring", "serve"]
