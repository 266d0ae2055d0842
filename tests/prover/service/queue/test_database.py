"""The database: earlier versions, a file that is removed or replaced, its rights, what its errors
say, and rows of the engine's that would run code."""

import base64
import pickle
import re
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from tests.support.fleet import Fleet, eventually
from zkagent.prover.client import Wanted
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.errors import DatabaseUnusable
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claims
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import EngineQueue, prepare_engine
from zkagent.prover.service.queue.jobs import KEPT, HandleState, Request
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import Quota, Store, end_as
from zkagent.prover.service.queue.tables import handles, meta, metadata, proofs
from zkagent.prover.service.queue.trouble import trouble_of
from zkagent.prover.service.wire.states import Cause, State

VERSION_1 = Path(__file__).with_name("version1.sql")  # written by the program of that version
KEY_OF_VERSION_1 = "9bdc9f769193"


@pytest.fixture
def old(file: Path) -> Path:
    connection = sqlite3.connect(file)
    connection.executescript(VERSION_1.read_text())
    connection.close()
    return file


def states(database: Database) -> dict[int, str]:
    """State by the first input, which version1.sql counts from 1."""
    with database.read() as connection:
        rows = connection.execute(sa.select(proofs.c.inputs, proofs.c.state)).all()
    return {int(row.inputs[1:].split(",")[0]): row.state for row in rows}


