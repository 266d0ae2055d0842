"""The real thing, once per session: the shipped model, its circuit, a chain with everything on it.

What a test does to the chain is undone after it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fleet import Fleet
from tests.support.progress import quiet
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.demo.attacks.preparation import prepare
from zkagent.executor.demo.attacks.stage import AttackStage
from zkagent.executor.runs.session import Session, local_circuit, open_embedded
from zkagent.models.catalogue import Model, load_model


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what was signed, empty: the chain is rolled back as well."""
    folder = tmp_path / "journal"
    monkeypatch.setattr("zkagent.executor.runs.journal.runs_folder", lambda: folder)
    return folder


@pytest.fixture(scope="session")
def wallet() -> Model:
    return load_model("wallet")


@pytest.fixture(scope="session")
def wallet_circuit(wallet: Model) -> Circuit:
    return local_circuit(wallet, None, quiet)


@pytest.fixture(scope="session")
def opened(wallet: Model, wallet_circuit: Circuit) -> Iterator[tuple[Session, EmbeddedChain]]:
    with open_embedded(wallet, wallet_circuit, quiet) as both:
        yield both


@pytest.fixture(scope="session")
def stage(opened: tuple[Session, EmbeddedChain]) -> AttackStage:
    """What attacks need; they undo what they did themselves."""
    return prepare(*opened, quiet)


@pytest.fixture
def embedded(opened: tuple[Session, EmbeddedChain]) -> Iterator[EmbeddedChain]:
    """The chain for one test."""
    chain = opened[1]
    snapshot = chain.anvil.snapshot()
    yield chain
    chain.anvil.revert(snapshot)


@pytest.fixture
def session(opened: tuple[Session, EmbeddedChain], embedded: EmbeddedChain) -> Session:
    """The owner's session with the wallet agent, for one test."""
    return opened[0]


@pytest.fixture
def service(wallet_circuit: Circuit, tmp_path: Path) -> Iterator[Fleet]:
    """A prover service that offers the wallet, with the circuits of this session."""
    database = f"sqlite:///{tmp_path}/service.sqlite"
    fleet = Fleet(wallet_circuit.directory.parent.parent, database, None, logs=tmp_path)
    fleet.serve("--model", "wallet")
    yield fleet
    fleet.end()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever uses the chain above is slow, too: it has proofs made."""
    for item in items:
        if {"opened", "stage", "session", "embedded"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("chain")
            item.add_marker("slow")
