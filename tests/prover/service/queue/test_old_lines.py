"""Lines that grew old while nobody could prove their circuit: their age is worth one turn."""

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.floor import Floor, unsynced
from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claim, Claims
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request, write_inputs
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.wire.states import Failure

CIRCUITS = [fake_digest(f"circuit {number}") for number in range(3)]
PAUSED, WELL, OTHER = CIRCUITS


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = unsynced(f"sqlite:///{tmp_path}/service.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def floor(store: Store) -> Floor:
    return Floor(store)


@pytest.fixture
def paused(floor: Floor) -> Floor:
    """A circuit with a line of 20 that nobody has while others begin 30 turns."""
    floor.ask("old", 20, PAUSED)
    floor.ask("busy", 40, WELL)
    assert floor.prove(30, {WELL}) == ["busy"] * 30
    return floor


def test_a_line_that_could_not_be_proven_gets_one_turn_for_its_age(paused: Floor) -> None:
    paused.ask("new", 5, WELL)
    order = paused.prove(16, {PAUSED, WELL})
    assert Counter(order) == {"old": 6, "busy": 5, "new": 5}
    for start in range(1, 16, 3):
        assert set(order[start : start + 3]) == {"old", "busy", "new"}


def test_its_proofs_keep_their_order(paused: Floor) -> None:
    with paused.store.database.read() as connection:
        query = sa.select(proofs.c.id).where(proofs.c.circuit == PAUSED)
        asked = list(connection.execute(query.order_by(proofs.c.turn)).scalars())
    begun: list[str] = []
    while len(begun) < 20:
        claim = paused.begin({PAUSED, WELL})
        begun += claim.members if claim.circuit == PAUSED else ()
    assert begun == asked


def test_several_circuits_that_come_back_are_not_worth_a_turn_each(floor: Floor) -> None:
    for circuit in (PAUSED, OTHER):
        floor.ask("old", 10, circuit)
    floor.ask("busy", 40, WELL)
    floor.prove(30, {WELL})
    made = Counter(floor.prove(9, CIRCUITS))
    assert made == {"old": 5, "busy": 4}


def test_who_keeps_a_line_there_has_no_share_of_it_after_a_second_pause(paused: Floor) -> None:
    paused.prove(4, {PAUSED, WELL})
    paused.ask("busy", 20, WELL)
    paused.prove(20, {WELL})
    assert Counter(paused.prove(7, {PAUSED, WELL})) == {"old": 4, "busy": 3}


def queue_at_once(database: Database, key: str, count: int, circuit: str) -> None:
    """As if each had been asked for on its own, which takes longer."""
    row = {"circuit": circuit, "state": "waiting", "priority": 100, "payer": key}
    with database.write() as connection:
        rows = [
            row
            | {"id": f"{key} {turn}", "inputs": write_inputs((turn,)), "turn": turn}
            | {"created_at": 0.0, "queued_at": turn * 1e-4}
            for turn in range(count)
        ]
        connection.execute(sa.insert(proofs), rows)


@contextmanager
def written(database: Database) -> Iterator[Counter[str]]:
    """How many rows are written to, by statements that begin alike."""
    rows: Counter[str] = Counter()

    def count(_: object, cursor: sqlite3.Cursor, statement: str, *__: object) -> None:
        if cursor.rowcount > 0:
            rows[statement[:6]] += cursor.rowcount

    sa.event.listen(database.engine, "after_cursor_execute", count)
    yield rows
    sa.event.remove(database.engine, "after_cursor_execute", count)


def test_a_claim_beside_a_long_line_writes_few_rows_however_often_it_grows_old(
    floor: Floor, database: Database
) -> None:
    queue_at_once(database, "long", 10_000, PAUSED)
    floor.ask("other", 4, PAUSED)
    made = []
    for _ in range(4):
        floor.ask("long", 1, WELL)
        assert floor.prove(1, {WELL}) == ["long"]  # after its whole line, which is old now
        with written(database) as rows:
            claim = floor.begin({PAUSED, WELL})
        assert 1 <= rows.total() <= 20, rows
        made.append(floor.end(claim))
    assert made == ["other"] * 4
    assert floor.prove(2, {PAUSED, WELL}) == ["long"] * 2


WISH = Request(PAUSED, (7, 7, 7, 7))


def place(store: Store) -> str:
    """Who pays for WISH."""
    with store.database.read() as connection:
        query = sa.select(proofs.c.payer).where(proofs.c.id == WISH.id)
        return str(connection.execute(query).scalar_one())


def test_an_old_line_that_names_anothers_proof_does_not_delay_it(paused: Floor) -> None:
    paused.store.submit("old", WISH)
    paused.ask("few", 1, WELL)
    paused.store.submit("few", WISH)
    assert place(paused.store) == "few"
    paused.store.submit("old", Request(PAUSED, (8, 8, 8, 8)))
    order = paused.prove(8, {PAUSED, WELL})
    assert order.count("few") == 2


def test_an_old_line_that_names_it_later_neither(paused: Floor) -> None:
    paused.ask("few", 2, WELL)
    paused.store.submit("few", WISH)
    paused.store.submit("old", WISH)
    assert place(paused.store) == "few"


def test_a_batch_is_turns_of_its_key_and_makes_nobodys_line_old(
    floor: Floor, queue: ListedRuns
) -> None:
    floor.ask("batch", 20, WELL)
    floor.ask("many", 20, WELL)
    worker = Claims(floor.store.database, queue, "one")
    assert len(worker.join(floor.begin({WELL}), 7).members) == 8
    assert floor.prove(10, {WELL}) == ["many"] * 8 + ["batch", "many"]


def test_a_batch_of_an_old_line_is_as_many_turns(paused: Floor, queue: ListedRuns) -> None:
    worker = Claims(paused.store.database, queue, "one")
    assert len(worker.join(paused.begin({PAUSED}), 3).members) == 4
    assert paused.prove(4, {PAUSED, WELL}) == ["busy"] * 3 + ["old"]


@pytest.mark.parametrize("how", ["back", "memory", "death"])
def test_what_is_handed_back_has_had_its_turn(floor: Floor, how: str) -> None:
    floor.ask("unlucky", 4, WELL)
    floor.ask("busy", 20, WELL)
    worker = Claims(floor.store.database, floor.store.queue, "one")
    claims = [floor.begin({WELL}) for _ in range(4)]
    for claim in claims[1::2]:
        assert floor.end(claim) == "busy"
    for claim in claims[::2]:
        give_back(worker, claim, how)
    order = floor.prove(6, {WELL})
    assert order[:2] == ["unlucky"] * 2
    assert Counter(order[2:]) == {"unlucky": 2, "busy": 2}


def give_back(worker: Claims, claim: Claim, how: str) -> None:
    if how == "back":
        worker.hand_back(claim.token)
    elif how == "memory":
        worker.crash(claim, Failure.DISK, "full")
    else:
        with worker.database.write() as connection:
            worker.release_dead(connection, worker.worker)


@pytest.mark.parametrize("seed", range(2))
def test_whatever_could_not_be_proven_meanwhile_a_newcomer_waits_for_one_proof_of_each_key(
    floor: Floor, seed: int
) -> None:
    chance = random.Random(seed)
    able = set(CIRCUITS)
    for step in range(42):
        if chance.random() < 0.5:
            floor.ask(f"key {chance.randrange(3)}", chance.randrange(1, 6), chance.choice(CIRCUITS))
        if chance.random() < 0.2:
            able = set(chance.sample(CIRCUITS, chance.randrange(1, 4)))
        if any(floor.line(circuit) for circuit in able):
            floor.end(floor.begin(able))
        if step % 6 == 5:
            circuit, key = chance.choice(CIRCUITS), f"newcomer {step}"
            floor.ask(key, 1, circuit)
            able = {circuit, *chance.sample(CIRCUITS, chance.randrange(0, 3))}
            before: Counter[str] = Counter()
            while (whose := floor.end(floor.begin(able))) != key:
                before[whose] += 1
            assert max(before.values(), default=0) <= 1, (step, before)
