"""The proposal's metrics, counted from events."""

from dataclasses import replace
from typing import Any

import pytest

from tests.executor.runtime.events.stories import asked, event, in_loop, told
from tests.executor.runtime.planners.wallets import HashedProofs, wallet_agent, wallet_tools
from tests.executor.runtime.scripts import Calls, agent, tool, use
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.events import metrics as module
from zkagent.executor.runtime.events.metrics import RunMetrics
from zkagent.executor.runtime.planners.proven import ProvenPlanner


async def counted(*stories: list[Event]) -> RunMetrics:
    metrics = RunMetrics()
    for story in stories:
        for one in story:
            await metrics.take(one)
    return metrics


def value(metrics: RunMetrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"zkagent_{name}", labels)


@in_loop
async def test_a_run_is_counted_with_its_steps_and_calls() -> None:
    metrics = await counted(told())
    assert value(metrics, "runs_total", agent="clerk", outcome="done") == 1
    assert value(metrics, "run_steps_sum", agent="clerk") == 2
    called = {"agent": "clerk", "tool": "look"}
    assert value(metrics, "tool_calls_total", **called, outcome="ok") == 1
    assert value(metrics, "tool_calls_total", **called, outcome="tool_failed") == 1
    assert value(metrics, "tool_seconds_count", **called) == 2
    assert value(metrics, "runs_going", agent="clerk") == 0
    assert b"zkagent_run_seconds_bucket" in metrics.render()


@in_loop
async def test_a_run_that_fails_is_counted_by_its_error() -> None:
    failed = list(agent(use(), max_steps=1, tools=[tool(Calls())]).run().event_stream)
    metrics = await counted(failed)  # type: ignore[arg-type]
    assert value(metrics, "runs_total", agent="clerk", outcome="steps_exhausted") == 1
    assert value(metrics, "runs_total", agent="clerk", outcome="done") is None


@in_loop
async def test_tokens_and_their_cost_are_counted() -> None:
    answered = asked()
    place = next(place for place, one in enumerate(answered) if one.kind == "model_called")
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.25}
    answered[place] = replace(answered[place], data={**answered[place].data, "usage": usage})
    metrics = await counted(answered)
    assert value(metrics, "tokens_total", agent="clerk", kind="prompt") == 7
    assert value(metrics, "tokens_total", agent="clerk", kind="completion") == 3
    assert value(metrics, "model_cost_dollars_total", agent="clerk") == 0.25


@in_loop
async def test_what_a_proven_run_costs_is_counted() -> None:
    with ProvenPlanner(proofs=HashedProofs()) as planner:
        done = await wallet_agent(planner, wallet_tools()).arun("withdraw all from the pool")
    unproven = told()
    metrics = await counted(list(done.event_stream), unproven)  # type: ignore[arg-type]
    steps = len(done.actions)
    assert value(metrics, "proofs_total", agent="wallet") == steps > 0
    assert value(metrics, "prove_seconds_total", agent="wallet") == 0.5 * steps
    assert value(metrics, "proofs_total", agent="clerk") == 0


@in_loop
async def test_a_run_that_is_told_again_is_counted_once() -> None:
    story = told()
    metrics = await counted(story[:8], story[:8], story[:-1])
    assert value(metrics, "runs_going", agent="clerk") == 1
    called = {"agent": "clerk", "tool": "look"}
    assert value(metrics, "tool_calls_total", **called, outcome="tool_failed") == 1


@in_loop
async def test_what_an_earlier_process_told_of_a_run_is_counted_there_alone() -> None:
    story = told()
    failed = next(place for place, one in enumerate(story) if one.kind == "tool_failed")
    resumed = event("run_resumed", None, story[0].run_id, incarnation="2", events=failed + 1)
    first, second = await counted(story[: failed + 1]), await counted([resumed, *story])
    called = {"agent": "clerk", "tool": "look"}
    for outcome, counts in {"tool_failed": [1, None], "ok": [None, 1]}.items():
        both = [
            value(one, "tool_calls_total", **called, outcome=outcome) for one in (first, second)
        ]
        assert both == counts
    assert value(second, "runs_total", agent="clerk", outcome="done") == 1
    assert [value(one, "runs_going", agent="clerk") for one in (first, second)] == [1, 0]


@in_loop
async def test_what_a_model_makes_up_is_no_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_AGENTS", 2)
    config: dict[str, Any] = {"tools": []}
    called = {"ok": True, "seconds": 1.0}
    stories = [
        [
            event("run_started", 0, f"run{place}", agent=f"agent{place}", config=config),
            event("tool_returned", 1, f"run{place}", tool=f"made-up-{place}", **called),
            event("blocked", 2, f"run{place}", place="a place of its own"),
        ]
        for place in range(5)
    ]
    text = (await counted(*stories)).render().decode()
    assert "made-up" not in text
    assert "of its own" not in text
    assert 'agent="agent1"' in text
    assert 'agent="agent4"' not in text


@pytest.mark.parametrize("lie", [-5, float("nan"), float("inf"), "many", None, True, 10**400])
@in_loop
async def test_what_a_model_says_that_it_used_never_breaks_the_counters(lie: Any) -> None:
    usage = {"prompt_tokens": lie, "completion_tokens": 3, "cost": lie}
    started = event("run_started", 0, agent="clerk", config={})
    answered = event("model_called", 1, usage=usage)
    metrics = await counted([started, answered])
    assert value(metrics, "tokens_total", agent="clerk", kind="prompt") == 0
    assert value(metrics, "tokens_total", agent="clerk", kind="completion") == 3
