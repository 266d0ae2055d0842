"""The states that a proof goes through, and why there may be none, as clients see them."""

from enum import StrEnum


class State(StrEnum):
    """Where a proof is. A handle may also be `cancelled` or `expired` while its proof goes on."""

    WAITING = "waiting"
    PROVING = "proving"
    DONE = "done"
    FAILED = "failed"
    POISON = "poison"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


UNFINISHED = (State.WAITING, State.PROVING)
FINISHED = tuple(state for state in State if state not in UNFINISHED)


class Failure(StrEnum):
    """Why there is no proof; decides whether another try is worth it."""

    INPUT = "input"  # never again: the circuit does not take these numbers
    ENGINE = "engine"  # never again: the engine refused, or its proof was false
    CIRCUIT = "circuit"  # this worker has no such circuit, or a damaged one
    CRASH = "crash"  # the child ended: again, elsewhere if possible
    TIMEOUT = "timeout"  # the child was too slow: again
    DEATH = "death"  # the worker itself died: again


__all__ = ["FINISHED", "UNFINISHED", "Failure", "State"]
