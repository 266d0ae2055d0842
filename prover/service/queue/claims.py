"""What workers do to the queue: claim, settle, hand back. Each is one transaction.

A claim is a token on the proof's row. Whoever holds the current token may settle; a worker that
was stopped, taken for dead and woken up again finds another token there (or none) and its result
is dropped. The result's primary key is the proof's content hash, so it is written once.
"""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from zkagent.prover.service.queue.database import Database, insert_once
from zkagent.prover.service.queue.jobs import Run, read_inputs
from zkagent.prover.service.queue.measures import count_failure, count_success
from zkagent.prover.service.queue.store import ProofRow, RunQueue, call_back, change, requeue
from zkagent.prover.service.queue.tables import proofs, results, workers
from zkagent.prover.service.wire.states import Failure, State


@dataclass(frozen=True)
class Limits:
    """How often a proof may end the process that makes it before it is set aside."""

    crashes: int = 3
    deaths: int = 5
    backoff_s: float = 1.0


@dataclass(frozen=True)
class Claim:
    """One worker's right to prove `members` (proof id -> inputs, the leader first)."""

    token: str
    circuit: str
    members: dict[str, tuple[int, ...]]
    waiting_since: float
    alone: bool


@dataclass(frozen=True)
class Outcome:
    """A proof as it is stored: its JSON form, which rows of a batch are whose, what it took."""

    document: str
    positions: dict[str, int]
    prove_s: float
    verify_s: float
    peak_rss_bytes: int


