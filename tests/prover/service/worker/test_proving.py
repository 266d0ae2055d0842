"""What becomes of an attempt, by the kind of its failure; with a prover that does as it is told."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.circuits.artifacts import Proof
from zkagent.circuits.errors import CircuitOutdated, InputRefused
from zkagent.prover.errors import ProofFailed, ProofFalse, ProofTimedOut, ProverCrashed
from zkagent.prover.local import Measurement
from zkagent.prover.service.errors import CircuitUnknown
from zkagent.prover.service.fakes.catalogue import (
    FakeCatalogue,
    fake_digest,
    fake_outputs,
    fake_proof,
)
from zkagent.prover.service.queue.claims import Claim, Claims, Limits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.queue.wake import Listener
from zkagent.prover.service.wire.states import State
from zkagent.prover.service.worker.batching import Batching, BatchSettings
from zkagent.prover.service.worker.pool import Pool
from zkagent.prover.service.worker.proving import Proving

WANTED = Request(fake_digest("quick"), (1, 2, 3, 4))


@dataclass
class Told:
    """A prover that raises, or proves."""

    circuit: str
    error: Exception | None
    last: Measurement | None = None
    pid: int | None = None

    def prove(self, x: Sequence[int]) -> Proof:
        if self.error:
            raise self.error
        self.last = Measurement(0.1, 0.01, 1)
        y = fake_outputs(self.circuit, x)
        return Proof(self.circuit, tuple(x), y, fake_proof(self.circuit, x, y))

    def close(self) -> None:
        pass


class NoWake:
    """Nobody listens."""

    def send(self, topic: str, subject: str = "") -> None:
        pass

    def listen(self, listener: Listener) -> None:
        pass

    def close(self) -> None:
        pass


def proving(store: Store, catalogue: FakeCatalogue, error: Exception | None = None) -> Proving:
    claims = Claims(store.database, store.queue, "one", Limits(crashes=3, backoff_s=0))
    pool = Pool(lambda circuit: Told(circuit, error), 1)
    return Proving(claims, catalogue, pool, Batching(BatchSettings(), claims.join), NoWake())


def row(database: Database) -> sa.Row[tuple[object, ...]]:
    with database.read() as connection:
        return connection.execute(sa.select(proofs).where(proofs.c.id == WANTED.id)).one()


AGAIN = {
    "crash": ProverCrashed("signal SIGKILL", ""),
    "timeout": ProofTimedOut(1.0),
    "circuit": CircuitUnknown("x", []),
}
NEVER = {
    "input": InputRefused("3 is too large"),
    "engine": ProofFailed("no witness"),
}


@pytest.mark.parametrize("kind", AGAIN)
def test_what_may_succeed_elsewhere_is_tried_again_and_not_for_ever(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns, kind: str
) -> None:
    store.submit("alice", WANTED)
    runs = proving(store, catalogue, AGAIN[kind])
    for tries in (1, 2, 3):
        assert (row(store.database).state, row(store.database).crashes) == ("waiting", tries - 1)
        runs.run(WANTED.id, queue.runs[-1].generation)
    assert (row(store.database).state, row(store.database).failure) == (State.POISON, kind)


@pytest.mark.parametrize("kind", NEVER)
def test_what_would_fail_again_is_never_tried_again(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns, kind: str
) -> None:
    store.submit("alice", WANTED)
    proving(store, catalogue, NEVER[kind]).run(WANTED.id, 1)
    assert (row(store.database).state, row(store.database).failure) == (State.FAILED, kind)
    assert len(queue.runs) == 1


def test_a_false_proof_and_an_outdated_circuit_are_told_apart(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    proving(store, catalogue, CircuitOutdated("c", "ezkl 1", "ezkl 2")).run(WANTED.id, 1)
    assert row(store.database).state == State.WAITING
    false = ProofFalse(WANTED.circuit, "does not verify")
    proving(store, catalogue, false).run(WANTED.id, queue.runs[-1].generation)
    assert (row(store.database).state, row(store.database).failure) == (State.FAILED, "engine")


def test_a_bug_of_ours_does_not_lose_the_proof(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    proving(store, catalogue, MemoryError()).run(WANTED.id, 1)
    assert row(store.database).state == State.WAITING
    proving(store, catalogue).run(WANTED.id, queue.runs[-1].generation)
    assert row(store.database).state == State.DONE


def test_claims_that_failed_to_settle_are_all_handed_back_while_others_join_them(
    store: Store, catalogue: FakeCatalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = proving(store, catalogue)
    claims = [Claim(token, WANTED.circuit, {}, 0.0, False) for token in "abc"]
    handed: list[str] = []

    def hand_back(claim: Claim) -> None:
        handed.append(claim.token)
        if len(handed) == 1:
            runs._unsettled.append(claims[2])  # another slot's, in the meantime

    monkeypatch.setattr(runs._claims, "hand_back", hand_back)
    runs._unsettled += claims[:2]
    runs.drop_lost()
    assert set(handed) == {"a", "b", "c"}


def test_who_leaves_begins_nothing_and_hands_it_back(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    leaving = proving(store, catalogue)
    leaving.begin_no_more()
    leaving.run(WANTED.id, 1)
    found = row(store.database)
    assert (found.state, found.generation, found.crashes, found.deaths) == ("waiting", 2, 0, 0)
    assert [run.generation for run in queue.runs] == [1, 2]
    proving(store, catalogue).run(WANTED.id, 2)
    assert row(store.database).state == State.DONE
