"""The line where workers are not alike: some circuits' lines are far behind others', or stand, and
keys take turns in every one of them."""

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
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import handles, workers

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
        asker = self.asker(claim)
        outcome = Outcome("{}", dict.fromkeys(claim.members, 0), 1.0, 0.1, 1)
        assert worker.settle(claim, outcome) == len(claim.members)
        return asker

    def prove(self, count: int, able: Collection[str]) -> list[str]:
        """Whose proofs a worker made."""
        return [self.end(self.begin(able)) for _ in range(count)]

    def asker(self, claim: Claim) -> str:
        query = sa.select(handles.c.key_id).where(handles.c.proof_id.in_(claim.members))
        with self.store.database.read() as connection:
            return str(connection.execute(query.limit(1)).scalar_one())

    def waits(self, able: Collection[str]) -> bool:
        """Whether anything waits for a worker that has these circuits."""
        return Claims(self.store.database, self.store.queue, "one").next_turn(able) is not None


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
    assert behind.prove(6, {SLOW}) == ["few", "many"] * 3


def test_keys_take_turns_to_the_end_of_a_line_that_is_behind_and_after_it(behind: Floor) -> None:
    behind.ask("few", 16)
    behind.ask("many", 5)
    assert behind.prove(32, {SLOW}) == ["few", "many"] * 16


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
    assert floor.prove(4, {SLOW}) == ["many", "few"] * 2


def employ(database: Database, **circuits: Collection[str]) -> None:
    """Workers that live, and what they can prove."""
    with database.write() as connection:
        for name, able in circuits.items():
            row = {"id": name, "host": "here", "pid": 1, "slots": 1, "state": "alive"}
            row |= {"started_at": 0, "seen_at": 0, "circuits": json.dumps(sorted(able))}
            connection.execute(sa.insert(workers).values(row))


@pytest.mark.parametrize("elsewhere", [{QUICK}, BOTH])
def test_what_other_workers_begin_counts_for_none_but_those_that_are_alike(
    floor: Floor, elsewhere: Collection[str]
) -> None:
    """`many` has proofs of both circuits, and of one of them a worker of its own makes more all the
    time: where both are proven it has its turns nevertheless, and no more."""
    floor.ask("many", 60, QUICK)
    floor.ask("other", 40, SLOW)
    floor.ask("many", 20, SLOW)
    found = []
    for _ in range(20):
        if elsewhere != BOTH:
            floor.prove(2, elsewhere)
        found += floor.prove(1, BOTH)
    assert found == ["many", "other"] * 10


def test_turns_of_a_circuit_that_nobody_could_prove_are_not_old_when_it_is_back(
    floor: Floor,
) -> None:
    floor.ask("first", 30, SLOW)
    for number in range(40):
        floor.ask(f"key {number % 4}", 1, QUICK)
    floor.prove(20, {QUICK})
    floor.ask("new", 5, QUICK)
    order = floor.prove(30, BOTH)
    for start in range(0, 30, 6):
        names = {"first", "new", *(f"key {number}" for number in range(4))}
        assert set(order[start : start + 6]) == names


def test_a_circuit_that_comes_and_goes_gives_nobody_more_than_its_turns(floor: Floor) -> None:
    for key in ("a", "b"):
        floor.ask(key, 60, QUICK)
    floor.ask("a", 60, SLOW)
    made = Counter[str]()
    for number in range(60):
        made.update(floor.prove(1, BOTH if number % 3 else {QUICK}))
    assert made == {"a": 30, "b": 30}


def test_what_a_worker_says_of_itself_that_nobody_can_read_keeps_nobody_from_asking(
    floor: Floor, database: Database
) -> None:
    employ(database, one={SLOW})
    with database.write() as connection:
        connection.execute(sa.update(workers).values(circuits=f'["{SLOW}'))
    floor.ask("many", 2)
    assert floor.prove(2, {SLOW}) == ["many"] * 2


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
        if floor.waits(able):
            running.append(floor.begin(able))
        while len(running) > 2:
            floor.end(running.pop(chance.randrange(len(running))))
        if step % 6 == 5:
            circuit, key = chance.choice(circuits), f"newcomer {step}"
            floor.ask(key, 1, circuit)
            before = Counter[str]()
            running.append(floor.begin({circuit}))
            while (whose := floor.asker(running[-1])) != key:
                before[whose] += 1
                running.append(floor.begin({circuit}))
            assert max(before.values(), default=0) <= 1
