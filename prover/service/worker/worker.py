"""A worker: slots that prove, a heartbeat, and a share in looking after the queue.

Started by `zkagent worker`, and inside `zkagent serve`. One per process.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

import sqlalchemy as sa

from zkagent.prover.durable.errors import LeaseLost
from zkagent.prover.durable.leases import open_leases
from zkagent.prover.service.catalogue.catalogue import Catalogue
from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.queue.claims import Claims, Limits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import Engine, EngineQueue
from zkagent.prover.service.queue.store import DAY_S, Store
from zkagent.prover.service.queue.trouble import LEAST_FREE_BYTES, trouble_of
from zkagent.prover.service.queue.wake import CANCELLED, CHANGED, PASSED, WORK, open_wake
from zkagent.prover.service.worker.batching import Batching, BatchSettings
from zkagent.prover.service.worker.callback_rules import CallbackRules
from zkagent.prover.service.worker.callbacks import Callbacks
from zkagent.prover.service.worker.pool import SHORT_PROOF_S, Opener, Pool
from zkagent.prover.service.worker.proving import Proving
from zkagent.prover.service.worker.roster import Patience, Roster
from zkagent.prover.service.worker.strays import Strays
from zkagent.prover.service.worker.sweeper import Sweeper
from zkagent.prover.service.worker.troubles import Troubles
from zkagent.prover.service.worker.turns import Turn, Turns

log = logging.getLogger(__name__)

POLL_S = 1.0


@dataclass(frozen=True)
class WorkerSettings:
    """slots: proofs at once. threads: per proof, by default all cores. timeout_s: for one proof.
    grace_s: how long a stopping worker lets running proofs finish. least_free_bytes: less room than
    that for temporary files is no room."""

    slots: int = 1
    threads: int | None = None
    timeout_s: float = 300.0
    grace_s: float = 30.0
    retention_s: float = 30 * DAY_S
    batch: BatchSettings = field(default_factory=BatchSettings)
    limits: Limits = field(default_factory=Limits)
    patience: Patience = field(default_factory=Patience)
    callbacks: CallbackRules = field(default_factory=CallbackRules)
    least_free_bytes: int = LEAST_FREE_BYTES


class Worker:
    """Everything that proves in this process; `start`, then `stop`."""

    def __init__(self, database: Database, catalogue: Catalogue, settings: WorkerSettings) -> None:
        self.id = uuid.uuid4().hex
        self._settings = settings
        self._wake = open_wake(database)
        self._queue = EngineQueue(database)
        self._claims = Claims(database, self._queue, self.id, settings.limits)
        self._pool = Pool(self._opener(catalogue), settings.slots)
        self._batching = Batching(settings.batch, self._claims.join)
        self._troubles = Troubles(
            catalogue.offered, least_free_bytes=settings.least_free_bytes, keys=catalogue.troubles
        )
        self._proving = Proving(
            self._claims,
            catalogue,
            self._pool,
            self._batching,
            wake=self._wake,
            troubles=self._troubles,
        )
        self._turns = Turns(self._next_turn, self._proving.run, self._pool.free, settings.slots)
        self._engine = Engine(database, self.id, POLL_S)
        self._roster = Roster(database, open_leases(database), self.id, settings.patience)
        self._callbacks = Callbacks(database, settings.callbacks)
        store = Store(database, self._queue)
        self._strays = Strays(self._queue, self._roster, self.id, self._engine.active)
        self._sweeper = Sweeper(store, self._queue, self._roster, settings.retention_s)
        self._stop = threading.Event()
        self._look = threading.Event()
        self._thread: threading.Thread | None = None
        self._said: dict[str, str] = {}  # of which duty of the heartbeat what was said last
        #: Called on the heartbeat's thread when the worker cannot go on.
        self.on_failure: Callable[[Exception], None] = lambda _: None

    def start(self) -> None:
        """Begin to take work. Raises DatabaseUnusable, LeaseLost."""
        self._roster.join(self._settings.slots, self._troubles.able())
        self._engine.start(self._proving.run, self._settings.slots)
        self._turns.start()
        self._callbacks.start()
        self._wake.listen(self._woken)
        self._thread = threading.Thread(target=self._beats, name="heartbeat", daemon=True)
        self._thread.start()
        log.info("worker started", extra={"worker": self.id, "slots": self._settings.slots})

    def stop(self) -> None:
        """Take no more work, let proofs finish for a while, hand back the rest."""
        self._engine.admit(0)
        self._turns.begin_no_more()
        self._proving.begin_no_more()
        deadline = time.monotonic() + self._settings.grace_s
        while self._proving.count and time.monotonic() < deadline:
            time.sleep(0.02)
        self._unless_lost(self._proving.hand_back)
        self._turns.stop(timeout_s=5)
        self._engine.stop(timeout_s=5)
        self._callbacks.stop()
        self._stop.set()
        self._look.set()
        if self._thread and self._thread is not threading.current_thread():
            self._thread.join()
        self._pool.close()
        self._unless_lost(self._roster.leave)
        self._wake.send(WORK)
        self._wake.close()
        self._queue.close()
        log.info("worker stopped", extra={"worker": self.id})

    def _unless_lost(self, action: Callable[[], None]) -> None:
        """A database that does not answer is no reason not to end: others take over from the
        dead."""
        try:
            action()
        except (sa.exc.SQLAlchemyError, DatabaseLost) as exc:
            log.warning("the end cannot be written down: %s", trouble_of(exc).detail)

    def _woken(self, topic: str, subject: str) -> None:
        if topic == WORK:
            self._batching.arrived()
            self._engine.bell.ring()
        elif topic == PASSED and subject != self.id:
            self._turns.look()
        elif topic == CANCELLED:
            self._look.set()

    def _beats(self) -> None:
        while not self._stop.is_set():
            try:
                self._beat()
            except LeaseLost as exc:
                log.critical("%s", exc)
                self.on_failure(exc)
                return
            self._look.wait(self._settings.patience.beat_s)
            self._look.clear()

    def _beat(self) -> None:
        """One duty that fails keeps none of the others from being done."""
        others = (self._drop_lost, self._bury, self._expire, self._purge, self._put_back)
        if self._is_done(self._live):  # else the database does not answer
            for duty in (*others, self._admit):
                self._is_done(duty)

    def _is_done(self, duty: Callable[[], None]) -> bool:
        """What fails is said once for as long as it fails in the same way."""
        said, self._said[duty.__name__] = self._said.get(duty.__name__), ""
        try:
            duty()
        except LeaseLost:
            raise
        except Exception as exc:
            foreseen = isinstance(exc, sa.exc.SQLAlchemyError | DatabaseLost)
            words = trouble_of(exc).detail if foreseen else type(exc).__name__
            self._said[duty.__name__] = words
            if words != said:
                log.error("the heartbeat fails, trying again: %s", words, exc_info=not foreseen)
            return False
        return True

    def _live(self) -> None:
        able, troubles = self._troubles.able(), self._troubles.list()
        self._roster.beat(self._pool.pids(), able, troubles)

    def _drop_lost(self) -> None:
        self._proving.drop_lost()

    def _bury(self) -> None:
        if self._roster.bury(self._claims, self._engine.recover):
            self._wake.send(WORK)

    def _expire(self) -> None:
        for proof_id in self._sweeper.expire():
            self._wake.send(CHANGED, proof_id)

    def _purge(self) -> None:
        self._sweeper.purge_when_due()

    def _put_back(self) -> None:
        self._strays.put_back()

    def _admit(self) -> None:
        self._engine.admit(self._settings.slots + self._prefetch())

    def _next_turn(self) -> Turn | None:
        return self._claims.next_turn(self._troubles.able())

    def _prefetch(self) -> int:
        """One proof more than slots while proofs are short, so that no slot waits for the queue;
        a long one would only be kept from an idle worker."""
        typical_s = self._pool.typical_s
        return 1 if typical_s is not None and typical_s < SHORT_PROOF_S else 0

    def _opener(self, catalogue: Catalogue) -> Opener:
        settings = self._settings
        return lambda digest: catalogue.prover(digest, settings.timeout_s, settings.threads)


__all__ = ["Worker", "WorkerSettings"]