class Claims:
    """The worker's side of the database."""

    def __init__(
        self, database: Database, queue: RunQueue, worker: str, limits: Limits = Limits()
    ) -> None:
        self.database = database
        self.queue = queue
        self.worker = worker
        self.limits = limits

    def circuit_of(self, proof_id: str, generation: int) -> str | None:
        """What this run of the proof needs, None when it has nothing to do."""
        ours = (proofs.c.id == proof_id) & (proofs.c.generation == generation)
        query = sa.select(proofs.c.circuit).where(ours & (proofs.c.state == State.WAITING))
        with self.database.read() as connection:
            return connection.execute(query).scalar_one_or_none()

    def claim(self, proof_id: str, generation: int) -> Claim | None:
        """Take the waiting proof that is first in line; None when this run has nothing (left) to
        do.

        It may be another proof than the run's own: the engine hands out runs ahead of time, so a
        run is a turn, and whose turn it is shows only now. The run then has to claim again.
        """
        with self.database.write() as connection:
            own = self._waiting(connection, proof_id, generation)
            if own is None:
                return None
            if own.avoid == self.worker and self._others_live(connection):
                self._pass_on(connection, own)
                return None
            proof = self._sooner(connection, own) or own
            token = uuid.uuid4().hex
            self._take(connection, proof.id, token, proof.id)
        members = {proof.id: read_inputs(proof.inputs)}
        return Claim(token, proof.circuit, members, proof.queued_at, proof.alone)

    def offer(self, proof_id: str, generation: int) -> None:
        """Let another worker begin this proof, since ours has no slot for it: a second run of the
        same generation. Whichever begins first proves it."""
        with self.database.write() as connection:
            if proof := self._waiting(connection, proof_id, generation):
                self.queue.enqueue(connection, Run(proof_id, generation, proof.priority + 1))

    def return_run(self, proof_id: str, generation: int) -> None:
        """Put a proof that we were given and have not begun back into the queue."""
        with self.database.write() as connection:
            if proof := self._waiting(connection, proof_id, generation):
                requeue(connection, self.queue, proof, queued_at=proof.queued_at)

    def join(self, claim: Claim, room: int) -> Claim:
        """Claim up to `room` more waiting proofs of the same circuit with the same token."""
        (leader,) = list(claim.members)[:1]
        waiting = (proofs.c.state == State.WAITING) & (proofs.c.circuit == claim.circuit)
        query = sa.select(proofs).where(waiting & ~proofs.c.alone)
        query = query.order_by(proofs.c.priority, proofs.c.queued_at).limit(room)
        members = dict(claim.members)
        with self.database.write() as connection:
            for proof in connection.execute(query.with_for_update(skip_locked=True)).all():
                self._take(connection, proof.id, claim.token, leader)
                members[proof.id] = read_inputs(proof.inputs)
        return replace(claim, members=members)

    def held(self, claim: Claim) -> set[str]:
        """Which of the claim's proofs are still ours."""
        query = sa.select(proofs.c.id).where(proofs.c.claim == claim.token)
        with self.database.read() as connection:
            return set(connection.execute(query).scalars())

    def settle(self, claim: Claim, outcome: Outcome) -> int:
        """Accept the result of each member that is still ours; how many."""
        with self.database.write() as connection:
            mine = self._locked(connection, claim)
            for proof in mine:
                self._accept(connection, proof, outcome)
            return len(mine)

    def fail(self, claim: Claim, failure: Failure, reason: str) -> None:
        """Give up: the same proof would fail again. A batch is taken apart instead."""
        with self.database.write() as connection:
            mine = self._locked(connection, claim)
            for proof in mine:
                if len(claim.members) > 1:
                    requeue(connection, self.queue, proof, alone=True)
                else:
                    self._set_aside(connection, proof, State.FAILED, failure, reason)

    def crash(self, claim: Claim, failure: Failure, reason: str) -> int:
        """The child ended: try again elsewhere, alone, and not for ever; how many proofs were
        still ours."""
        with self.database.write() as connection:
            mine = self._locked(connection, claim)
            for proof in mine:
                self._count_crash(connection, proof, failure, reason)
            return len(mine)

    def hand_back(self, claim: Claim) -> None:
        """Back into the queue through nobody's fault."""
        with self.database.write() as connection:
            for proof in self._locked(connection, claim):
                requeue(connection, self.queue, proof, queued_at=proof.queued_at)

    def release_dead(self, connection: sa.Connection, worker: str) -> int:
        """Take everything from a dead worker and queue it again; how many proofs."""
        theirs = (proofs.c.worker == worker) & (proofs.c.state == State.PROVING)
        query = sa.select(proofs).where(theirs).order_by(proofs.c.id).with_for_update()
        found = connection.execute(query).all()
        for proof in found:
            self._count_death(connection, proof)
        return len(found)

    def _waiting(
        self, connection: sa.Connection, proof_id: str, generation: int
    ) -> ProofRow | None:
        """The proof's row, locked, if it waits and this run of it is the current one."""
        query = sa.select(proofs).where(proofs.c.id == proof_id).with_for_update()
        proof = connection.execute(query).one_or_none()
        current = proof and proof.state == State.WAITING and proof.generation == generation
        return proof if current else None

    def _sooner(self, connection: sa.Connection, own: ProofRow) -> ProofRow | None:
        """A proof, locked, that waits and comes before this one. Rows that others have locked are
        about to be theirs."""
        place = sa.tuple_(proofs.c.priority, proofs.c.queued_at)
        before = place < sa.tuple_(sa.literal(own.priority), sa.literal(own.queued_at))
        free = (proofs.c.avoid.is_(None) | (proofs.c.avoid != self.worker)) & (
            proofs.c.queued_at <= time.time()  # later for those that are to be tried again
        )
        query = sa.select(proofs).where((proofs.c.state == State.WAITING) & before & free)
        query = query.order_by(proofs.c.priority, proofs.c.queued_at).limit(1)
        return connection.execute(query.with_for_update(skip_locked=True)).one_or_none()

    def _take(self, connection: sa.Connection, proof_id: str, token: str, leader: str) -> None:
        change(
            connection,
            proof_id,
            state=State.PROVING,
            claim=token,
            worker=self.worker,
            batch=leader,
            started_at=time.time(),
        )

    def _locked(self, connection: sa.Connection, claim: Claim) -> Sequence[ProofRow]:
        query = (
            sa.select(proofs)
            .where(proofs.c.claim == claim.token)
            .order_by(proofs.c.id)
            .with_for_update()
        )
        return connection.execute(query).all()

    def _accept(self, connection: sa.Connection, proof: ProofRow, outcome: Outcome) -> None:
        now = time.time()
        row = {
            "proof_id": proof.id,
            "document": outcome.document,
            "position": outcome.positions[proof.id],
            "worker": self.worker,
            "accepted_at": now,
            "prove_s": outcome.prove_s,
            "verify_s": outcome.verify_s,
            "peak_rss_bytes": outcome.peak_rss_bytes,
        }
        insert_once(connection, results, row)
        change(connection, proof.id, state=State.DONE, claim=None, finished_at=now)
        count_success(connection, proof, outcome.prove_s, outcome.verify_s, now)
        call_back(connection, self.queue, proof.id)

    def _count_crash(
        self, connection: sa.Connection, proof: ProofRow, failure: Failure, reason: str
    ) -> None:
        count_failure(connection, failure)
        crashes = proof.crashes + 1
        if crashes >= self.limits.crashes:
            reason = f"its process ended {crashes} times; last: {reason}"
            self._set_aside(connection, proof, State.POISON, failure, reason, counted=True)
            return
        values = {"crashes": crashes, "alone": True, "avoid": self.worker, "failure": failure}
        requeue(connection, self.queue, proof, delay_s=self.limits.backoff_s, **values)

    def _count_death(self, connection: sa.Connection, proof: ProofRow) -> None:
        count_failure(connection, Failure.DEATH)
        deaths = proof.deaths + 1
        if deaths >= self.limits.deaths:
            reason = f"the worker that proved it died {deaths} times: set aside so that others live"
            self._set_aside(connection, proof, State.POISON, Failure.DEATH, reason, counted=True)
            return
        requeue(connection, self.queue, proof, deaths=deaths, alone=True)

    def _set_aside(
        self,
        connection: sa.Connection,
        proof: ProofRow,
        state: State,
        failure: Failure,
        reason: str,
        *,
        counted: bool = False,
    ) -> None:
        if not counted:
            count_failure(connection, failure)
        values = {"failure": failure, "reason": reason[:2000], "finished_at": time.time()}
        change(connection, proof.id, state=state, claim=None, **values)
        call_back(connection, self.queue, proof.id)

    def _others_live(self, connection: sa.Connection) -> bool:
        others = (workers.c.state == "alive") & (workers.c.id != self.worker)
        query = sa.select(sa.func.count()).select_from(workers).where(others)
        return bool(connection.execute(query).scalar_one())

    def _pass_on(self, connection: sa.Connection, proof: ProofRow) -> None:
        """Leave it to another worker for a moment; once, lest nobody takes it."""
        requeue(connection, self.queue, proof, delay_s=self.limits.backoff_s, avoid=None)


__all__ = ["Claim", "Claims", "Limits", "Outcome"]
