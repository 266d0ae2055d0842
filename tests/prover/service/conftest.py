"""A running service with fake circuits for a whole session, and a bare store for single tests."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.fleet import Fleet, emptied, free_port, postgres
from zkagent.prover.client import ServiceClient
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import CallbackRun, Run
from zkagent.prover.service.queue.store import Store

CALLBACK_PORT = free_port()


@dataclass
class ListedRuns:
    """A queue that only takes notes."""

    runs: list[Run] = field(default_factory=list)
    callbacks: list[CallbackRun] = field(default_factory=list)

    def enqueue(self, connection: sa.Connection, run: Run) -> None:
        self.runs.append(run)

    def enqueue_callback(self, connection: sa.Connection, callback: CallbackRun) -> None:
        self.callbacks.append(callback)


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


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> FakeCatalogue:
    """quick: no time at all; slow: 0.3 s of a core."""
    folder = tmp_path_factory.mktemp("fake")
    return FakeCatalogue(folder, {"quick": 0.0, "slow": 0.3})


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory, catalogue: FakeCatalogue) -> Iterator[Fleet]:
    """One service with two slots, on SQLite, that may call back to CALLBACK_PORT here."""
    home = tmp_path_factory.mktemp("service")
    running = Fleet(home, f"sqlite:///{home}/service.sqlite", catalogue)
    allowed = f"http://127.0.0.1:{CALLBACK_PORT}"
    running.serve("--allow-callback", allowed, "--private-callbacks", slots=2)
    yield running
    running.end()


@pytest.fixture
def small(tmp_path: Path, catalogue: FakeCatalogue) -> Iterator[Fleet]:
    """A fleet of one's own, nobody started."""
    fleet = Fleet(tmp_path, f"sqlite:///{tmp_path}/service.sqlite", catalogue)
    yield fleet
    fleet.end()


@pytest.fixture
def client(fleet: Fleet) -> Iterator[ServiceClient]:
    with fleet.client(patience_s=5) as opened:
        yield opened


_numbers = itertools.count(1)


@pytest.fixture
def features() -> list[int]:
    """Four that nobody has asked for before; with another first one, too."""
    number = next(_numbers)
    return [number, -number, 0, 2**40]