def columns_of(database: Database) -> dict[str, list[tuple[str, str, bool]]]:
    found = sa.inspect(database.engine)
    return {
        table: sorted((c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(table))
        for table in metadata.tables
    }


def test_a_database_of_version_1_is_brought_up_and_its_doubtful_verdicts_are_none(
    old: Path,
) -> None:
    database = Database(f"sqlite:///{old}")
    for _ in range(2):
        database.prepare()
    prepare_engine(database)
    expected = {1: "done", 2: "poison", 3: "failed", 4: "done", 5: "done", 6: "waiting"}
    assert states(database) == expected
    queue = ListedRuns()
    store = Store(database, queue)
    for number in (2, 3):
        store.submit("bob", Request(fake_digest("quick"), (number, 0, 0, 0)))
    assert states(database) == expected | {2: "waiting"}
    assert len(queue.runs) == 1
    result = Views(database).proof(KEY_OF_VERSION_1, Request(fake_digest("quick"), (1, 0, 0, 0)).id)
    assert result.state is State.DONE
    assert [key.allowance.urgent for key in Keys(database).all()] == [False]
    database.close()


def test_the_tables_of_a_database_that_was_brought_up_are_those_of_a_new_one(
    old: Path, tmp_path: Path
) -> None:
    new = Database(f"sqlite:///{tmp_path}/new.sqlite")
    both = (Database(f"sqlite:///{old}"), new)
    columns, indexes = [], []
    for database in both:
        database.prepare()
        columns.append(columns_of(database))
        indexes.append(indexes_of(database))
        database.close()
    assert columns[0] == columns[1]
    assert indexes[0] == indexes[1]


def indexes_of(database: Database) -> set[tuple[str, ...]]:
    found = sa.inspect(database.engine)
    return {
        (str(index["name"]), *map(str, index["column_names"]))
        for table in metadata.tables
        for index in found.get_indexes(table)
    }


def write_as(connection: sa.Connection, version: int) -> None:
    """Today's tables as these versions had them."""
    new = [f"proof_{name}" for name in ("priority", "asker", "resumes")]
    new += ["handle_line", *(["handle_state"] if version == 2 else [])]
    for name in (*new, *(["proof_finished"] if version < 4 else [])):
        connection.exec_driver_sql(f"DROP INDEX zkagent_{name}")
    for change in (
        "RENAME COLUMN asker TO payer",
        "DROP COLUMN resumes",
        "ADD COLUMN turn BIGINT DEFAULT 0 NOT NULL",
    ):
        connection.exec_driver_sql(f"ALTER TABLE zkagent_proof {change}")
    for name in ("circuit", "priority", "ended"):
        connection.exec_driver_sql(f"ALTER TABLE zkagent_handle DROP COLUMN {name}")
    connection.exec_driver_sql("DROP TABLE zkagent_turn")
    place = "state, priority, turn, queued_at"
    connection.exec_driver_sql(f"CREATE INDEX zkagent_proof_place ON zkagent_proof ({place})")
    line = "state, priority, payer, turn" + (", circuit" if version > 2 else "")
    connection.exec_driver_sql(f"CREATE INDEX zkagent_proof_payer ON zkagent_proof ({line})")
    if version > 2:
        circuit = "state, circuit, priority, turn"
        connection.exec_driver_sql(
            f"CREATE INDEX zkagent_proof_circuit ON zkagent_proof ({circuit})"
        )
    if version == 4:
        columns = "key_id VARCHAR(32), priority INTEGER, circuit VARCHAR(64), turn BIGINT NOT NULL"
        primary = "PRIMARY KEY (key_id, priority, circuit)"
        connection.exec_driver_sql(f"CREATE TABLE zkagent_turn ({columns}, {primary})")
        furthest = "CREATE INDEX zkagent_turn_furthest ON zkagent_turn (priority, turn)"
        connection.exec_driver_sql(furthest)
        connection.exec_driver_sql("INSERT INTO zkagent_turn VALUES ('alice', 100, 'x', 7)")
        connection.exec_driver_sql("UPDATE zkagent_proof SET turn = 7")
    values = {"value": str(version)}
    connection.execute(sa.update(meta).where(meta.c.name == "schema").values(values))


@pytest.mark.parametrize("version", [3, 4])
def test_a_database_of_an_earlier_version_is_brought_up_and_its_line_goes_on(
    database: Database, queue: ListedRuns, version: int
) -> None:
    store, new = Store(database, queue), (columns_of(database), indexes_of(database))
    asked = [
        store.submit("alice", Request(fake_digest("quick"), (number,))).proof_id
        for number in range(3)
    ]
    with database.write() as connection:
        write_as(connection, version)
    for _ in range(2):
        database.prepare()
    assert (columns_of(database), indexes_of(database)) == new
    worker, order = Claims(database, queue, "one"), []
    while turn := worker.next_turn({fake_digest("quick")}):
        claim = worker.claim(*turn, {fake_digest("quick")})
        order += list(claim.members) if claim else []
        if len(order) == 1:
            late = store.submit("bob", Request(fake_digest("quick"), (9,))).proof_id
    assert order == [asked[0], late, *asked[1:]]


def test_a_database_of_version_2_is_brought_up_and_its_handles_say_how_they_ended(
    database: Database, queue: ListedRuns
) -> None:
    store, new = Store(database, queue), indexes_of(database)
    ends = (State.DONE, State.FAILED, State.POISON, None)
    asked = [store.submit("alice", Request(fake_digest("quick"), (n,))).proof_id for n in range(5)]
    store.submit("bob", Request(fake_digest("quick"), (0,)))
    store.cancel("alice", asked[4])
    with database.write() as connection:  # as version 2 had it
        for name, state in zip(asked, ends, strict=False):
            if state:
                end_as(connection, name, state)
        kept = handles.c.state.in_(KEPT)
        connection.execute(sa.update(handles).where(kept).values(state=HandleState.OPEN))
        write_as(connection, 2)
    for _ in range(2):
        database.prepare()
    assert indexes_of(database) == new
    with database.read() as connection:
        query = sa.select(handles.c.proof_id, handles.c.state)
        found = {(row.proof_id, row.state) for row in connection.execute(query)}
    states = ("done", "failed", "poison", "open", "cancelled")
    assert found == set(zip(asked, states, strict=True))
    store.submit("alice", Request(fake_digest("quick"), (9,)), Quota(unfinished=2, per_day=9))


def test_callbacks_that_version_1_had_not_sent_are_due(old: Path) -> None:
    database = Database(f"sqlite:///{old}")
    database.prepare()
    with database.read() as connection:
        query = sa.select(handles).where(handles.c.callback_state == "waiting")
        (row,) = connection.execute(query).all()
        rest = connection.exec_driver_sql("select queue_name from workflow_status").scalars().all()
    assert row.callback_host == "hooks.example.org:443"
    assert row.callback_due
    assert re.fullmatch("[0-9a-f]{32}", row.callback_id)
    assert set(rest) == {"proofs"}
    database.close()


def test_a_database_of_an_unknown_version_is_refused_by_name_with_the_remedy(
    opened: Database, file: Path
) -> None:
    with opened.write() as connection:
        connection.execute(sa.update(meta).where(meta.c.name == "schema").values(value="99"))
    before = file.read_bytes()
    with pytest.raises(
        DatabaseUnusable, match=r"version 99, this program reads 1, 2, 3, 4, 5, 6: use the"
    ):
        Database(f"sqlite:///{file}").prepare()
    assert file.read_bytes() == before


def test_errors_say_what_is_wrong_and_nothing_of_what_was_written(database: Database) -> None:
    marker = "7391846250"
    with pytest.raises(sa.exc.DBAPIError) as caught, database.write() as connection:
        connection.execute(sa.insert(proofs).values(id="x", inputs=f"[{marker}]"))
    assert marker not in trouble_of(caught.value).detail
    if not database.is_postgres:
        assert marker not in str(caught.value)


SQLITE = {
    "SQLITE_FULL": Cause.DISK,
    "SQLITE_IOERR_WRITE": Cause.DISK,
    "SQLITE_READONLY_DBMOVED": Cause.READ_ONLY,
    "SQLITE_CORRUPT": Cause.CORRUPT,
    "SQLITE_NOTADB": Cause.CORRUPT,
    "SQLITE_BUSY": Cause.DATABASE,
}


@pytest.mark.parametrize("name", SQLITE)
def test_what_sqlite_says_is_named_by_its_cause(name: str) -> None:
    error = sqlite3.OperationalError("words")
    error.sqlite_errorname = name
    wrapped = sa.exc.OperationalError("insert", {}, error)
    assert trouble_of(wrapped).cause is SQLITE[name]


TABLES = {"inputs": "workflow_input", "output": "workflow_output", "error": "workflow_output"}


class Bomb:
    """What runs code when it is read as a pickle."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.path), "w")


@pytest.mark.parametrize("column", ["inputs", "output", "error"])
def test_a_row_that_is_a_pickle_is_not_loaded_and_the_proof_is_made_all_the_same(
    small: Fleet, features: list[int], column: str
) -> None:
    """Whoever can write to the database may ask for anything to be proven, but not run code."""
    mark = small.home / "exploded"
    bomb = base64.b64encode(pickle.dumps({"args": (Bomb(mark),), "kwargs": {}})).decode()
    small.serve(slots=0)
    with small.client() as client:
        view = client.submit(Wanted.of_features("quick", features))
        fine = client.submit(Wanted.of_features("quick", [*features[:3], 7]))
        with sqlite3.connect(small.home / "service.sqlite") as connection:
            ours = "where workflow_uuid like ?"
            row = (f"{view.id}%",)
            connection.execute(f"update {TABLES[column]} set {column} = ? {ours}", (bomb, *row))
            connection.execute(f"update workflow_status set serialization='py_pickle' {ours}", row)
        small.work()
        client.wait(fine.id, timeout_s=300)
        eventually(lambda: _has_ended(small.home / "service.sqlite", view.id))
    assert not mark.exists()


def _has_ended(file: Path, proof_id: str) -> bool:
    with sqlite3.connect(file) as connection:
        query = "select status from workflow_status where workflow_uuid like ?"
        found = [row[0] for row in connection.execute(query, (f"{proof_id}%",))]
    return bool(found) and not {"ENQUEUED", "PENDING"} & set(found)


def test_the_engine_reads_no_pickle_in_this_process(opened: Database) -> None:
    prepare_engine(opened)
    queue = EngineQueue(opened)
    from dbos._serialization import deserialize_args

    bomb = base64.b64encode(pickle.dumps(1)).decode()
    with pytest.raises(TypeError, match="not loaded, only JSON is"):
        deserialize_args(bomb, "py_pickle", queue._client._serializer)
    queue.close()
