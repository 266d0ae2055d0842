"""An SQLite database of a test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from zkagent.prover.service.queue.database import Database


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "service.sqlite"


@pytest.fixture
def opened(file: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{file}")
    database.prepare()
    yield database
    database.close()
