"""What a run takes from memory and from prompts when it begins, and what it leaves behind."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.executor.runtime.running.test_calls import Kept
from tests.executor.runtime.running.test_permissions import SECRET, Rules
from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from tests.support.hasty_loop import hastily
from zkagent.executor.runtime import MemoryPolicy, PlannerState, PlanStep, RunOptions
from zkagent.executor.runtime.core.errors import MemoryFault, PromptFault
from zkagent.executor.runtime.core.json_values import Json


@dataclass
class Streams:
    """A MemoryClient of lists."""

    kept: dict[str, list[Any]] = field(default_factory=dict)
    broken: bool = False

    async def append(self, stream: str, entry: Json) -> None:
        if self.broken:
            raise MemoryFault("the disk is full")
        self.kept.setdefault(stream, []).append(entry)

    async def read(self, stream: str, *, last: int | None = None, since: int = 0) -> Sequence[Json]:
        if self.broken:
            raise MemoryFault("the disk is gone")
        found = self.kept.get(stream, [])[since:]
        return found if last is None else found[-last:]


@dataclass
class Values:
    """A DatabaseClient that is written to."""

    kept: dict[tuple[str, str], Json] = field(default_factory=dict)

    async def write(self, collection: str, key: str, value: Json) -> None:
        self.kept[collection, key] = value


@dataclass
class Prompts:
    asked: list[Any] = field(default_factory=list)

    async def render(self, template: str, params: Mapping[str, Json], **others: Any) -> Any:
        if template != "notes":
            raise PromptFault(f"there is no prompt {template}")
        self.asked.append((template, params, others["version"]))
        return type("Rendered", (), {"text": f"Notes of {params['x']}.", "version": "v7"})


def test_steps_and_the_result_are_kept_and_stand_among_the_deltas() -> None:
    memory, database = Streams(), Values()
    result = agent(use(a=1), DONE, tools=[tool(Calls())], memory=memory, database=database).run()
    steps = [entry.get("step", "result") for entry in memory.kept["clerk"]]
    assert steps == [0, 1, "result"]
    summary = {"success": True, "result": "done", "error": None}
    assert database.kept == {("results", "run-0001"): summary}
    assert [(delta.store, delta.key) for delta in result.memory_deltas] == [
        ("memory", "clerk"),
        ("memory", "clerk"),
        ("memory", "clerk"),
        ("database", "results/run-0001"),
    ]
    written = [event for event in result.event_stream if event.kind == "memory_written"]
    assert len(written) == 4


def test_nothing_is_kept_where_the_policy_says_so() -> None:
    memory, database = Streams(), Values()
    policy = MemoryPolicy(keep=False)
    agent(DONE, memory=memory, database=database, memory_policy=policy).run()
    assert (memory.kept, database.kept) == ({}, {})


def test_a_run_begins_with_the_newest_of_what_is_kept() -> None:
    seen: list[PlannerState] = []

    def finish(state: PlannerState) -> PlanStep:
        seen.append(state)
        return DONE

    memory = Streams({"clerk/talk": ["a", "b", f"c {SECRET}"]})
    policy = MemoryPolicy("{agent}/{session}", recall=2)
    clerk = agent(finish, memory=memory, memory_policy=policy, permissions=Rules({"recall": "b"}))
    clerk.run(RunOptions(session="talk"))
    assert seen[0].recalled == ("c [password]",)
    clerk.run(RunOptions(session="other"))
    assert seen[1].recalled == ()


def test_what_is_kept_is_redacted_or_left_out_by_the_permissions() -> None:
    memory = Streams()
    script = PlanStep("internal", input="keep"), PlanStep("internal", input="never"), DONE
    rules = Rules({"memory": "never"})
    result = agent(*script, memory=memory, permissions=rules).run()
    assert [entry.get("step") for entry in memory.kept["clerk"]] == [0, 2, None]
    assert result.success
    blocked = [event.data for event in result.event_stream if event.kind == "blocked"]
    assert [data["place"] for data in blocked] == ["memory"]


@pytest.mark.parametrize("name", ["0.memory", "1.plan", "1.memory", "result.memory", "finish"])
def test_a_run_that_goes_on_keeps_nothing_twice(name: str) -> None:
    memory, kept = Streams(), Kept()
    clerk = agent(use(), DONE, tools=[tool(Calls(), honours_keys=True)], memory=memory)
    clerk.create_session(run_id="r", journal=kept).run()
    before = list(memory.kept["clerk"])
    clerk.create_session(run_id="r", journal=kept.killed_before(name)).run()
    assert [entry.get("step") for entry in memory.kept["clerk"]] == [0, 1, None]
    assert len(memory.kept["clerk"]) == len(before)


def test_a_memory_that_fails_ends_the_run_and_what_was_done_is_in_the_result() -> None:
    memory, calls = Streams(broken=True), Calls()
    result = agent(use(), DONE, tools=[tool(calls)], memory=memory).run()
    assert result.error
    assert (result.error.code, result.error.message) == ("memory_failed", "the disk is full")
    assert [action.state for action in result.actions] == ["ok"]
    recalling = agent(DONE, memory=memory, memory_policy=MemoryPolicy(recall=1)).run()
    assert recalling.error
    assert recalling.error.message == "the disk is gone"


class Away:
    """Memory, database and prompts in one, of which what is named in `how` does not work."""

    def __init__(self, **how: str) -> None:
        self.how = how

    async def _do(self, what: str, found: Any = None) -> Any:
        match self.how.get(what):
            case "raises":
                raise OSError("postgres://me:hunter2@db is away")
            case "hangs":
                while True:
                    try:
                        await asyncio.sleep(0.5)
                    except asyncio.CancelledError:
                        if "clings" in self.how:
                            await asyncio.sleep(0.5)
                        raise
            case "lies":
                return [{1, 2}] if what == "read" else 7
        return found

    async def read(self, stream: str, *, last: int | None = None, since: int = 0) -> Any:
        return await self._do("read", [])

    async def append(self, stream: str, entry: Json) -> None:
        await self._do("append")

    async def write(self, collection: str, key: str, value: Json) -> None:
        await self._do("write")

    async def render(self, template: str, params: Any, **others: Any) -> Any:
        return await self._do("render", type("Rendered", (), {"text": "Do.", "version": "v1"}))


@pytest.mark.parametrize(
    ("how", "code", "says"),
    [
        ({}, None, ""),
        ({"read": "raises"}, "memory_failed", "memory Away failed: OSError"),
        ({"read": "hangs"}, "memory_failed", "memory Away did not answer within 0.05 s"),
        ({"read": "hangs", "clings": "yes"}, "memory_failed", "did not answer within 0.05 s"),
        ({"read": "lies"}, "memory_failed", "memory Away failed: ValueError"),
        ({"append": "raises"}, "memory_failed", "memory Away failed: OSError"),
        ({"append": "hangs"}, "memory_failed", "memory Away did not answer within 0.05 s"),
        ({"write": "raises"}, "memory_failed", "database Away failed: OSError"),
        ({"write": "hangs"}, "memory_failed", "database Away did not answer within 0.05 s"),
        ({"render": "raises"}, "prompt_failed", "prompts Away failed: OSError"),
        ({"render": "hangs"}, "prompt_failed", "prompts Away did not answer within 0.05 s"),
        ({"render": "lies"}, "prompt_failed", "prompts Away failed: AttributeError"),
    ],
)
def test_a_store_that_is_away_or_hangs_ends_the_run_with_a_result(
    how: dict[str, str], code: str | None, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.core.patience.STORE_S", 0.05)
    monkeypatch.setattr("zkagent.executor.runtime.core.patience.GRACE_S", 0.05)
    away = Away(**how)
    clerk = agent(
        DONE,
        task_prompt="prompt:task",
        memory=away,
        database=away,
        prompts=away,
        memory_policy=MemoryPolicy(recall=3),
    )
    result = hastily(clerk.arun())
    assert (result.error and result.error.code) == code
    assert says in (result.error.message if result.error else "")
    assert SECRET not in str(result.to_json())


def test_an_agents_task_may_be_a_template_of_its_prompts() -> None:
    prompts = Prompts()
    clerk = agent(
        lambda state: PlanStep("finish", result=state.task),
        task_prompt="prompt:notes@v7",
        prompts=prompts,
    )
    result = clerk.run(RunOptions(params={"x": "zk"}))
    assert (result.result, prompts.asked) == ("Notes of zk.", [("notes", {"x": "zk"}, "v7")])
    assert result.provenance.templates == {"notes": "v7"}


def test_a_template_that_is_not_there_ends_the_run() -> None:
    for prompts, says in ((Prompts(), "there is no prompt none"), (None, "has no prompts")):
        result = agent(DONE, task_prompt="prompt:none", prompts=prompts).run()
        assert result.error
        assert result.error.code == "prompt_failed"
        assert says in result.error.message


def test_a_runs_own_task_cannot_name_a_template() -> None:
    clerk = agent(lambda state: PlanStep("finish", result=state.task), prompts=Prompts())
    assert clerk.run("prompt:notes").result == "prompt:notes"
