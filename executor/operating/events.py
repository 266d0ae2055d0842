"""What an operator tells of its work, as it happens."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Begun:
    """A run is planned for a request."""

    number: int
    fee: int


@dataclass(frozen=True, slots=True)
class Proven:
    """Its decisions are. seconds: of proving, 0 for proofs that were there already."""

    number: int
    decisions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Sent:
    """A transaction was signed, is in the journal, and goes to the node. replaces: another one of
    its nonce. most_wei: what it can cost."""

    number: int
    transaction: str
    nonce: int
    most_wei: int
    replaces: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """Ours is in a block, with as many others on it as are wanted."""

    number: int
    transaction: str
    fee: int
    cost_wei: int


@dataclass(frozen=True, slots=True)
class Suspended:
    """Ours is in a settled block, and the run waits since: nobody is paid yet. cost_wei: so far."""

    number: int
    transaction: str
    cost_wei: int


@dataclass(frozen=True, slots=True)
class Waits:
    """Its run does not go on yet. what: it waits for."""

    number: int
    what: str


@dataclass(frozen=True, slots=True)
class Reverted:
    """Ours is in a block and failed."""

    number: int
    transaction: str
    cost_wei: int


@dataclass(frozen=True, slots=True)
class Undone:
    """Ours was in a block that is gone."""

    number: int
    transaction: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Another answered, or it was refunded, or failed, or is gone. cost_wei: what was paid."""

    number: int
    status: str
    cost_wei: int


@dataclass(frozen=True, slots=True)
class PutOff:
    """Nothing was sent now; it is tried again after `pause_s`."""

    number: int
    why: str
    pause_s: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """The node could not be worked with; everything is tried again."""

    why: str


Event = (
    Begun
    | Proven
    | Sent
    | Answered
    | Suspended
    | Waits
    | Reverted
    | Undone
    | Lost
    | PutOff
    | Trouble
)
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """A listener for nobody."""


__all__ = ["Answered", "Begun", "Event", "Listener", "Lost", "Proven", "PutOff", "Reverted"]
__all__ += ["Sent", "Suspended", "Trouble", "Undone", "Waits", "ignore"]
