"""Shares of keys that never stop asking: whoever asks for its next proof as soon as one is begun,
or done, gets no further ahead of those that wait all the time than by one proof."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claim, Claims, Outcome
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store

#: What proofs of each circuit take.
SECONDS = {fake_digest("quick"): 1.0, fake_digest("slow"): 2.5}
QUICK, SLOW = SECONDS
STEPS = 24


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Beside a file: what is asked here of a database is asked of Postgres in test_line.py."""
    opened = Database(f"sqlite:///{tmp_path}/service.sqlite")
    opened.prepare()
    yield opened
    opened.close()


@dataclass(frozen=True)
class Loop:
    """A key that sees to it that so many of its proofs wait, or are unfinished. circuits: in
    turn."""

    key: str
    waiting: int = 0
    unfinished: int = 0
    circuits: tuple[str, ...] = (QUICK,)


@dataclass
class Hall:
    """Slots that are never idle, and keys that ask whenever anything has changed."""

    store: Store
    slots: int
    loops: tuple[Loop, ...]
    eager: bool  # whether they ask before the slot that is free takes the next proof
    begun: Counter[str] = field(default_factory=Counter)
    _waiting: Counter[str] = field(default_factory=Counter)
    _proving: Counter[str] = field(default_factory=Counter)
    _running: list[tuple[float, str, Claim]] = field(default_factory=list)
    _whose: dict[str, str] = field(default_factory=dict)
    _now: float = 0.0

    def __post_init__(self) -> None:
        self._worker = Claims(self.store.database, self.store.queue, "one")

    def run(self, steps: int) -> None:
        for _ in range(steps):
            if len(self._running) == self.slots:
                self._end()
                if self.eager:
                    self.ask()
            self._begin()
            self.ask()

    def ask(self) -> None:
        for loop in self.loops:
            while self._lacks(loop):
                number = len(self._whose)
                circuit = loop.circuits[number % len(loop.circuits)]
                name = self.store.submit(loop.key, Request(circuit, (number,))).proof_id
                self._whose[name] = loop.key
                self._waiting[loop.key] += 1

    def _lacks(self, loop: Loop) -> bool:
        waiting, proving = self._waiting[loop.key], self._proving[loop.key]
        return waiting < loop.waiting or waiting + proving < loop.unfinished

    def _begin(self) -> None:
        if turn := self._worker.next_turn(SECONDS):
            claim = self._worker.claim(*turn, SECONDS)
            assert claim
            key = self._key(claim)
            for count, more in ((self.begun, 1), (self._waiting, -1), (self._proving, 1)):
                count[key] += more
            ends = self._now + SECONDS[claim.circuit]
            heapq.heappush(self._running, (ends, claim.token, claim))

    def _end(self) -> None:
        self._now, _, claim = heapq.heappop(self._running)
        outcome = Outcome("{}", dict.fromkeys(claim.members, 0), 1.0, 0.1, 1)
        assert self._worker.settle(claim, outcome) == 1
        self._proving[self._key(claim)] -= 1

    def _key(self, claim: Claim) -> str:
        (name,) = claim.members
        return self._whose[name]


#: Beside the key `long`, which has a line all the time.
LOOPS: dict[str, Callable[[], tuple[Loop, ...]]] = {
    "one that asks when its last is begun": lambda: (Loop("a", waiting=1),),
    "one that has three unfinished": lambda: (Loop("a", unfinished=3),),
    "two that ask when their last is done": lambda: tuple(Loop(k, unfinished=1) for k in "ab"),
    "five that ask when their last is done": lambda: tuple(Loop(k, unfinished=1) for k in "abcde"),
    "unlike ones over two circuits": lambda: (
        Loop("a", unfinished=2, circuits=(SLOW, QUICK)),
        Loop("b", waiting=1, circuits=(SLOW,)),
        Loop("c", unfinished=1),
    ),
}


@pytest.mark.parametrize(("slots", "eager"), [(1, False), (2, True), (3, False)])
@pytest.mark.parametrize("name", LOOPS)
def test_nobody_gets_ahead_of_who_waits_all_the_time(
    store: Store, name: str, slots: int, eager: bool
) -> None:
    long = Loop("long", waiting=6, circuits=(QUICK, SLOW))
    hall = Hall(store, slots, (long,), eager)
    hall.ask()
    hall.run(slots + 2)
    hall.begun.clear()
    hall.loops = (long, *LOOPS[name]())
    hall.ask()
    for _ in range(STEPS // 4):
        hall.run(4)
        waiting = {loop.key for loop in hall.loops if loop.waiting}
        most = max(hall.begun.values())
        assert {key: most - hall.begun[key] for key in waiting if most - hall.begun[key] > 1} == {}


def test_who_comes_back_after_a_while_is_a_newcomer_and_no_late_one(
    store: Store, queue: ListedRuns
) -> None:
    """Not behind those that came meanwhile, whatever it had before they did."""
    hall = Hall(store, 1, (Loop("early", waiting=1),), eager=False)
    hall.ask()
    hall.run(20)
    hall.loops = (Loop("late", waiting=4),)
    hall.ask()
    hall.run(4)
    hall.begun.clear()
    hall.loops = (*hall.loops, Loop("early", waiting=1))
    hall.ask()
    hall.run(10)
    assert abs(hall.begun["early"] - hall.begun["late"]) <= 1
