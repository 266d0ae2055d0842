"""The prover's side of the engine (prover/durable/engine.py): its queue, and its workers' side.

A run of "prove" is a workflow without steps: its body may run any number of times, since claims and
results guard themselves (claims.py), and a step's checkpoint would cost a write per proof.
"""

from collections.abc import Callable

import sqlalchemy as sa

from zkagent.prover.durable.engine import Bell, Kind, WorkflowEngine, WorkflowQueue, prepare_tables
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Run

# Runs of another version are left alone: raise it when a run's arguments change their meaning.
APPLICATION_VERSION = "1"
PROOFS = Kind("zkagent-prover", APPLICATION_VERSION, "prove", "proofs")

#: What a run does: (proof id, generation).
Handler = Callable[[str, int], None]


def prepare_engine(database: Database) -> None:
    """Create or upgrade the engine's tables."""
    prepare_tables(database)
    database.settle()


def open_database(url: str | None, *, new: bool = True) -> Database:
    """With all tables, ours and the engine's, brought up to date. new: made where there is none.
    Raises DatabaseUnusable; DatabaseMissing."""
    database = Database(url, new=new)
    try:
        database.prepare()
        prepare_engine(database)
    except BaseException:
        database.close()
        raise
    return database


class EngineQueue(WorkflowQueue):
    """Hands runs to the engine from inside a transaction; needs no running engine."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, PROOFS)

    def enqueue(self, connection: sa.Connection, run: Run) -> None:
        given = (run.proof_id, run.generation)
        self.put(connection, run.id, given, priority=run.priority, delay_s=run.delay_s)


class Engine(WorkflowEngine):
    """The running engine of one worker."""

    def __init__(self, database: Database, worker: str, poll_s: float) -> None:
        super().__init__(database, PROOFS, worker, poll_s)

    def start(self, prove: Handler, slots: int) -> None:
        """Launch it and take up to `slots` proofs at once from its queue."""
        self.launch(prove, slots)


__all__ = ["APPLICATION_VERSION", "Bell", "Engine", "EngineQueue", "open_database"]
__all__ += ["prepare_engine"]
