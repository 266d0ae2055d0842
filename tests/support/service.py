"""Fixtures: a running proof service with fake circuits, one for the session.

A plugin of tests/conftest.py, so its imports are late: most sessions need no service.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.ports import HeldPort

if TYPE_CHECKING:
    from tests.support.fleet import Fleet
    from zkagent.prover.client import ServiceClient
    from zkagent.prover.service.fakes.catalogue import FakeCatalogue


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> "FakeCatalogue":
    """quick: no time at all; slow: 0.3 s of a core."""
    from zkagent.prover.service.fakes.catalogue import FakeCatalogue

    folder = tmp_path_factory.mktemp("fake")
    return FakeCatalogue(folder, {"quick": 0.0, "slow": 0.3})


@pytest.fixture(scope="session")
def callback_port() -> Iterator[int]:
    """Here; nobody listens on it but while a test does."""
    with HeldPort() as port:
        yield port.number


@pytest.fixture
def free_port() -> Iterator[int]:
    """Here; only the test uses it."""
    with HeldPort() as port:
        yield port.number


@pytest.fixture(scope="session")
def fleet(
    tmp_path_factory: pytest.TempPathFactory, catalogue: "FakeCatalogue", callback_port: int
) -> "Iterator[Fleet]":
    """One service with two slots, on SQLite, that may call back to `callback_port` here."""
    from tests.support.fleet import Fleet

    home = tmp_path_factory.mktemp("service")
    running = Fleet(home, f"sqlite:///{home}/service.sqlite", catalogue)
    allowed = f"http://127.0.0.1:{callback_port}"
    running.serve("--allow-callback", allowed, "--private-callbacks", "--max-crashes", "3", slots=2)
    yield running
    running.end()


@pytest.fixture
def small(tmp_path: Path, catalogue: "FakeCatalogue") -> "Iterator[Fleet]":
    """A fleet of one's own, nobody started."""
    from tests.support.fleet import Fleet

    fleet = Fleet(tmp_path, f"sqlite:///{tmp_path}/service.sqlite", catalogue)
    yield fleet
    fleet.end()


@pytest.fixture
def client(fleet: "Fleet") -> "Iterator[ServiceClient]":
    with fleet.client() as opened:
        yield opened


_numbers = itertools.count(1)


@pytest.fixture
def features() -> list[int]:
    """Four that nobody has asked for before; with another first one, too."""
    number = next(_numbers)
    return [number, -number, 0, 2**40]
