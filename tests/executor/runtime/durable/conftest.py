"""Databases of runs, opened anew for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.fleet import postgres
from zkagent.executor.runtime.durable.database import VARIABLE, RunsDatabase, open_runs
from zkagent.prover.service.queue.address import read_address


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setenv(VARIABLE, "ab" * 32)
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    return "ab" * 32


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'runs.sqlite'}"
    url = str(request.getfixturevalue("postgres_url"))
    engine = sa.create_engine(read_address(url))
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()
    return url


@pytest.fixture
def database(address: str) -> Iterator[RunsDatabase]:
    opened = open_runs(address)
    yield opened
    opened.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"
