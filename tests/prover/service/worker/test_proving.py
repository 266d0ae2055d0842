"""What becomes of an attempt, by the kind of its failure; with a prover that does as it is told."""

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from tests.support.fleet import eventually
from zkagent.circuits.artifacts import Proof
from zkagent.circuits.errors import ArtifactCorrupted, CircuitOutdated, InputRefused
from zkagent.prover.errors import ProofFalse, ProofTimedOut, ProverCrashed, ProverTroubled
from zkagent.prover.local import Measurement
from zkagent.prover.service.catalogue.catalogue import Card
from zkagent.prover.service.errors import CircuitUnknown
from zkagent.prover.service.fakes.catalogue import (
    FakeCatalogue,
    fake_digest,
    fake_outputs,
    fake_proof,
)
from zkagent.prover.service.queue.claims import Claims, Limits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import proofs, results, tallies
from zkagent.prover.service.queue.wake import Listener
from zkagent.prover.service.wire.states import Cause, State
from zkagent.prover.service.worker import proving as proving_module
from zkagent.prover.service.worker.batching import Batching, BatchSettings
from zkagent.prover.service.worker.pool import Pool, Slot
from zkagent.prover.service.worker.proving import Proving
from zkagent.prover.service.worker.troubles import Troubles

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
    batching = Batching(BatchSettings(), claims.join)
    troubles = Troubles(catalogue.offered, least_free_bytes=0, clock=lambda: 0.0)
    return Proving(claims, catalogue, pool, batching, wake=NoWake(), troubles=troubles)


def row(database: Database) -> sa.Row[tuple[object, ...]]:
    with database.read() as connection:
        return connection.execute(sa.select(proofs).where(proofs.c.id == WANTED.id)).one()


