"""Setup vocabulary of the executor's tests: an agent in memory and who runs it."""

from pathlib import Path

import pytest

from tests.executor.drain import PROMPT, drain_agent, drain_model, drain_prover
from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.runs.events import Event
from zkagent.executor.runs.runner import AgentRunner, CompletedRun
from zkagent.models.catalogue import Model


@pytest.fixture(scope="session")
def drain(tmp_path_factory: pytest.TempPathFactory) -> Model:
    directory: Path = tmp_path_factory.mktemp("models") / "drain"
    return drain_model(directory)


@pytest.fixture
def agent(drain: Model) -> MemoryAgent:
    return drain_agent(drain)


@pytest.fixture
def told() -> list[Event]:
    """What the runner tells."""
    return []


@pytest.fixture
def runner(agent: MemoryAgent, drain: Model, told: list[Event]) -> AgentRunner:
    return AgentRunner(agent, agent, drain, drain_prover(drain), told.append)


@pytest.fixture
def completed(runner: AgentRunner) -> CompletedRun:
    return runner.run(PROMPT)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that is not there yet, for commands that must not begin any work."""
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
