"""DBOS, and nothing else of it anywhere: queues of workflows, their workers' side, recovery.

Some private names of DBOS are used, all in this file, all covered by tests, which is why the
version is bounded: the queue's own polling thread (to run it with a bell beside the clock), the
token that its Queue wants (each worker has its own number of slots), the recovery of a dead
executor's runs, and the list of those that run (its own wait for them takes whole seconds).

Its rows say themselves how they are to be read, and one of the ways is pickle, which runs what it
reads: whoever can write to the database would own every worker. `refuse_pickles` takes that way out
of this process; everything of ours is JSON.

DBOS allows one engine in a process, and its rows lie in that engine's database. Runs of agents are
no workflows of it, see executor/runtime/durable.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer
from dbos._dbos import _get_dbos_instance
from dbos._queue import _INTERNAL_QUEUE_CONSTRUCTION, Queue, queue_worker_thread
from dbos._serialization import DefaultSerializer

BUSY_POLL_S = 0.05
BUSY_FOR_S = 1.0  # after a run: the engine counts it for as long as it takes to write its end down


@dataclass(frozen=True)
class Kind:
    """Of workflows. Those of another application or version are left alone."""

    application: str
    version: str
    workflow: str
    queue: str


class EngineDatabase(Protocol):
    """What the engine's tables lie in."""

    @property
    def is_postgres(self) -> bool: ...

    @property
    def url(self) -> sa.URL: ...

    def guard(self, engine: sa.Engine) -> None:
        """Have what another engine of the same database does looked at as well."""


class PickleRefused(TypeError):
    """A row of the engine's tables asks for code to be run."""

    def __init__(self) -> None:
        super().__init__("a row of the engine's tables is a pickle: not loaded, only JSON is")


def refuse_pickles() -> None:
    """Let no row of the engine's be read as a pickle in this process, whatever it says."""

    def refuse(_: DefaultSerializer, __: str) -> Any:
        raise PickleRefused

    setattr(DefaultSerializer, "deserialize", refuse)  # noqa: B010 - a method of a library's


def prepare_tables(database: EngineDatabase) -> None:
    """Create or upgrade the engine's tables."""
    _quieten()
    refuse_pickles()
    DBOS.migrate(_engine_url(database))


