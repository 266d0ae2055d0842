"""A service that has agents beside its proofs, in this process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn

from tests.executor.runtime.api.agents import agents
from zkagent.executor.runtime import Agent
from zkagent.executor.runtime.api.durable_runs import DurableRuns
from zkagent.executor.runtime.api.memory_runs import MemoryRuns
from zkagent.executor.runtime.api.mounting import Mounted
from zkagent.executor.runtime.core.runs import Runs
from zkagent.executor.runtime.durable.approvals import KeptApprovals
from zkagent.executor.runtime.durable.database import open_runs
from zkagent.executor.runtime.events.bus import EventBus
from zkagent.executor.runtime.events.metrics import RunMetrics
from zkagent.executor.runtime.permissions.approvals import ApprovalDesk
from zkagent.prover.service.api.application import Service
from zkagent.prover.service.api.guard import GuardRules
from zkagent.prover.service.api.server import listen
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.queue.engine import open_database
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.worker.callback_rules import CallbackRules

#: Names of keys, and the roles of each.
ROLES = {
    "user": {"user"},
    "other": {"user"},
    "operator": {"operator"},
    "approver": {"approver"},
    "prover": set[str](),
}


@dataclass
class Stage:
    """keys: by name; none where none is needed."""

    url: str
    keys: dict[str, str]

    def client(self, name: str | None = None) -> httpx.Client:
        headers = {"authorization": f"Bearer {self.keys[name]}"} if name else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=300)


@contextmanager
def runs_of(kind: str, folder: Path, agents: list[Agent]) -> Iterator[Runs]:
    """kind: memory or durable."""
    if kind == "memory":
        yield MemoryRuns(agents, ApprovalDesk(poll_s=0.01))
        return
    (folder / "key").write_text("ab" * 32)
    (folder / "key").chmod(0o600)
    database = open_runs(folder / "runs.sqlite", key_file=folder / "key")
    yield DurableRuns(database, agents, ApprovalDesk(KeptApprovals(database), poll_s=0.01))
    database.close()


@contextmanager
def serving(folder: Path, kind: str, *, keys_needed: bool) -> Iterator[Stage]:
    database = open_database(f"sqlite:///{folder}/service.sqlite")
    given = {name: Keys(database).create(name) for name in ROLES} if keys_needed else {}
    roles = {key.split("_")[1]: frozenset(ROLES[name]) for name, key in given.items()}
    metrics = RunMetrics()
    with runs_of(kind, folder, agents(EventBus([metrics]))) as runs:
        mounted = Mounted(runs, roles, [metrics])
        service = Service(
            database,
            FakeCatalogue(folder, {"quick": 0.0}),
            CallbackRules(),
            GuardRules(local_only=not keys_needed),
            keys_needed=keys_needed,
            beside=mounted.beside,
        )
        mounted.begin(service.watchers.woken)
        with listening(service) as url:
            yield Stage(url, given)
        service.close()
    database.close()


@contextmanager
def listening(service: Service) -> Iterator[str]:
    """The address at which it answers."""
    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(service.app, lifespan="off", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    service.watchers.close()
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module", params=["memory", "durable"])
def open_stage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    """Where nobody needs a key."""
    with serving(tmp_path_factory.mktemp("open"), request.param, keys_needed=False) as stage:
        yield stage


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """With the keys of ROLES."""
    with serving(tmp_path_factory.mktemp("keyed"), "durable", keys_needed=True) as stage:
        yield stage


@pytest.fixture
def http(open_stage: Stage) -> Iterator[httpx.Client]:
    with open_stage.client() as client:
        yield client
