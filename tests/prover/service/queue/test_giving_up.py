"""All that a key waits for is given up some at a time: others write in between, and whoever comes
after an interruption gives up the rest."""

import pytest
import sqlalchemy as sa

from zkagent.prover.service.errors import KeyRefused, KeyUnknown
from zkagent.prover.service.queue import store as module
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.keys import LOCAL, Keys
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import handles, proofs
from zkagent.prover.service.worker.sweeper import Sweeper

COUNT = 7


class Interrupted(Exception):
    """Whoever ran the command pressed Control-C, or the machine stopped."""


@pytest.fixture
def key_id(store: Store, database: Database, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of a key that waits for so many proofs, three of which are given up at once."""
    monkeypatch.setattr(module, "GIVEN_UP_AT_ONCE", 3)
    made = Keys(database).create("many").split("_")[1]
    ask(store, made, COUNT)
    return made


def ask(store: Store, key: str, count: int) -> None:
    for number in range(count):
        store.submit(key, Request("ab" * 32, (number, len(key))))


def waiting(database: Database) -> int:
    with database.read() as connection:
        query = sa.select(sa.func.count()).select_from(proofs)
        return int(connection.execute(query.where(proofs.c.state == "waiting")).scalar_one())


def interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: float) -> None:
        raise Interrupted

    monkeypatch.setattr(module.time, "sleep", stop)


def test_others_write_between_and_the_key_is_refused_from_the_first_on(
    store: Store, database: Database, key_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def others(_: float) -> None:
        store.submit("other", Request("cd" * 32, (len(seen),)))
        with pytest.raises(KeyRefused):
            store.submit(key_id, Request("cd" * 32, (9,)))
        seen.append(waiting(database))

    monkeypatch.setattr(module.time, "sleep", others)
    assert len(Keys(database).revoke(key_id)) == COUNT
    assert seen == [5, 3]
    assert waiting(database) == 2


def test_revoking_again_finishes_what_was_interrupted(
    store: Store, database: Database, key_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = Keys(database)
    with monkeypatch.context() as patched:
        interrupt(patched)
        with pytest.raises(Interrupted):
            keys.revoke(key_id)
    assert not keys.is_valid(key_id)
    assert waiting(database) == COUNT - 3
    assert len(keys.revoke(key_id)) == COUNT - 3
    assert waiting(database) == 0
    for unknown in (key_id, LOCAL, "nobody"):
        ask(store, LOCAL, 1)
        with pytest.raises(KeyUnknown):
            keys.revoke(unknown)
    assert waiting(database) == 1


def test_workers_finish_it_when_nobody_revokes_again(
    store: Store, database: Database, key_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(store, "other", 2)
    with monkeypatch.context() as patched:
        interrupt(patched)
        with pytest.raises(Interrupted):
            Keys(database).revoke(key_id)
    sweeper = Sweeper(store, None, None, 1.0)  # type: ignore[arg-type]
    assert [len(sweeper.expire()) for _ in range(3)] == [3, 1, 0]
    assert waiting(database) == 2
    with database.read() as connection:
        query = sa.select(handles.c.state).where(handles.c.key_id == key_id)
        assert set(connection.execute(query).scalars()) == {"cancelled"}


def test_what_a_key_asks_while_its_line_is_cancelled_stays(
    store: Store, database: Database, key_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        module.time, "sleep", lambda _: store.submit(key_id, Request("cd" * 32, (1,)))
    )
    assert len(store.cancel_of_key(key_id)) == COUNT
    assert waiting(database) == 1
