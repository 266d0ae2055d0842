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
    """Why an attempt led to no proof. Only `input` is a verdict on the request; the rest is trouble
    of machines, and tried again."""

    INPUT = "input"  # never again: the circuit does not take these numbers
    ENGINE = "engine"  # the engine failed, or its proof was false
    KEYS = "keys"  # a file of the circuit is missing, cut or changed
    DISK = "disk"  # no place to write, or nothing to be read
    CIRCUIT = "circuit"  # this worker has no such circuit
    CRASH = "crash"  # the child ended
    TIMEOUT = "timeout"  # the child was too slow
    DEATH = "death"  # the worker itself died


#: Trouble that has nothing to do with what is proven: never counted against a proof.
BLAMELESS = (Failure.KEYS, Failure.DISK, Failure.CIRCUIT)


class Cause(StrEnum):
    """What is wrong with a machine, as `/readyz` and the metrics name it."""

    DISK = "disk"  # full, or failing
    WORKER_DISK = "worker-disk"  # a worker's
    KEYS = "keys"  # files of a circuit are missing, cut or changed
    DATABASE = "database"  # it does not answer
    READ_ONLY = "database-read-only"
    REPLACED = "database-replaced"  # its file was removed, or another one lies there
    CORRUPT = "database-corrupt"
    CLOCK = "clock"  # it jumped, or machines disagree
    CIRCUITS = "circuits"  # proofs wait for circuits that no worker has
    WORKERS = "workers"  # nobody proves


#: With these, what is submitted could not be kept, or nobody would prove it.
NOT_READY = (
    Cause.DISK,
    Cause.DATABASE,
    Cause.READ_ONLY,
    Cause.REPLACED,
    Cause.CORRUPT,
    Cause.WORKERS,
)


__all__ = ["BLAMELESS", "FINISHED", "NOT_READY", "UNFINISHED", "Cause", "Failure", "State"]
