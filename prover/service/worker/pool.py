"""The worker's proving children: one proof at a time per slot, kept warm between proofs."""

import contextlib
import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from zkagent.circuits.artifacts import Proof
from zkagent.prover.local import Measurement
from zkagent.prover.service.catalogue.catalogue import Prover

SHORT_PROOF_S = 2.0  # worth waiting for, when the slot's next proof is there already

#: Makes a prover for a circuit's digest.
Opener = Callable[[str], Prover]


class Slot:
    """Room for one proof at a time. Keeps the children of the last few circuits."""

    def __init__(self, opener: Opener, warm: int) -> None:
        self._open = opener
        self._warm = warm
        self._provers: OrderedDict[str, Prover] = OrderedDict()
        self._current: Prover | None = None
        self._killed = False
        self._lock = threading.Lock()
        self.last_s = 0.0

    def has(self, circuit: str) -> bool:
        return circuit in self._provers

    def prove(self, circuit: str, inputs: Sequence[int]) -> tuple[Proof, Measurement]:
        """Raises what the circuit's prover raises; ProverCrashed after `kill`."""
        prover = self._prover(circuit)
        with self._lock:
            self._current, self._killed = prover, False
        try:
            proof = prover.prove(inputs)
        finally:
            with self._lock:
                self._current = None
            if self._killed:  # perhaps when it had answered: the next proof needs another one
                prover.close()
        assert prover.last
        self.last_s = prover.last.prove_s
        return proof, prover.last

    def kill(self) -> None:
        """End the child that is proving, from another thread."""
        with self._lock:
            if (prover := self._current) and (pid := prover.pid):
                self._killed = True
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def pids(self) -> list[int]:
        return [pid for prover in list(self._provers.values()) if (pid := prover.pid)]

    def close(self) -> None:
        for prover in self._provers.values():
            prover.close()
        self._provers.clear()

    def _prover(self, circuit: str) -> Prover:
        if circuit not in self._provers:
            while len(self._provers) >= self._warm:
                self._provers.popitem(last=False)[1].close()
            self._provers[circuit] = self._open(circuit)
        self._provers.move_to_end(circuit)
        return self._provers[circuit]


class Pool:
    """`size` slots; a proof goes to the free slot whose child is warm, if there is one."""

    def __init__(self, opener: Opener, size: int, warm: int = 2) -> None:
        self._free = [Slot(opener, warm) for _ in range(size)]
        self._all = tuple(self._free)
        #: Seconds of a recent proof, smoothed; None before the first.
        self.typical_s: float | None = None
        self._condition = threading.Condition()

    @contextmanager
    def slot(self, circuit: str) -> Iterator[Slot]:
        """A slot of our own; waits until one is free."""
        with self._condition:
            self._condition.wait_for(lambda: self._free)
            slot = next((slot for slot in self._free if slot.has(circuit)), self._free[0])
            self._free.remove(slot)
        try:
            yield slot
        finally:
            with self._condition:
                if slot.last_s:
                    before = slot.last_s if self.typical_s is None else self.typical_s
                    self.typical_s = before + (slot.last_s - before) / 4
                self._free.append(slot)
                self._condition.notify_all()

    def free(self) -> int:
        """How many slots are."""
        return len(self._free)

    def wait_free(self, timeout_s: float) -> bool:
        """Whether a slot becomes free within this time; it may be another's by then."""
        with self._condition:
            return self._condition.wait_for(lambda: bool(self._free), timeout_s)

    def pids(self) -> list[int]:
        """Process ids of all children."""
        return [pid for slot in self._all for pid in slot.pids()]

    def close(self) -> None:
        """End all children; no proof may be running."""
        for slot in self._all:
            slot.close()


__all__ = ["SHORT_PROOF_S", "Opener", "Pool", "Slot"]