class WorkflowQueue:
    """Hands runs to the engine from inside a transaction; needs no running engine."""

    def __init__(self, database: EngineDatabase, kind: Kind) -> None:
        self._kind = kind
        _quieten()
        refuse_pickles()
        self._client = DBOSClient(
            system_database_url=_engine_url(database),
            serializer=DBOSPortableJSONSerializer(),
            application_name=kind.application,
            retry_connection_errors=False,  # heartbeats ask it: waiting would look like death
        )
        self._client._sys_db.engine.hide_parameters = True
        database.guard(self._client._sys_db.engine)

    def put(
        self,
        connection: sa.Connection,
        run_id: str,
        given: Sequence[Any],
        *,
        priority: int,
        delay_s: float = 0,
    ) -> None:
        """given: JSON, what the workflow's function is called with."""
        options: dict[str, Any] = {
            "workflow_name": self._kind.workflow,
            "queue_name": self._kind.queue,
            "workflow_id": run_id,
            "priority": priority,
        }
        if delay_s:
            options["delay_seconds"] = delay_s
        self._client.enqueue_in_transaction(
            connection,
            options,  # type: ignore[arg-type]
            *given,
        )

    def running(self) -> list[tuple[str, str]]:
        """(run, worker) of all runs that are down as begun and not ended."""
        found = self._client.list_workflows(
            status="PENDING", name=self._kind.workflow, load_input=False, load_output=False
        )
        return [(status.workflow_id, str(status.executor_id)) for status in found]

    def put_back(self, run: str, worker: str) -> None:
        """Queue a run again that this worker is said to be at; nothing when another one is."""
        self._client._sys_db.reenqueue_for_recovery(run, [worker], self._kind.queue)

    def forget(self, before: float, limit: int = 500) -> int:
        """Delete the records of runs that ended and were created before this time; how many."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(before))
        found = self._client.list_workflows(
            end_time=stamp,
            status=["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
            limit=limit,
            load_input=False,
            load_output=False,
        )
        if ids := [status.workflow_id for status in found]:
            self._client.delete_workflows(ids)
        return len(ids)

    def close(self) -> None:
        self._client.destroy()


class Bell:
    """What the queue's thread waits on: rings when there is work, ticks fast while some runs.

    Stands in for the threading.Event that the thread expects.
    """

    def __init__(self, busy: Callable[[], bool]) -> None:
        self._busy = busy
        self._rung = threading.Event()
        self._stopped = False

    def ring(self) -> None:
        self._rung.set()

    def set(self) -> None:
        self._stopped = True
        self._rung.set()

    def is_set(self) -> bool:
        return self._stopped

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is not None and self._busy():
            timeout = min(timeout, BUSY_POLL_S)
        self._rung.wait(timeout)
        self._rung.clear()
        return self._stopped


class WorkflowEngine:
    """The running engine of one worker. DBOS allows one per process."""

    def __init__(self, database: EngineDatabase, kind: Kind, worker: str, poll_s: float) -> None:
        self._database = database
        self._kind = kind
        self._worker = worker
        self._poll_s = poll_s
        self._queue: Queue | None = None
        self._thread: threading.Thread | None = None
        self._running = 0
        self._busy_until = 0.0
        self._count = threading.Lock()
        self.bell = Bell(lambda: self._running > 0 or time.monotonic() < self._busy_until)

    def launch(self, handler: Callable[..., None], slots: int) -> None:
        """Launch DBOS and take up to `slots` runs at once from the queue. handler: of what a run
        was given."""
        config: DBOSConfig = {
            "name": self._kind.application,
            "system_database_url": _engine_url(self._database),
            "application_version": self._kind.version,
            "executor_id": self._worker,
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "ERROR",
        }
        _quieten()
        DBOS(config=config)
        self._register(handler)
        DBOS.listen_queues([])  # the one that there is has a thread of our own
        DBOS.launch()
        _quieten()  # whatever of the above it has set up
        _get_dbos_instance()._sys_db.engine.hide_parameters = True
        self._database.guard(_get_dbos_instance()._sys_db.engine)
        DBOS.register_queue(self._kind.queue, polling_interval_sec=self._poll_s)
        self._poll(slots)

    def admit(self, slots: int) -> None:
        """Take up to this many runs at once from now on; 0 to take no more."""
        assert self._queue
        if slots != self._queue._worker_concurrency:
            self._queue._worker_concurrency = slots
            self.bell.ring()

    def recover(self, worker: str) -> int:
        """Put a dead worker's runs back into their queues; how many."""
        return len(DBOS._recover_pending_workflows([worker]))

    def active(self) -> list[str]:
        """The runs that this process is at."""
        return _get_dbos_instance()._active_workflows_set.activeList()

    def stop(self, timeout_s: float) -> None:
        """Stop polling, wait for runs at most this long, and shut DBOS down."""
        self.bell.set()
        if self._thread:
            self._thread.join(10)
        deadline = time.monotonic() + timeout_s
        while self.active() and time.monotonic() < deadline:
            time.sleep(0.02)
        DBOS.destroy(destroy_registry=True)

    def _poll(self, slots: int) -> None:
        self._queue = Queue(
            self._kind.queue,
            worker_concurrency=slots,
            polling_interval_sec=self._poll_s,
            token=_INTERNAL_QUEUE_CONSTRUCTION,
        )
        self._thread = threading.Thread(
            target=queue_worker_thread,
            args=(self.bell, _get_dbos_instance(), self._queue),
            name=self._kind.queue,
            daemon=True,
        )
        self._thread.start()

    def _register(self, handler: Callable[..., None]) -> None:
        @DBOS.workflow(name=self._kind.workflow, max_recovery_attempts=None)
        def run(*given: Any) -> None:
            with self._count:
                self._running += 1
            try:
                handler(*given)
            finally:
                with self._count:
                    self._running -= 1
                self._busy_until = time.monotonic() + BUSY_FOR_S
                self.bell.ring()


def _engine_url(database: EngineDatabase) -> str:
    drivername = "postgresql" if database.is_postgres else "sqlite"
    return database.url.set(drivername=drivername).render_as_string(hide_password=False)


def _quieten() -> None:
    """DBOS speaks through our logging, and only when something is wrong: where its logger has no
    handler, it adds one of its own, which writes down whatever an error says."""
    logger = logging.getLogger("dbos")
    logger.handlers[:] = [logging.NullHandler()]
    logger.propagate = True
    logger.setLevel(logging.ERROR)


__all__ = ["Bell", "EngineDatabase", "Kind", "PickleRefused", "WorkflowEngine", "WorkflowQueue"]
__all__ += ["prepare_tables", "refuse_pickles"]
