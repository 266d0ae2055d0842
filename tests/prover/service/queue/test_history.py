"""What is finished costs nobody anything: asking, looking, proving and heartbeats take as many
steps of the database after ten thousand finished proofs as after a hundred."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claims, Outcome
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Priority, Request
from zkagent.prover.service.queue.store import Quota, Store
from zkagent.prover.service.wire.states import State

OFTEN, NEVER = fake_digest("often"), fake_digest("never")
QUOTA = Quota(unfinished=1_000, per_day=1_000_000)
NUMBERS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT {} UNION ALL SELECT i + 1 FROM n WHERE i < {} - 1)",
    "postgresql": "WITH n AS (SELECT generate_series({}, {} - 1) AS i)",
}
#: Columns, and what they hold of the n.i-th; times follow each other.
PAST = (
    (
        "zkagent_proof (id, circuit, inputs, state, priority, generation, version, alone, asker, "
        "resumes, crashes, deaths, created_at, queued_at, started_at, finished_at)",
        "{id}, '{circuit}', '[1]', 'done', 100, 1, 3, false, 'old', "
        "false, 0, 0, {t}, {t}, {t}, {t}",
    ),
    (
        "zkagent_handle (key_id, proof_id, state, circuit, priority, callback_tries, "
        "callback_number, deadline, created_at)",
        "'old', {id}, 'done', '{circuit}', 100, 0, 0, {t}, {t}",
    ),
    (
        "zkagent_result (proof_id, document, position, worker, accepted_at, prove_s, verify_s, "
        "peak_rss_bytes)",
        "{id}, '{{}}', 0, 'w', {t}, 1, 1, 1",
    ),
)


def finish(database: Database, start: int, stop: int) -> None:
    """So many proofs more that the key `old` asked for with deadlines, which have passed since."""
    known = {"circuit": OFTEN, "id": f"'{'0' * 56}' || (10000000 + i)"}
    with database.write() as connection:
        numbers = NUMBERS[connection.dialect.name].format(start, stop)
        for columns, values in PAST:
            row = values.format(t=f"{time.time() - 86400} + i", **known)
            connection.exec_driver_sql(f"INSERT INTO {columns} {numbers} SELECT {row} FROM n")
    if database.is_postgres:
        with database.read() as connection:
            connection.exec_driver_sql("ANALYZE")


class Steps:
    """Counted in all of a database's statements: instructions of SQLite's virtual machine, or rows
    that Postgres looked at to answer a query."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.count = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        self.count = 0
        name, listener = "checkout", self._watch
        if self._database.is_postgres:
            name, listener = "before_cursor_execute", self._explain
        sa.event.listen(self._database.engine, name, listener)
        yield
        sa.event.remove(self._database.engine, name, listener)

    def _watch(self, connection: Any, *_: object) -> None:
        connection.set_progress_handler(self._step, 10)

    def _step(self) -> int:
        self.count += 10
        return 0

    def _explain(self, _: object, cursor: Any, words: str, values: Any, *__: object) -> None:
        if words.startswith("SELECT") and "zkagent_" in words:
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {words}", values)
            self.count += rows(cursor.fetchone()[0][0]["Plan"])


def rows(plan: dict[str, Any]) -> int:
    """What a plan's nodes looked at, and what they left out."""
    seen = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    seen += plan.get("Rows Removed by Join Filter", 0)
    return int(seen * plan["Actual Loops"]) + sum(map(rows, plan.get("Plans", ())))


def everyday(store: Store) -> dict[str, Callable[[], object]]:
    """What keys and workers do all the time, by a key that has a past and by one that has none."""
    number = itertools.count(1)
    views, worker = Views(store.database), Claims(store.database, store.queue, "one")
    waiting = {name: store.submit("new", Request(name, (0,))).proof_id for name in (OFTEN, NEVER)}

    def prove() -> None:
        store.submit("urgent", Request(OFTEN, (next(number),), Priority.URGENT), QUOTA)
        turn = worker.next_turn({OFTEN, NEVER})
        claim = turn and worker.claim(*turn, {OFTEN, NEVER})
        assert claim
        claim = worker.join(claim, 4)
        worker.settle(claim, Outcome("{}", dict.fromkeys(claim.members, 0), 1.0, 0.1, 1))

    def change_mind() -> None:
        asked = store.submit("old", Request(OFTEN, (next(number),)), QUOTA).proof_id
        store.cancel("old", asked)

    return {
        "expire": store.expire,
        "look": lambda: views.proof("new", waiting[OFTEN]),
        "look, never proven": lambda: views.proof("new", waiting[NEVER]),
        "look for changes": lambda: views.version("new", waiting[OFTEN]),
        **{
            f"list, {state}": lambda state=state: views.page("old", state, 3, None)
            for state in (None, *State)
        },
        "ask": lambda: store.submit("new", Request(OFTEN, (next(number),)), QUOTA),
        "ask, with a past": lambda: store.submit("old", Request(OFTEN, (next(number),)), QUOTA),
        "ask again": lambda: store.submit("old", Request(OFTEN, (0,)), QUOTA),
        "ask and cancel": change_mind,
        "ask and prove": prove,
        "forget some": lambda: store.purge(time.time() - 3600, 0.0),
    }


def test_what_is_finished_costs_nobody_anything(database: Database, queue: ListedRuns) -> None:
    store, steps = Store(database, queue), Steps(database)
    deeds = everyday(store)

    def costs() -> dict[str, int]:
        found = {}
        for name, deed in deeds.items():
            with steps.counted():
                deed()
            found[name] = steps.count
        return found

    finish(database, 0, 100)
    few = costs()
    finish(database, 100, 10_000)
    many = costs()
    grown = {name: (few[name], many[name]) for name in few if many[name] > 2 * few[name] + 100}
    assert grown == {}
    assert all(few.values())
