"""The three stores, opened anew for each test, by one clock that tests move."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.executor.runtime.memory.stage import MovedClock, Opener
from tests.support.fleet import emptied, postgres
from zkagent.executor.runtime.memory.encrypted import new_key
from zkagent.executor.runtime.memory.in_memory import InMemoryStore
from zkagent.executor.runtime.memory.postgres import open_postgres
from zkagent.executor.runtime.memory.retention import USUAL, Limits
from zkagent.executor.runtime.memory.sqlite import open_sqlite
from zkagent.executor.runtime.memory.store import Store

KINDS = ("memory", "sqlite", "postgres")


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    new_key(tmp_path / "agent.key")
    return tmp_path / "agent.key"


@pytest.fixture(params=KINDS)
def opener(
    request: pytest.FixtureRequest, tmp_path: Path, key_file: Path, clock: MovedClock
) -> Iterator[Opener]:
    """Opens the one store of a test, with limits; again, if it is asked again."""
    opened: list[Store] = []
    url = emptied(request.getfixturevalue("postgres_url")) if request.param == "postgres" else ""

    def open_it(limits: Limits = USUAL) -> Store:
        if request.param == "memory":
            opened[1:] = opened[:1] or [InMemoryStore(limits, clock)]
        elif request.param == "sqlite":
            path = tmp_path / "agent.db"
            opened.append(open_sqlite(path, key_file=key_file, limits=limits, clock=clock))
        else:
            opened.append(open_postgres(url, limits=limits, clock=clock))
        return opened[-1]

    yield open_it
    for store in opened:
        asyncio.run(store.close())


@pytest.fixture
def store(opener: Opener) -> Store:
    return opener()
