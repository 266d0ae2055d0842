"""Several waiting requests for one circuit in one proof, where the circuit has a batch form.

The run that is first claims the others that wait, for a moment if there are too few, and proves all
of them; their own runs find nothing left to do.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zkagent.circuits.networks.batch import fill
from zkagent.prover.service.catalogue.catalogue import BatchForm, Card
from zkagent.prover.service.queue.claims import Claim

LOOK_AGAIN_S = 0.05

#: (claim, room) -> the claim with up to `room` more members.
Join = Callable[[Claim, int], Claim]


@dataclass(frozen=True)
class BatchSettings:
    """size: most requests in one proof. linger_s: longest wait of a request for company."""

    size: int = 16
    linger_s: float = 0.05


@dataclass(frozen=True)
class Work:
    """What goes to the prover: a circuit and its inputs; which row is whose."""

    circuit: str
    inputs: tuple[int, ...]
    positions: dict[str, int]


class Batching:
    """Fills a claim up and lays its rows out."""

    def __init__(self, settings: BatchSettings, join: Join) -> None:
        self._settings = settings
        self._join = join
        self._arrival = threading.Event()

    def arrived(self) -> None:
        """There is new work; whoever lingers should look."""
        self._arrival.set()

    def gather(self, claim: Claim, card: Card) -> Claim:
        """Claim company for a proof, waiting at most `linger_s` after it was asked for."""
        most = min(self._settings.size, max((form.capacity for form in card.batches), default=1))
        if claim.alone or most < 2:
            return claim
        waited_s = max(0.0, claim.waited_s)  # by a clock that may be set
        last_call = time.monotonic() + self._settings.linger_s - waited_s
        while True:
            self._arrival.clear()
            claim = self._join(claim, most - len(claim.members))
            left = last_call - time.monotonic()
            if len(claim.members) >= most or left <= 0:
                return claim
            self._arrival.wait(min(left, LOOK_AGAIN_S))


def lay_out(claim: Claim, forms: Sequence[BatchForm]) -> Work:
    """One proof for all members: alone in the circuit itself, or in the smallest form that fits."""
    count = len(claim.members)
    if count == 1:
        ((proof_id, inputs),) = claim.members.items()
        return Work(claim.circuit, inputs, {proof_id: 0})
    form = min((form for form in forms if form.capacity >= count), key=lambda f: f.capacity)
    positions = {proof_id: row for row, proof_id in enumerate(claim.members)}
    return Work(form.circuit, fill(list(claim.members.values()), form.capacity), positions)


__all__ = ["BatchSettings", "Batching", "Work", "lay_out"]
