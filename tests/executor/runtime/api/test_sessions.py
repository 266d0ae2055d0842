"""Sessions of principals: whose conversation a run goes on with."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.executor.runtime.api.conftest import runs_of
from zkagent.executor.runtime import (
    Agent,
    AgentConfig,
    InMemoryStore,
    MemoryPolicy,
    PlannerState,
    PlanStep,
    RunOptions,
    ScriptedPlanner,
    Supervised,
    default_permissions,
)
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.runs import ENDED, RunRecord, Runs
from zkagent.executor.runtime.testing import ScriptedTool


def recalls(state: PlannerState) -> PlanStep:
    entries: list[Any] = list(state.recalled)
    told = [entry["result"]["result"] for entry in entries if "result" in entry]
    return PlanStep("finish", result={"task": state.task, "before": [one["task"] for one in told]})


def listener(store: InMemoryStore, stream: str) -> Agent:
    policy = MemoryPolicy(stream, recall=10)
    return Agent(
        AgentConfig(
            "clerk",
            "Listen.",
            planner=ScriptedPlanner([recalls]),
            memory=store.streams(),
            memory_policy=policy,
        )
    )


@asynccontextmanager
async def serving(kind: str, folder: Path, agent: Agent) -> AsyncIterator[Runs]:
    with runs_of(kind, folder, [agent]) as runs:
        await runs.open()
        yield runs
        await runs.close()


async def until(runs: Runs, run_id: str, *states: str) -> RunRecord:
    async with asyncio.timeout(120):
        while (found := await runs.find(run_id)).state not in states:
            await asyncio.sleep(0.01)
    return found


async def heard(runs: Runs, run_id: str, owner: str, task: str, session: str | None) -> list[str]:
    """What a run of this owner knows of the conversation before it."""
    record = await runs.start("clerk", RunOptions(task=task, session=session), owner, run_id)
    assert record.session == (session or run_id)
    assert (await until(runs, run_id, *ENDED)).state == "done"
    result: Any = await runs.result(run_id)
    return list(result.result["before"])


@pytest.mark.parametrize("stream", ["{agent}/{session}", "{principal}/{agent}/{session}"])
@pytest.mark.parametrize("kind", ["memory", "durable"])
def test_a_session_of_the_same_name_is_another_principals_own(
    kind: str, stream: str, tmp_path: Path
) -> None:
    async def whole() -> None:
        async with serving(kind, tmp_path, listener(InMemoryStore(), stream)) as runs:
            assert await heard(runs, "r1", "ada", "mine", "talk") == []
            assert await heard(runs, "r2", "bob", "his", "talk") == []
            assert await heard(runs, "r3", "local", "ours", "talk") == []
            assert await heard(runs, "r4", "ada", "more", "talk") == ["mine"]
            assert await heard(runs, "r5", "bob", "more", "talk") == ["his"]
            with pytest.raises(AgentConfigRefused, match="session is"):
                await heard(runs, "r6", "local", "spy", "ada/talk")

    asyncio.run(whole())


@pytest.mark.parametrize("kind", ["memory", "durable"])
def test_the_id_of_a_run_leads_to_its_conversation_for_its_owner_alone(
    kind: str, tmp_path: Path
) -> None:
    async def whole() -> None:
        agent = listener(InMemoryStore(), "{agent}/{session}")
        async with serving(kind, tmp_path, agent) as runs:
            assert await heard(runs, "r1", "ada", "mine", None) == []
            assert await heard(runs, "r2", "bob", "spy", "r1") == []
            assert await heard(runs, "r3", "ada", "more", "r1") == ["mine"]

    asyncio.run(whole())


def test_a_run_that_is_taken_up_goes_on_in_its_owners_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.api.durable_runs.STOP_S", 0.05)
    store, pay = InMemoryStore(), ScriptedTool("pay", ["paid"])

    def payer() -> Agent:
        steps = [PlanStep("tool", "pay", {"amount": 7}), PlanStep("finish", result="done")]
        return Agent(
            AgentConfig(
                "payer",
                "Pay.",
                [pay.definition],
                ScriptedPlanner(steps),
                memory=store.streams(),
                memory_policy=MemoryPolicy("{session}"),
                permissions=default_permissions(rules=[Supervised(["pay"])]),
            )
        )

    async def whole() -> None:
        async with serving("durable", tmp_path, payer()) as runs:
            await runs.start("payer", RunOptions(session="talk"), "ada", "r1")
            await until(runs, "r1", "waiting")
        async with serving("durable", tmp_path, payer()) as runs:
            (waiting,) = await runs.waiting()
            await runs.decide(waiting.digest, "boss", approve=True)
            await until(runs, "r1", "done")
        assert len(await store.streams().read("ada/talk")) == 3
        assert await store.streams().read("talk") == []

    asyncio.run(whole())
