"""Postgres of other encodings than UTF-8: what holds every text is used, the rest refused."""

import queue
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.command_line import exit_code, one_line_error
from tests.support.fleet import eventually
from zkagent.prover.durable.leases import AdvisoryLeases
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import EngineQueue
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.wake import WORK, PostgresWake

NAME = "fuchs \N{FOX FACE}"


@pytest.fixture
def encoded(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], str]]:
    """Makes an empty database of an encoding; its address."""
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    server = sa.create_engine(Database(postgres_url).url, isolation_level="AUTOCOMMIT")
    made: list[str] = []

    def make(encoding: str) -> str:
        made.append(f"of_{uuid.uuid4().hex}")
        how = f"ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        with server.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {made[-1]} {how}")
        return sa.make_url(postgres_url).set(database=made[-1]).render_as_string()

    yield make
    with server.connect() as connection:
        for name in made:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    server.dispose()


def test_a_database_of_bytes_is_used_as_any_other(
    encoded: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever its address and the environment ask for, too."""
    monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")
    url = f"{encoded('SQL_ASCII')}?client_encoding=SQL_ASCII"
    assert exit_code("key", "create", NAME, "--database", url) == 0
    capsys.readouterr()
    assert exit_code("key", "list", "--database", url) == 0
    assert NAME in capsys.readouterr().out

    database = Database(url)
    engine, leases, wake = EngineQueue(database), AdvisoryLeases(database), PostgresWake(database)
    assert engine.running() == []
    leases.take(NAME)
    assert not AdvisoryLeases(database).is_free(NAME)
    heard: queue.Queue[tuple[str, str]] = queue.Queue()
    wake.listen(lambda topic, subject: heard.put((topic, subject)))

    def is_heard() -> bool:
        wake.send(WORK, NAME)
        return not heard.empty()

    eventually(is_heard)
    assert heard.get() == (WORK, NAME)
    for opened in (wake, leases, engine, database):
        opened.close()


def test_a_name_that_is_too_long_for_bytes_is_refused_in_a_line(
    encoded: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    url = encoded("SQL_ASCII")
    assert exit_code("key", "create", NAME[-1] * 64, "--database", url) == 1
    assert "counts bytes" in one_line_error(capsys)
    database = Database(url)
    assert Keys(database).all() == []
    database.close()


def test_a_database_that_does_not_hold_every_text_is_refused_before_anything_is_made(
    encoded: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    url = encoded("LATIN1")
    for command in (("key", "create", NAME), ("key", "list"), ("serve", "--port", "0")):
        assert exit_code(*command, "--database", url) == 1
        assert "LATIN1 does not hold every text: make one with ENCODING" in one_line_error(capsys)
    database = Database(url)
    with database.read() as connection:
        assert sa.inspect(connection).get_table_names() == []
    database.close()
