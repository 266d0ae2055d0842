"""What workers do to the queue: claim, settle, hand back. Each is one transaction.

A claim is a token on the proof's row. Whoever holds the current token may settle; a worker that
was stopped, taken for dead and woken up again finds another token there (or none) and its result
is dropped. The result's primary key is the proof's content hash, so it is written once.
"""

import contextlib
import json
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from zkagent.prover.service.queue.company import wanted_by, wanted_by_just
from zkagent.prover.service.queue.database import Database, insert_once, shared_clock
from zkagent.prover.service.queue.jobs import Run, read_inputs
from zkagent.prover.service.queue.line import (
    LONGEST_WAIT_S,
    Turn,
    first_in_line,
    is_due,
    note_begun,
)
from zkagent.prover.service.queue.measures import count_failure, count_success
from zkagent.prover.service.queue.store import ProofRow, RunQueue, change, end_as, requeue
from zkagent.prover.service.queue.tables import proofs, results, workers
from zkagent.prover.service.wire.states import BLAMELESS, Failure, State


@dataclass(frozen=True)
class Limits:
    """How often a proof may end the process that makes it before it is set aside: with the waits in
    between, some four hours for crashes and one for deaths of the whole worker."""

    crashes: int = 12
    deaths: int = 10
    backoff_s: float = 1.0

    def wait_s(self, failures: int) -> float:
        """How long to wait after the so-manieth failure."""
        return float(min(self.backoff_s * 3 ** min(failures - 1, 20), LONGEST_WAIT_S))


