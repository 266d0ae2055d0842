"""A service that has agents beside its proofs, in this process."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn

from tests.executor.runtime.api.agents import agents
from zkagent.executor.runtime.api.memory_runs import MemoryRuns
from zkagent.executor.runtime.api.mounting import Mounted
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
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)


def serving(folder: Path, *, keys_needed: bool) -> Iterator[Stage]:
    database = open_database(f"sqlite:///{folder}/service.sqlite")
    given = {name: Keys(database).create(name) for name in ROLES} if keys_needed else {}
    roles = {key.split("_")[1]: frozenset(ROLES[name]) for name, key in given.items()}
    metrics = RunMetrics()
    runs = MemoryRuns(agents(EventBus([metrics])), ApprovalDesk(poll_s=0.01))
    mounted = Mounted(runs, roles, [metrics])
    service = Service(
        database,
        FakeCatalogue(folder, {"quick": 0.0}),
        CallbackRules(),
        GuardRules(local_only=not keys_needed),
        keys_needed=keys_needed,
        beside=mounted.beside,
    )
    mounted.watch(service.watchers.woken)
    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(service.app, lifespan="off", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    yield Stage(f"http://127.0.0.1:{listener.getsockname()[1]}", given)
    service.watchers.close()
    server.should_exit = True
    thread.join()
    service.close()
    database.close()


@pytest.fixture(scope="module")
def open_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Where nobody needs a key."""
    yield from serving(tmp_path_factory.mktemp("open"), keys_needed=False)


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """With the keys of ROLES."""
    yield from serving(tmp_path_factory.mktemp("keyed"), keys_needed=True)


@pytest.fixture
def http(open_stage: Stage) -> Iterator[httpx.Client]:
    with open_stage.client() as client:
        yield client
