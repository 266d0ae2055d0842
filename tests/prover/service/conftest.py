"""A bare store for single tests; the running service is in tests/support/service.py."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.prover.service.listed_runs import ListedRuns
from tests.support.fleet import emptied, postgres
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.store import Store


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database on the session's Postgres server; `emptied` before each test."""
    with postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A fresh database with our tables, on either engine."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/service.sqlite"
    else:
        url = emptied(request.getfixturevalue("postgres_url"))
    opened = Database(url)
    opened.prepare()
    yield opened
    opened.close()


@pytest.fixture
def queue() -> ListedRuns:
    return ListedRuns()


@pytest.fixture
def store(database: Database, queue: ListedRuns) -> Store:
    return Store(database, queue)
