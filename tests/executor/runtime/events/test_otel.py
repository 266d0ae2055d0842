"""Spans: a run, its steps, models' answers and calls, by the names of OpenInference."""

from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from tests.executor.runtime.events.stories import (
    FOUND,
    GIVEN,
    RESULT,
    SAID,
    TASK,
    asked,
    event,
    in_loop,
    told,
)
from tests.executor.runtime.scripts import DONE, agent, use
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.events.contents import EVERYTHING, NOTHING, Include
from zkagent.executor.runtime.events.otel import Spans


async def traced(events: list[Event], include: Include = NOTHING) -> list[ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    sink = Spans(provider, include)
    for one in events:
        await sink.take(one)
    sink.close()
    return list(exporter.get_finished_spans())


def kind(span: ReadableSpan) -> Any:
    return (span.attributes or {})["openinference.span.kind"]


def one(spans: list[ReadableSpan], wanted: str) -> ReadableSpan:
    return next(span for span in spans if kind(span) == wanted)


@in_loop
async def test_a_run_is_a_tree_of_agent_steps_and_calls() -> None:
    spans = await traced(told())
    assert [kind(span) for span in spans] == ["TOOL", "TOOL", "CHAIN", "CHAIN", "AGENT"]
    root, steps, calls = spans[-1], spans[2:4], spans[:2]
    assert root.parent is None
    assert {span.parent.span_id for span in steps if span.parent} == {root.context.span_id}
    assert {span.parent.span_id for span in calls if span.parent} == {steps[0].context.span_id}
    assert (root.attributes or {})["agent.name"] == "clerk"
    assert [(span.attributes or {})["tool.name"] for span in calls] == ["look", "look"]


@in_loop
async def test_spans_last_as_long_as_what_they_tell_of() -> None:
    events = told()
    root = one(await traced(events), "AGENT")
    for ns, at in ((root.start_time, events[0].at), (root.end_time, events[-1].at)):
        assert ns == round(at.timestamp() * 1e6) * 1000


@in_loop
async def test_a_models_answer_has_its_name_and_tokens() -> None:
    span = one(await traced(asked(), EVERYTHING), "LLM")
    attributes = span.attributes or {}
    assert attributes["llm.model_name"]
    assert attributes["llm.token_count.total"] == (
        attributes["llm.token_count.prompt"] + attributes["llm.token_count.completion"]  # type: ignore[operator]
    )
    assert attributes["output.value"] == RESULT
    assert attributes["llm.output_messages.0.message.content"] == RESULT


@in_loop
async def test_spans_hold_no_contents_unless_they_are_included() -> None:
    events = told() + asked()
    contents = (TASK, GIVEN, FOUND, SAID, RESULT)
    bare = "".join(span.to_json() for span in await traced(events))
    assert not [content for content in contents if content in bare]
    assert "input.value" not in bare
    full = "".join(span.to_json() for span in await traced(events, EVERYTHING))
    assert all(content in full for content in contents)
    assert "input.value" in full


@in_loop
async def test_what_failed_says_so_with_its_code() -> None:
    failed = one(await traced(told()), "TOOL")
    assert (failed.status.status_code, failed.status.description) == (
        StatusCode.ERROR,
        "tool_failed",
    )
    stream = list(agent(use("gone"), DONE, max_steps=1).run().event_stream)
    root = one(await traced(stream), "AGENT")  # type: ignore[arg-type]
    assert root.status.description == "steps_exhausted"


@in_loop
async def test_what_the_permissions_did_is_an_event_of_the_step() -> None:
    start = event("run_started", 0, agent="clerk", task="t", seed=0, config={})
    step = event("step_started", 1, step=0)
    blocked = event("blocked", 2, step=0, place="input", rules=["lists"], reason="not allowed")
    spans = await traced([start, step, blocked])
    (noted,) = one(spans, "CHAIN").events
    assert noted.name == "blocked"
    assert (noted.attributes or {})["zkagent.rules"] == '["lists"]'


@in_loop
async def test_a_run_that_is_told_again_has_its_spans_once() -> None:
    events = told()
    assert len(await traced([*events[:6], *events])) == len(await traced(events))
