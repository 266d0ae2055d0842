"""Agents off chain for tests of `zkagent runs`, and how one of their runs is begun."""

from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from tests.support.fleet import eventually
from zkagent.executor.runtime.durable.approvals import KeptApprovals
from zkagent.executor.runtime.durable.database import VARIABLE, open_runs
from zkagent.executor.runtime.durable.store import RunStore

AGENTS = """
import asyncio
from zkagent.executor.runtime import Agent, AgentConfig, PlanStep, ScriptedPlanner, ToolDefinition
from zkagent.executor.runtime.permissions.approvals import Supervised
from zkagent.executor.runtime.permissions.defaults import default_permissions
from zkagent.executor.runtime.testing import ScriptedTool

def use(tool, **given):
    return PlanStep("tool", tool, given)

def agent(name, *steps, tools=(), **others):
    return Agent(AgentConfig(name, f"As {name}.", tools, ScriptedPlanner(steps), **others))

async def forever(given, context):
    await asyncio.Event().wait()

look, pay = ScriptedTool("look", ["found-91"]).definition, ScriptedTool("pay", ["paid"]).definition
wait = ToolDefinition("wait", "Waits.", {"type": "object"}, forever, safe_by_default=True,
                      interrupted="retry")
say = lambda state: PlanStep("finish", result={"said": state.task, **state.params})
agents = [
    agent("looker", use("look", where="given-92"), PlanStep("finish", result="done-93"),
          tools=[look]),
    agent("echo", say),
    agent("payer", use("pay", amount=7), PlanStep("finish", result="done"), tools=[pay],
          permissions=default_permissions(rules=[Supervised(["pay"])])),
    agent("waiter", use("wait"), PlanStep("finish"), tools=[wait]),
    agent("lost", use("absent"), max_steps=1),
]
"""


def home_of_agents(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, where `agents.py` is and commands are called, with a home of its own."""
    monkeypatch.setenv("ZKAGENT_HOME", str(folder / "home"))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(folder)
    (folder / "agents.py").write_text(AGENTS)
    return folder


def start(capsys: pytest.CaptureFixture[str], agent: str, *words: str) -> str:
    """The id of a run that was begun and ended."""
    exit_code("runs", "start", "agents.py", "--agent", agent, *words)
    return capsys.readouterr().err.split("\n")[0].removeprefix("run ")


def waiting(place: Path, file: Path | None = None, key: Path | None = None) -> str:
    """The id of the run that waits for approval, as soon as one does."""
    file = file or place / "home" / "runtime" / "runs.sqlite"
    key_file = key or place / "home" / "runtime.key"
    found: list[str] = []

    def look() -> bool:
        if file.exists() and file.stat().st_size and key_file.exists():
            database = open_runs(file, key_file=key_file)
            asked = {one.run_id for one in KeptApprovals(database).waiting()}
            kept = RunStore(database).page(state="waiting")
            found[:] = [run.id for run in kept if run.id in asked]
            database.close()
        return bool(found)

    eventually(look)
    return found[0]


__all__ = ["AGENTS", "home_of_agents", "start", "waiting"]
