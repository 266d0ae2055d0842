"""What changes between a look at the database and the deed: whoever looks first and acts later
finds that some of what it saw is not so any more, and leaves that alone."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from tests.prover.service.worker.test_strays import runs, statuses, strand
from zkagent.prover.durable.leases import open_leases
from zkagent.prover.service.errors import NotRetried
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue import store as store_module
from zkagent.prover.service.queue.claims import Claim, Claims, Outcome
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import EngineQueue, prepare_engine
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store, end_as
from zkagent.prover.service.queue.tables import handles, proofs, workers
from zkagent.prover.service.wire.states import State
from zkagent.prover.service.worker.callback_rules import CallbackRules
from zkagent.prover.service.worker.callbacks import Callbacks
from zkagent.prover.service.worker.roster import Patience, Roster
from zkagent.prover.service.worker.strays import Strays

CIRCUIT = fake_digest("quick")
HOST = "http://127.0.0.1:9"


@dataclass
class Scene:
    """A key that has asked for a proof, a worker, and what it has claimed, if anything."""

    store: Store
    claims: Claims
    claim: Claim | None = None

    @property
    def database(self) -> Database:
        return self.store.database

    def ask(self, deadline_s: float | None = None, url: str | None = None) -> str:
        deadline = None if deadline_s is None else time.time() + deadline_s
        return self.store.submit("alice", Request(CIRCUIT, (1,), 100, deadline, url)).proof_id

    def begin(self) -> None:
        turn = self.claims.next_turn({CIRCUIT})
        assert turn
        self.claim = self.claims.claim(*turn)

    def end(self, state: State = State.DONE) -> None:
        with self.database.write() as connection:
            end_as(connection, Request(CIRCUIT, (1,)).id, state)

    def forget(self) -> None:
        self.store.cancel_for_all(Request(CIRCUIT, (1,)).id)
        assert self.store.purge(time.time() + 60) == 1

    def settle(self) -> int:
        assert self.claim
        outcome = Outcome("{}", dict.fromkeys(self.claim.members, 0), 1.0, 0.1, 1)
        return self.claims.settle(self.claim, outcome)

    @property
    def seen(self) -> tuple[str, ...]:
        """States of the proof, of the handle and of its callback."""
        columns = (proofs.c.state, handles.c.state, handles.c.callback_state)
        query = sa.select(*columns).join(handles, handles.c.proof_id == proofs.c.id)
        with self.database.read() as connection:
            row = connection.execute(query).one_or_none()
        return tuple(str(value) for value in row or ())


@pytest.fixture
def scene(store: Store, queue: ListedRuns) -> Scene:
    return Scene(store, Claims(store.database, queue, "one"))


def meanwhile(
    database: Database, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]
) -> list[object]:
    """Let this happen just before the next transaction; what came of it."""
    write, found = database.write, []

    @contextmanager
    def late() -> Iterator[sa.Connection]:
        monkeypatch.setattr(database, "write", write)
        found.append(change())
        with write() as connection:
            yield connection

    monkeypatch.setattr(database, "write", late)
    return found


def late_ask(scene: Scene) -> None:
    scene.ask(deadline_s=-1)


def taken(scene: Scene, url: str) -> list[object]:
    return list(Callbacks(scene.database, CallbackRules((HOST,), True)).take())


def ended(scene: Scene) -> None:
    scene.ask(url=f"{HOST}/")
    scene.end()


def begun(scene: Scene) -> None:
    scene.ask()
    scene.begin()


def failed(scene: Scene) -> None:
    scene.ask()
    scene.end(State.FAILED)


#: (what was, what changes, the deed, what comes of it, what is seen then).
Row = tuple[
    Callable[[Scene], object],
    Callable[[Scene], object],
    Callable[[Scene], object],
    object,
    tuple[str, ...],
]
CHANGES: dict[str, Row] = {
    "expired: renewed without a deadline": (
        late_ask,
        lambda s: s.ask(),
        lambda s: s.store.expire(),
        [],
        ("waiting", "open", "None"),
    ),
    "expired: renewed with a later one": (
        late_ask,
        lambda s: s.ask(deadline_s=60),
        lambda s: s.store.expire(),
        [],
        ("waiting", "open", "None"),
    ),
    "expired: given up": (
        late_ask,
        lambda s: s.store.cancel("alice", Request(CIRCUIT, (1,)).id),
        lambda s: s.store.expire(),
        [],
        ("cancelled", "cancelled", "None"),
    ),
    "expired: forgotten": (late_ask, Scene.forget, lambda s: s.store.expire(), [], ()),
    "forgotten: begun again": (
        failed,
        lambda s: s.store.retry(Request(CIRCUIT, (1,)).id),
        lambda s: s.store.purge(time.time() + 60),
        0,
        ("waiting", "open", "None"),
    ),
    "settled: given up": (
        begun,
        lambda s: s.store.cancel("alice", Request(CIRCUIT, (1,)).id),
        Scene.settle,
        0,
        ("cancelled", "cancelled", "None"),
    ),
    "claimed: given up": (
        Scene.ask,
        lambda s: s.store.cancel("alice", Request(CIRCUIT, (1,)).id),
        lambda s: s.claims.claim(*(s.claims.next_turn({CIRCUIT}) or ("", 0))),
        None,
        ("cancelled", "cancelled", "None"),
    ),
    "called back: taken by another": (
        ended,
        lambda s: taken(s, HOST),
        lambda s: taken(s, HOST),
        [],
        ("done", "done", "waiting"),
    ),
    "called back: asked again without one": (
        ended,
        lambda s: s.ask(),
        lambda s: taken(s, HOST),
        [],
        ("done", "done", "waiting"),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_not_so_any_more_is_left_alone(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before, change, deed, outcome, seen = CHANGES[name]
    before(scene)
    happened = meanwhile(scene.database, monkeypatch, lambda: change(scene))
    assert deed(scene) == outcome
    assert (len(happened), scene.seen) == (1, seen)


def test_what_is_done_by_now_is_not_tried_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed(scene)

    def prove() -> None:
        scene.ask()
        scene.store.retry(Request(CIRCUIT, (1,)).id)
        scene.begin()
        scene.settle()

    meanwhile(scene.database, monkeypatch, prove)
    with pytest.raises(NotRetried):
        scene.store.retry(Request(CIRCUIT, (1,)).id)
    assert scene.seen == ("done", "done", "None")


def test_who_gives_a_proof_up_while_it_is_called_back_is_told_nothing(scene: Scene) -> None:
    scene.ask(url=f"{HOST}/")
    scene.end(State.POISON)
    calls = Callbacks(scene.database, CallbackRules((HOST,), True))
    (message,) = calls.take()
    scene.store.submit("bob", Request(CIRCUIT, (1,)))
    scene.store.cancel("alice", message.proof_id)
    scene.end()
    assert calls._body(message) is None


@pytest.mark.parametrize("moved", [True, False])
def test_who_lives_after_all_is_not_buried(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    now = [0.0]
    leases = open_leases(scene.database)
    theirs = Roster(scene.database, leases, "one", Patience())
    ours = Roster(scene.database, leases, "two", Patience(), lambda: now[0])
    theirs.join(1)
    try:
        begun(scene)
        assert ours.bury(scene.claims, lambda _: 0) == []
        now[0] = 60.0
        meanwhile(scene.database, monkeypatch, lambda: theirs.beat([]) if moved else None)
        assert ours.bury(scene.claims, lambda _: 0) == ([] if moved else ["one"])
        assert scene.seen[0] == ("proving" if moved else "waiting")
        with scene.database.read() as connection:
            state = connection.execute(sa.select(workers.c.state)).scalar_one()
        assert state == ("alive" if moved else "dead")
    finally:
        leases.close()


def test_who_comes_back_while_it_is_buried_lives(scene: Scene) -> None:
    leases = open_leases(scene.database)
    theirs = Roster(scene.database, leases, "one", Patience())
    theirs.join(1)
    now = [0.0]
    ours = Roster(scene.database, leases, "two", Patience(), lambda: now[0])
    try:
        ours.bury(scene.claims, lambda _: 0)
        now[0] = 60.0
        ours.bury(scene.claims, lambda _: theirs.beat([]) or 0)
        assert ours.living() == {"one"}
    finally:
        leases.close()


@pytest.mark.parametrize("change", [{"status": "SUCCESS"}, {"executor_id": "another"}])
def test_a_run_that_has_ended_or_is_anothers_by_now_is_not_put_back(
    database: Database, monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    prepare_engine(database)
    queue = EngineQueue(database)
    leases = open_leases(database)
    roster, now = Roster(database, leases, "me", Patience()), [0.0]
    try:
        roster.join(1)
        name = Store(database, queue).submit("alice", Request(CIRCUIT, (1,))).proof_id
        strand(database, name, "me")
        strays = Strays(queue, roster, "me", list, lambda: now[0])
        strays.put_back()
        now[0] = 60.0
        put_back = queue.put_back

        def late(run: str, worker: str) -> None:
            with database.write() as connection:
                connection.execute(sa.update(runs(database)).values(change))
            put_back(run, worker)

        monkeypatch.setattr(queue, "put_back", late)
        strays.put_back()
        assert statuses(database) == {change.get("status", "PENDING"): 1}
    finally:
        queue.close()
        leases.close()


def test_what_is_forgotten_while_all_of_a_keys_is_given_up_is_nothing_to_give_up(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not scene.database.is_postgres:
        pytest.skip("beside a file there is one transaction at a time")
    scene.ask()
    lock = store_module.lock_if_there

    def late(connection: sa.Connection, proof_id: str) -> store_module.ProofRow | None:
        monkeypatch.setattr(store_module, "lock_if_there", lock)
        scene.forget()
        return lock(connection, proof_id)

    monkeypatch.setattr(store_module, "lock_if_there", late)
    assert scene.store.cancel_of_key("alice") == []
