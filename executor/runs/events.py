"""What a run tells while it happens: small frozen records through one callback.

The command line prints them; tests collect them in a list.
"""

from collections.abc import Callable
from dataclasses import dataclass

from zkagent.models.encoding.decoder import Decision


@dataclass(frozen=True, slots=True)
class Planned:
    """Decision `index` was derived by simulation."""

    index: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class PlanFinished:
    """The simulated run ended with `answer`; steps are the reasoning entries."""

    answer: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proving:
    """Decision `index` of `total` goes to the prover."""

    index: int
    total: int


@dataclass(frozen=True, slots=True)
class Proved:
    """The proof of decision `index` is there and verified."""

    index: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Estimated:
    """The whole run takes this much gas."""

    gas: int


@dataclass(frozen=True, slots=True)
class StateChanged:
    """Plan number `attempt` was outdated before it was included; a new one is made."""

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class Signed:
    """A transaction is in the journal as run `run`, and goes to the node now."""

    run: str
    transaction: str
    nonce: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """The instruction is run `run` already, whose last transaction is gone on with; state: of the
    journal."""

    run: str
    transaction: str
    nonce: int
    state: str


@dataclass(frozen=True, slots=True)
class MayStillHappen:
    """The instruction is about to be carried out again, though an earlier transaction may be
    included up to `deadline`, in seconds since 1970."""

    run: str
    transaction: str
    deadline: int


@dataclass(frozen=True, slots=True)
class Replacing:
    """Another transaction is signed under the nonce of this one."""

    transaction: str


@dataclass(frozen=True, slots=True)
class Included:
    """The transaction is in a block."""

    transaction: str
    block: int
    gas_used: int


Told = Planned | PlanFinished | Proving | Proved | Estimated | StateChanged
Event = Told | Signed | Resumed | Replacing | MayStillHappen | Included
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener for callers that want none."""
