"""The process behind the fake prover (arguments: WATCHED SECONDS FOLDER).

Takes its orders from the first input: see zkagent.prover.service.fakes.catalogue.Order.
"""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.support.child_process import ParentLink
from zkagent.prover.service.fakes.catalogue import (
    RELEASED,
    TROUBLE,
    Order,
    fake_outputs,
    fake_proof,
    row_count,
)


def answer(request: dict[str, Any], seconds: float, folder: Path) -> dict[str, Any]:
    """A reply as LocalProver expects it."""
    circuit, inputs = str(request["circuit"]), tuple(request["inputs"])
    started = time.perf_counter()
    if trouble := _trouble(folder / TROUBLE):
        return {"trouble": trouble, "detail": f"told so by {folder / TROUBLE}"}
    for first in inputs[:: len(inputs) // row_count(circuit)]:
        if first == Order.REFUSE:
            return {"refused": f"told to refuse {first}"}
        _obey(first, "-".join(map(str, inputs)), folder)
        while first == Order.HELD and not (folder / RELEASED).exists():
            time.sleep(0.02)
    _work(seconds)
    outputs = fake_outputs(circuit, inputs)
    proof = Proof(circuit, inputs, outputs, fake_proof(circuit, inputs, outputs))
    took = time.perf_counter() - started
    measurement = {"prove_s": took, "verify_s": 0.0, "peak_rss_bytes": 1 << 20}
    return {"proof": proof.to_json(), "measurement": measurement}


def _trouble(path: Path) -> str:
    """Which one; a file that is being written or has just gone says nothing."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""


def _obey(order: int, name: str, folder: Path) -> None:
    if order == Order.SLOW:
        time.sleep(3600)
    if order == Order.CRASH or (order == Order.CRASH_ONCE and _first(folder / name)):
        os.kill(os.getpid(), signal.SIGKILL)
    if order == Order.KILL_WORKER:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(3600)


def _first(mark: Path) -> bool:
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _work(seconds: float) -> None:
    """Keep a core busy, as proving does."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(1000))


def main() -> None:
    watched, seconds, folder = sys.argv[1:]
    link = ParentLink(int(watched))
    for request in link.requests():
        link.send(answer(request, float(seconds), Path(folder)))


if __name__ == "__main__":
    main()