@dataclass(frozen=True)
class Claim:
    """One worker's right to prove `members` (proof id -> inputs, the leader first). waited_s: how
    long the leader had waited when it was claimed."""

    token: str
    circuit: str
    members: dict[str, tuple[int, ...]]
    waited_s: float
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

    def claim(
        self,
        proof_id: str,
        generation: int,
        able: Collection[str] | None = None,
        token: str | None = None,
    ) -> Claim | None:
        """Take the waiting proof that is first in line; None when this run has nothing (left) to
        do.

        It may be another proof than the run's own: the engine hands out runs ahead of time, so a
        run is a turn, and whose turn it is shows only now. The run then has to claim again. able:
        circuits that this worker can prove now; all, by default. A run for another one is a turn
        for those, and comes to nothing when there are none. token: the same at each try, since one
        whose answer was lost may have been kept; a new one by default.
        """
        token = token or new_token()
        with self.database.write() as connection:
            if taken := self._with(connection, token):
                return self._claim_of(connection, taken[0], token)
            own = self._waiting(connection, proof_id, generation)
            if own is None:
                return None
            if own.avoid == self.worker and self._others_live(connection, own.circuit):
                self._leave_once(connection, own)
                return None
            turn = first_in_line(connection, able, self._free(connection), lock=True)
            if turn is None and (able is None or own.circuit in able):
                turn = Turn(own)
            if turn is None:
                return None
            self._take(connection, turn.proof.id, token)
            note_begun(connection, turn, able)
            return self._claim_of(connection, turn.proof, token)

    def offer(self, proof_id: str, generation: int) -> None:
        """Let another worker begin this proof, since ours has no slot for it: a second run of the
        same generation. Whichever begins first proves it."""
        with self.database.write() as connection:
            if proof := self._waiting(connection, proof_id, generation):
                self.queue.enqueue(connection, Run(proof_id, generation, proof.priority + 1))

    def next_turn(self, able: Collection[str]) -> tuple[str, int] | None:
        """The proof that is first in line of those that this worker can prove now, and its
        generation: a turn without a run. Also one that it is to leave to another once (`claim`
        does): whoever else there was may be gone."""
        if not able:
            return None
        with self.database.read() as connection:
            for free in (self._free(connection), sa.true()):
                if turn := first_in_line(connection, able, free):
                    return turn.proof.id, turn.proof.generation
        return None

    def return_run(self, proof_id: str, generation: int) -> None:
        """Put a proof that we were given and have not begun back into the queue."""
        with self.database.write() as connection:
            if proof := self._waiting(connection, proof_id, generation):
                place = {"queued_at": proof.queued_at, "resumes": proof.resumes}
                requeue(connection, self.queue, proof, **place)

    def join(self, claim: Claim, room: int) -> Claim:
        """Claim up to `room` more waiting proofs of the same circuit with the same token: of those
        that the same keys want, since each of them will see the inputs of all (company.py)."""
        members = dict(claim.members)
        with self.database.write() as connection:
            ours = self._with(connection, claim.token)
            for proof in ours:  # also of a try whose answer was lost
                members[proof.id] = read_inputs(proof.inputs)
            room -= len(members) - len(claim.members)
            wanting = set(wanted_by(connection, [proof.id for proof in ours]).values())
            if len(wanting) != 1:  # some lost interest in one of them, or all in all
                return replace(claim, members=members)
            (keys,) = wanting
            found = self._company(connection, claim.circuit, keys, room) if room > 0 else []
            if found and ours[0].batch is None:
                change(connection, ours[0].id, batch=ours[0].id)
            for proof in found:
                self._take(connection, proof.id, claim.token, ours[0].batch or ours[0].id)
                members[proof.id] = read_inputs(proof.inputs)
        return replace(claim, members=members)

    def _company(
        self, connection: sa.Connection, circuit: str, keys: frozenset[str], room: int
    ) -> list[ProofRow]:
        """Proofs that wait and that these keys want and nobody else, locked. Whoever attached just
        before a row was locked is seen only afterwards."""
        waiting = (proofs.c.state == State.WAITING) & (proofs.c.circuit == circuit)
        query = sa.select(proofs).where(waiting & ~proofs.c.alone & is_due(connection))
        query = query.where(wanted_by_just(keys)).order_by(proofs.c.priority, proofs.c.queued_at)
        query = query.limit(room)
        found = connection.execute(query.with_for_update(skip_locked=True)).all()
        wanting = wanted_by(connection, [proof.id for proof in found])
        return [proof for proof in found if wanting[proof.id] == keys]

    def held(self, claim: Claim) -> set[str]:
        """Which of the claim's proofs are still ours."""
        query = sa.select(proofs.c.id).where(proofs.c.claim == claim.token)
        with self.database.read() as connection:
            return set(connection.execute(query).scalars())

    def tokens(self) -> set[str]:
        """With which this worker holds proofs, as the database has it."""
        ours = (proofs.c.state == State.PROVING) & (proofs.c.worker == self.worker)
        query = sa.select(proofs.c.claim).where(ours & proofs.c.claim.is_not(None))
        with self.database.read() as connection:
            return set(connection.execute(query.distinct()).scalars())

    def settle(self, claim: Claim, outcome: Outcome) -> int:
        """Accept the result of each member that is still ours; how many."""
        with self.database.write() as connection:
            mine = self._with(connection, claim.token)
            for proof in mine:
                self._accept(connection, proof, outcome)
            return len(mine)

    def fail(self, claim: Claim, failure: Failure, reason: str) -> None:
        """The circuit's verdict on these inputs. A batch is taken apart instead."""
        with self.database.write() as connection:
            mine = self._with(connection, claim.token)
            for proof in mine:
                if len(claim.members) > 1:
                    requeue(connection, self.queue, proof, alone=True)
                else:
                    self._set_aside(connection, proof, State.FAILED, failure, reason)

    def crash(self, claim: Claim, failure: Failure, reason: str) -> int:
        """No proof this time: try again later, elsewhere, alone; how many proofs were still ours.
        Not for ever, unless it was trouble that has nothing to do with what is proven."""
        with self.database.write() as connection:
            mine = self._with(connection, claim.token)
            for proof in mine:
                if failure in BLAMELESS:
                    self._set_back(connection, proof, failure)
                else:
                    self._count_crash(connection, proof, failure, reason)
            return len(mine)

    def hand_back(self, token: str) -> int:
        """What is claimed with it, back into the queue through nobody's fault; how many."""
        with self.database.write() as connection:
            mine = self._with(connection, token)
            for proof in mine:
                place = {"queued_at": proof.queued_at, "resumes": True}
                requeue(connection, self.queue, proof, **place)
            return len(mine)

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

    def _free(self, connection: sa.Connection) -> sa.ColumnElement[bool]:
        """Not to be left to another worker that lives and can prove it."""
        theirs: set[str] = set()
        for text in connection.execute(sa.select(workers.c.circuits).where(self._others)).scalars():
            with contextlib.suppress(ValueError):  # then that worker is as good as not there
                theirs.update(json.loads(text))
        ours = proofs.c.avoid.is_(None) | (proofs.c.avoid != self.worker)
        return ours | proofs.c.circuit.not_in(sorted(theirs))

    def _take(
        self, connection: sa.Connection, proof_id: str, token: str, leader: str | None = None
    ) -> None:
        change(
            connection,
            proof_id,
            state=State.PROVING,
            claim=token,
            worker=self.worker,
            batch=leader,
            started_at=shared_clock(connection),
        )

    def _with(self, connection: sa.Connection, token: str) -> Sequence[ProofRow]:
        """What is claimed with this token, locked."""
        ours = sa.select(proofs).where(proofs.c.claim == token)
        return connection.execute(ours.order_by(proofs.c.id).with_for_update()).all()

    def _claim_of(self, connection: sa.Connection, proof: ProofRow, token: str) -> Claim:
        waited_s = shared_clock(connection) - proof.queued_at
        members = {proof.id: read_inputs(proof.inputs)}
        return Claim(token, proof.circuit, members, waited_s, proof.alone)

    def _accept(self, connection: sa.Connection, proof: ProofRow, outcome: Outcome) -> None:
        now = shared_clock(connection)
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
        count_success(connection, proof, outcome.prove_s, outcome.verify_s, now)
        end_as(connection, proof.id, State.DONE)

    def _count_crash(
        self, connection: sa.Connection, proof: ProofRow, failure: Failure, reason: str
    ) -> None:
        count_failure(connection, failure)
        crashes = proof.crashes + 1
        if crashes >= self.limits.crashes:
            reason = f"its process ended {crashes} times; last: {reason}"
            counters = {"crashes": crashes - 1}  # who asks again gets one more try
            self._set_aside(connection, proof, State.POISON, failure, reason, **counters)
            return
        values: dict[str, Any] = {
            "crashes": crashes,
            "alone": True,
            "avoid": self.worker,
            "failure": failure,
        }
        requeue(connection, self.queue, proof, delay_s=self.limits.wait_s(crashes), **values)

    def _set_back(self, connection: sa.Connection, proof: ProofRow, failure: Failure) -> None:
        """This worker will not take it while it is in trouble. What has gone first before has
        another turn, lest a proof that means trouble each time keeps others from theirs."""
        count_failure(connection, failure)
        place = {"queued_at": proof.queued_at, "resumes": not proof.resumes}
        requeue(connection, self.queue, proof, failure=failure, **place)

    def _count_death(self, connection: sa.Connection, proof: ProofRow) -> None:
        count_failure(connection, Failure.DEATH)
        deaths = proof.deaths + 1
        if deaths >= self.limits.deaths:
            reason = f"the worker that proved it died {deaths} times: set aside so that others live"
            counters = {"deaths": deaths - 1}
            self._set_aside(connection, proof, State.POISON, Failure.DEATH, reason, **counters)
            return
        # Most deaths are nobody's fault; from the second on, it may be the proof's.
        delay_s = self.limits.wait_s(deaths - 1) if deaths > 1 else 0.0
        first = deaths == 1 and proof.batch in (None, proof.id)  # of a batch, which was one turn
        values: dict[str, Any] = {"deaths": deaths, "alone": True, "resumes": first}
        requeue(connection, self.queue, proof, delay_s=delay_s, **values)

    def _set_aside(
        self,
        connection: sa.Connection,
        proof: ProofRow,
        state: State,
        failure: Failure,
        reason: str,
        **counters: int,
    ) -> None:
        if state is State.FAILED:
            count_failure(connection, failure)
        values = {"failure": failure, "reason": reason[:2000], **counters}
        end_as(connection, proof.id, state, **values)

    def _others_live(self, connection: sa.Connection, circuit: str) -> bool:
        """Whether somebody else can prove it."""
        others = self._others & workers.c.circuits.contains(circuit, autoescape=True)
        query = sa.select(sa.func.count()).select_from(workers).where(others)
        return bool(connection.execute(query).scalar_one())

    @property
    def _others(self) -> sa.ColumnElement[bool]:
        return (workers.c.state == "alive") & (workers.c.id != self.worker)

    def _leave_once(self, connection: sa.Connection, proof: ProofRow) -> None:
        """Leave it to another worker for a moment; once, lest nobody takes it."""
        delay_s, resumes = self.limits.backoff_s, proof.resumes
        requeue(connection, self.queue, proof, delay_s=delay_s, resumes=resumes, avoid=None)


def new_token() -> str:
    """A name for a claim that nobody can guess or have twice."""
    return uuid.uuid4().hex


__all__ = ["Claim", "Claims", "Limits", "Outcome", "new_token"]