AGAIN = {
    "crash": ProverCrashed("signal SIGKILL", ""),
    "timeout": ProofTimedOut(1.0),
    "engine": ProverTroubled("engine", "ezkl failed to prove: no witness"),
    "false": ProofFalse(WANTED.circuit, "does not verify"),
    "bug": MemoryError(),
}
KINDS = {"false": "engine", "bug": "crash"}
BLAMELESS = {
    "disk": ProverTroubled("disk", "No space left on device"),
    "no library": ProverTroubled("prover", "groth16py is not installed"),
    "keys": ProverTroubled("keys", "circuit.pk is damaged"),
    "damaged": ArtifactCorrupted(Path("circuit.pk"), "it is missing"),
    "unreadable": PermissionError(13, "Permission denied", "circuit.pk"),
    "failing": OSError(5, "Input/output error", "circuit.pk"),
    "circuit": CircuitUnknown("x", []),
    "outdated": CircuitOutdated("c", "ezkl 1", "ezkl 2"),
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
    expected = (State.POISON, KINDS.get(kind, kind))
    assert (row(store.database).state, row(store.database).failure) == expected


def test_only_the_circuits_refusal_of_an_input_is_final(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    proving(store, catalogue, InputRefused("3 is too large")).run(WANTED.id, 1)
    assert (row(store.database).state, row(store.database).failure) == (State.FAILED, "input")
    assert len(queue.runs) == 1


@pytest.mark.parametrize("kind", BLAMELESS)
def test_trouble_of_the_machine_never_sets_a_proof_aside_and_it_is_made_after_the_repair(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns, kind: str
) -> None:
    store.submit("alice", WANTED)
    for _ in range(20):
        proving(store, catalogue, BLAMELESS[kind]).run(WANTED.id, queue.runs[-1].generation)
        found = row(store.database)
        assert (found.state, found.crashes, found.deaths) == (State.WAITING, 0, 0)
    proving(store, catalogue).run(WANTED.id, queue.runs[-1].generation)
    assert row(store.database).state == State.DONE


def test_a_worker_in_trouble_leaves_the_circuit_alone_and_its_turn_to_others(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    troubled = proving(store, catalogue, BLAMELESS["keys"])
    troubled.run(WANTED.id, 1)
    before = row(store.database)
    for _ in range(20):
        troubled.run(WANTED.id, before.generation)
    assert row(store.database) == before
    assert [run.generation for run in queue.runs] == [1, before.generation]
    proving(store, catalogue).run(WANTED.id, before.generation)
    assert row(store.database).state == State.DONE


DENIED = PermissionError(13, "Permission denied", "circuit.json")
BUGS = {"disk": OSError(5, "Input/output error"), "bug": ZeroDivisionError(), "key": KeyError("x")}


@dataclass(frozen=True)
class Unreadable(FakeCatalogue):
    """A file of the one circuit cannot be read; those of others can."""

    error: Exception = DENIED

    def card(self, digest: str) -> Card:
        if digest == WANTED.circuit:
            raise self.error
        return super().card(digest)


def test_a_circuit_that_a_worker_cannot_read_is_its_trouble_and_nobody_elses(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns
) -> None:
    """It lets go of the proof at once, names the trouble, proves what it can and claims that
    circuit no more; a healthy worker makes the proof."""
    other = Request(fake_digest("slow"), (1, 2, 3, 4))
    troubled = proving(store, Unreadable(catalogue.folder, catalogue.seconds))
    store.submit("alice", WANTED)
    troubled.run(WANTED.id, 1)
    before = row(store.database)
    assert (before.state, before.crashes, before.deaths) == (State.WAITING, 0, 0)
    assert (troubled.drop_lost(), troubled.count) == (0, 0)
    (trouble,) = troubled._troubles.list()
    assert (trouble.cause, "Permission denied" in trouble.detail) == (Cause.KEYS, True)
    assert WANTED.circuit not in troubled._troubles.able()
    for _ in range(5):
        troubled.run(WANTED.id, before.generation)
    store.submit("alice", other)
    troubled.run(other.id, 1)
    assert row(store.database) == before
    with store.database.read() as connection:
        done = connection.execute(sa.select(proofs.c.state).where(proofs.c.id == other.id))
        assert done.scalar_one() == State.DONE
    proving(store, catalogue).run(WANTED.id, before.generation)
    assert row(store.database).state == State.DONE


@pytest.mark.parametrize("kind", BUGS)
def test_whatever_goes_wrong_with_a_circuit_no_claim_is_left_behind(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns, kind: str
) -> None:
    store.submit("alice", WANTED)
    unread = Unreadable(catalogue.folder, catalogue.seconds, error=BUGS[kind])
    proving(store, unread).run(WANTED.id, 1)
    assert row(store.database).state == State.WAITING
    assert [run.generation for run in queue.runs] == [1, row(store.database).generation]


def test_what_the_circuits_say_of_themselves_is_a_trouble_of_the_worker() -> None:
    troubles = Troubles(frozenset, least_free_bytes=0, keys=lambda: ["circuit 12: cut"])
    (trouble,) = troubles.list()
    assert (trouble.cause, trouble.detail) == (Cause.KEYS, "circuit 12: cut")


def test_a_bug_of_ours_does_not_lose_the_proof(
    store: Store, catalogue: FakeCatalogue, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    proving(store, catalogue, MemoryError()).run(WANTED.id, 1)
    assert row(store.database).state == State.WAITING
    proving(store, catalogue).run(WANTED.id, queue.runs[-1].generation)
    assert row(store.database).state == State.DONE


def lose_answer(database: Database, monkeypatch: pytest.MonkeyPatch, which: int) -> list[int]:
    """The connection breaks between this COMMIT, counted from 0, and its answer; all that were."""
    whole, count = database.write, []

    @contextmanager
    def write() -> Iterator[sa.Connection]:
        with whole() as connection:
            yield connection
        count.append(len(count))
        if count[-1] == which:
            raise sa.exc.OperationalError("COMMIT", {}, Exception("the connection broke"))

    monkeypatch.setattr(database, "write", write)
    return count


@pytest.mark.parametrize("which", range(3))
def test_a_transaction_whose_answer_was_lost_and_that_was_kept_loses_and_doubles_nothing(
    store: Store,
    catalogue: FakeCatalogue,
    queue: ListedRuns,
    monkeypatch: pytest.MonkeyPatch,
    which: int,
) -> None:
    """Of a claim, of finding company, of the settlement."""
    other = replace(WANTED, inputs=(9, 9, 9, 9))
    for request in (WANTED, other):
        store.submit("alice", request)
    batches = replace(catalogue, capacities=(2,))
    runs = proving(store, batches)
    count = lose_answer(store.database, monkeypatch, which)
    runs.run(WANTED.id, 1)
    assert count == [0, 1, 2, 3]
    with store.database.read() as connection:
        assert connection.execute(sa.select(proofs.c.state)).scalars().all() == ["done"] * 2
        assert connection.execute(sa.select(results.c.position)).scalars().all() == [0, 1]
        counted = sa.select(sa.func.sum(tallies.c.value)).where(tallies.c.label.like("proving:%"))
        assert connection.execute(counted).scalar_one() == 2


@pytest.mark.parametrize("which", [0, 1])
def test_what_the_database_says_is_ours_and_nobody_has_in_hand_is_handed_back(
    store: Store,
    catalogue: FakeCatalogue,
    queue: ListedRuns,
    monkeypatch: pytest.MonkeyPatch,
    which: int,
) -> None:
    """The claim was kept, or the settlement was not, and nobody waited until they could tell."""
    store.submit("alice", WANTED)
    runs = proving(store, catalogue)
    with monkeypatch.context() as broken:
        broken.setattr(proving_module, "patiently", lambda action: action())
        if which == 0:
            lose_answer(store.database, broken, 0)
        else:
            broken.setattr(runs._claims, "settle", lambda *_: 1 / 0)
        with pytest.raises((sa.exc.OperationalError, ZeroDivisionError)):
            runs.run(WANTED.id, 1)
    assert row(store.database).state == State.PROVING
    assert runs.drop_lost() == 0
    assert (row(store.database).state, row(store.database).crashes) == (State.WAITING, 0)
    runs.run(WANTED.id, queue.runs[-1].generation)
    assert row(store.database).state == State.DONE


def test_what_is_in_hand_is_not_handed_back(
    store: Store, catalogue: FakeCatalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.submit("alice", WANTED)
    runs, looked = proving(store, catalogue), []
    for name in ("claim", "settle"):
        whole = getattr(runs._claims, name)

        def beaten(*words: object, whole: Callable[..., object] = whole) -> object:
            looked.append(runs.drop_lost())
            found = whole(*words)
            looked.append(runs.drop_lost())
            return found

        monkeypatch.setattr(runs._claims, name, beaten)
    runs.run(WANTED.id, 1)
    assert looked == [0] * 4
    assert (row(store.database).state, row(store.database).generation) == (State.DONE, 1)


@dataclass
class Gated(Told):
    """Proves when it is let go."""

    gates: dict[tuple[int, ...], threading.Event] = field(default_factory=dict)

    def prove(self, x: Sequence[int]) -> Proof:
        assert self.gates[tuple(x)].wait(600)
        return super().prove(x)


@pytest.mark.parametrize("which", ["drop_lost", "hand_back"])
def test_no_child_is_ended_that_has_come_to_another_proof_since_we_looked(
    store: Store, catalogue: FakeCatalogue, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    two = (WANTED, replace(WANTED, inputs=(9, 9, 9, 9)))
    gates = {request.inputs: threading.Event() for request in two}
    runs = proving(store, catalogue)
    runs._pool = Pool(lambda circuit: Gated(circuit, None, gates=gates), 1)
    handed: set[object] = set()
    killed: list[str] = []

    def kill(slot: Slot) -> None:
        killed.extend(token for token in runs._running if token not in handed)
        for gate in gates.values():
            gate.set()

    def begin() -> None:
        for request in two:
            store.submit("alice", request)
            runs.run(request.id, 1)

    monkeypatch.setattr(Slot, "kill", kill)
    name = "tokens" if which == "drop_lost" else "hand_back"
    answer, thread = getattr(runs._claims, name), threading.Thread(target=begin)
    thread.start()
    eventually(lambda: runs.count)
    (first,) = runs._running

    def late(*words: object) -> object:
        """The first one ends between the look and the deed, and the second one begins."""
        gates[WANTED.inputs].set()
        eventually(lambda: runs.count and first not in runs._running)
        handed.update(words)
        return answer(*words)

    monkeypatch.setattr(runs._claims, name, late)
    getattr(runs, which)()
    gates[two[1].inputs].set()
    thread.join(600)
    assert killed == []


def test_a_child_that_was_ended_when_it_had_answered_makes_no_other_proof() -> None:
    made: list[Told] = []
    closed: list[Told] = []

    class Closing(Told):
        """Answers, and is ended before anybody has seen that."""

        def prove(self, x: Sequence[int]) -> Proof:
            proof = super().prove(x)
            self.pid = child.pid
            slot.kill()
            return proof

        def close(self) -> None:
            closed.append(self)

    def open_one(circuit: str) -> Told:
        made.append(Closing(circuit, None))
        return made[-1]

    slot = Slot(open_one, 1)
    with subprocess.Popen(["sleep", "60"]) as child:
        slot.prove(WANTED.circuit, WANTED.inputs)
    assert child.returncode == -signal.SIGKILL
    assert closed == made != []
    slot.kill()  # it is at nothing now


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
