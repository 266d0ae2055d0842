"""The line where workers are not alike: each circuit's own may be far behind the others, and keys
take turns in every one of them."""

import json
import random
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claim, Claims, Outcome
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.line import ORDER
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import proofs, workers
from zkagent.prover.service.wire.states import State

QUICK, SLOW = fake_digest("quick"), fake_digest("slow")
BOTH = {QUICK, SLOW}


class Floor:
    """Keys that ask and workers that prove, one proof at a time."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._asked = 0

    def ask(self, key: str, count: int, circuit: str = SLOW) -> None:
        for _ in range(count):
            self._asked += 1
            self.store.submit(key, Request(circuit, (self._asked,)))

    def begin(self, able: Collection[str]) -> Claim:
        worker = Claims(self.store.database, self.store.queue, "one")
        turn = worker.next_turn(able)
        assert turn
        claim = worker.claim(*turn, able)
        assert claim
        return claim

    def end(self, claim: Claim) -> str:
        """Whose it was."""
        worker = Claims(self.store.database, self.store.queue, "one")
        payer = self.payer(claim)
        outcome = Outcome("{}", dict.fromkeys(claim.members, 0), 1.0, 0.1, 1)
        assert worker.settle(claim, outcome) == len(claim.members)
        return payer

    def prove(self, count: int, able: Collection[str]) -> list[str]:
        """Whose proofs a worker made."""
        return [self.end(self.begin(able)) for _ in range(count)]

    def payer(self, claim: Claim) -> str:
        query = sa.select(proofs.c.payer).where(proofs.c.claim == claim.token)
        with self.store.database.read() as connection:
            return str(connection.execute(query.limit(1)).scalar_one())

    def line(self, circuit: str) -> list[str]:
        """Whose proofs of this circuit wait, in their order."""
        ours = (proofs.c.state == State.WAITING) & (proofs.c.circuit == circuit)
        query = sa.select(proofs.c.payer).where(ours).order_by(*ORDER)
        with self.store.database.read() as connection:
            return list(connection.execute(query).scalars())


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Beside a file: what is asked here of a database is asked of Postgres in test_line.py."""
    opened = Database(f"sqlite:///{tmp_path}/service.sqlite")
    opened.prepare()
    yield opened
    opened.close()


@pytest.fixture
def floor(store: Store) -> Floor:
    return Floor(store)


@pytest.fixture
def behind(floor: Floor) -> Floor:
    """A slow circuit that one worker has, whose line is many turns behind the quick one's, which
    another worker goes through meanwhile."""
    floor.ask("many", 12, SLOW)
    floor.ask("quick", 30, QUICK)
    floor.begin({SLOW})
    floor.prove(20, {QUICK})
    floor.begin({QUICK})
    return floor


def test_a_long_line_delays_anothers_first_one_by_one_however_far_other_circuits_are(
    behind: Floor,
) -> None:
    behind.ask("few", 3)
    assert behind.prove(6, {SLOW}) == ["many", "few"] * 3


def test_keys_take_turns_to_the_end_of_a_line_that_is_behind_and_after_it(behind: Floor) -> None:
    behind.ask("few", 16)
    behind.ask("many", 5)
    order = behind.prove(32, {SLOW})
    assert order[:22] == ["many", "few"] * 11
    assert order[22:] == ["few", "many"] * 5


def test_who_comes_where_others_are_behind_gets_no_further_to_the_front_than_they(
    behind: Floor,
) -> None:
    behind.ask("few", 60)
    made = Counter(behind.prove(40, BOTH))
    assert made["few"] == 11 + made["quick"]


def test_a_line_that_is_spread_over_circuits_has_one_share_of_who_proves_them_all(
    floor: Floor,
) -> None:
    names = [fake_digest(f"circuit {number}") for number in range(5)]
    for _ in range(4):
        for name in names:
            floor.ask("spread", 1, name)
    floor.ask("one", 20, QUICK)
    assert Counter(floor.prove(20, {*names, QUICK})) == {"spread": 10, "one": 10}
    for name in names:
        floor.ask("spread", 1, name)
    assert Counter(floor.prove(20, {*names, QUICK})) == {"spread": 10, "one": 10}


def test_a_batch_that_is_proven_ahead_sends_nobody_to_the_end_of_the_line(
    floor: Floor, queue: ListedRuns
) -> None:
    floor.ask("batch", 12)
    floor.ask("many", 12)
    worker = Claims(floor.store.database, queue, "one")
    assert len(worker.join(floor.begin({SLOW}), 11).members) == 12
    floor.ask("few", 2)
    assert floor.line(SLOW)[:4] == ["many", "few"] * 2


def employ(database: Database, **circuits: Collection[str]) -> None:
    """Workers that live, and what they can prove."""
    with database.write() as connection:
        for name, able in circuits.items():
            row = {"id": name, "host": "here", "pid": 1, "slots": 1, "state": "alive"}
            row |= {"started_at": 0, "seen_at": 0, "circuits": json.dumps(sorted(able))}
            connection.execute(sa.insert(workers).values(row))


@pytest.mark.parametrize("together", [False, True])
def test_a_long_line_counts_for_other_circuits_where_a_worker_has_both(
    floor: Floor, database: Database, together: bool
) -> None:
    employ(database, one={QUICK}, two=BOTH if together else {SLOW}, gone=())
    floor.ask("many", 20, QUICK)
    floor.ask("other", 4)
    floor.begin({SLOW})
    floor.ask("many", 3)
    expected = ["other"] * 3 + ["many"] * 3 if together else ["many", "other"] * 3
    assert floor.line(SLOW) == expected


def test_what_a_worker_says_of_itself_that_nobody_can_read_keeps_nobody_from_asking(
    floor: Floor, database: Database
) -> None:
    employ(database, one={SLOW})
    with database.write() as connection:
        connection.execute(sa.update(workers).values(circuits=f'["{SLOW}'))
    floor.ask("many", 2)
    assert floor.line(SLOW) == ["many"] * 2


@pytest.mark.parametrize("seed", range(2))
def test_whatever_was_asked_and_proven_a_newcomer_waits_for_one_proof_of_each_key(
    floor: Floor, seed: int
) -> None:
    chance = random.Random(seed)
    circuits = [fake_digest(f"circuit {number}") for number in range(3)]
    running: list[Claim] = []
    for step in range(60):
        if chance.random() < 0.3:
            floor.ask(f"key {chance.randrange(3)}", chance.randrange(1, 6), chance.choice(circuits))
        (common,) = chance.choices(circuits, [1, 4, 16])  # so that one is left behind
        able = {common, chance.choice(circuits[1:])}
        if any(floor.line(circuit) for circuit in able):
            running.append(floor.begin(able))
        if len(running) > 2:
            floor.end(running.pop(chance.randrange(3)))
        if step % 6 == 5:
            circuit, key = chance.choice(circuits), f"newcomer {step}"
            floor.ask(key, 1, circuit)
            line = floor.line(circuit)
            before = Counter(line[: line.index(key)])
            assert max(before.values(), default=0) <= 1
