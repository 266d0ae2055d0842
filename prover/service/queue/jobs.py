"""What a request for a proof is, how it is named, and which states it goes through.

             ┌──────── crash, dead worker, hand-back ────────┐
             v                                               │
request -> waiting ------------------------------------> proving -> done
             │                                               │
             └──> cancelled <──── last handle gone ──────────┤
                                                             └──> failed, poison
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any


class HandleState(StrEnum):
    """Whether its key still waits for the proof, and if not, how that ended: it was given up, or
    the proof ended while it was wanted. So what a key waits for is found without its past."""

    OPEN = "open"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    DONE = "done"
    FAILED = "failed"
    POISON = "poison"


#: Of handles that were wanted until their proofs ended.
KEPT = (HandleState.DONE, HandleState.FAILED, HandleState.POISON)


class Priority(IntEnum):
    """Smaller is sooner, as in the engine."""

    URGENT = 10
    NORMAL = 100
    BULK = 1000


@dataclass(frozen=True)
class Request:
    """A proof that somebody wants: y = f(inputs) for the circuit with this digest.

    deadline: seconds since 1970, after which the requester no longer wants it. The callback's
    address has been checked against the service's rules. alone: a proof of this very circuit is
    wanted, not a share in one of its batch form.
    """

    circuit: str
    inputs: tuple[int, ...]
    priority: int = Priority.NORMAL
    deadline: float | None = None
    callback_url: str | None = None
    alone: bool = False

    @property
    def id(self) -> str:
        return content_id(self.circuit, self.inputs, alone=self.alone)


@dataclass(frozen=True)
class Run:
    """One attempt of the engine at a proof. `generation` tells the current one from older ones."""

    proof_id: str
    generation: int
    priority: int
    delay_s: float = 0.0

    @property
    def id(self) -> str:
        """The engine's name for it: asking for the same run twice makes one."""
        return f"{self.proof_id}:{self.generation}:{self.priority}"


@dataclass(frozen=True)
class Ticket:
    """What a submission led to. `attached`: somebody had asked for the same proof before."""

    proof_id: str
    attached: bool


def content_id(circuit: str, inputs: Sequence[int], *, alone: bool = False) -> str:
    """A proof's name: SHA-256 over what it is to prove, whoever asks, whenever."""
    content: dict[str, Any] = {"zkagent-request": 1, "circuit": circuit, "inputs": list(inputs)}
    text = json.dumps(content | {"alone": True} if alone else content)
    return hashlib.sha256(text.encode()).hexdigest()


def write_inputs(inputs: Sequence[int]) -> str:
    return json.dumps(list(inputs), separators=(",", ":"))


def read_inputs(text: str) -> tuple[int, ...]:
    values: list[Any] = json.loads(text)
    return tuple(int(value) for value in values)


__all__ = ["KEPT", "HandleState", "Priority", "Request", "Run", "Ticket", "content_id"]
__all__ += ["read_inputs", "write_inputs"]
