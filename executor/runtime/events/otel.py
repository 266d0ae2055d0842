"""Spans of OpenTelemetry with the attribute names of OpenInference, which tracing tools for agents
read. Needs the extra `otel`. The span of a run is below the one that its caller has open.

A run is a span of kind AGENT; each step is a CHAIN below it, and in it each model's answer an LLM
and each call a TOOL. What permissions refused or changed is an event of its step. Source of the
names: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.events import Event, EventKind
from zkagent.executor.runtime.events.contents import NOTHING, Include, shown
from zkagent.executor.runtime.events.openinference import (
    KIND,
    content,
    of_call,
    of_model,
    plain,
    tokens,
    why,
)

try:
    from opentelemetry import trace
    from opentelemetry.trace import Span, Status, StatusCode, Tracer, TracerProvider
except ModuleNotFoundError as exc:
    raise AgentConfigRefused("spans need opentelemetry: pip install 'zkagent[otel]'") from exc

NAME = "zkagent.runtime"
#: Runs whose end nobody has told yet; further ones push the oldest out, which is ended.
MOST_RUNS = 1_000
#: Events of a step's span.
NOTED: frozenset[EventKind] = frozenset({"blocked", "changed", "memory_written"})


@dataclass
class _Open:
    """The spans of a run that have not ended."""

    run: Span
    last: int = -1
    step: Span | None = None
    call: Span | None = None


class Spans:
    """A sink. provider: the process's own if none is given; include: what spans may hold of inputs,
    outputs and texts, nothing by default."""

    def __init__(self, provider: TracerProvider | None = None, include: Include = NOTHING) -> None:
        self._tracer: Tracer = trace.get_tracer(NAME, tracer_provider=provider)
        self._include = include
        self._open: dict[str, _Open] = {}

    async def take(self, event: Event) -> None:
        told = shown(event, self._include)
        if told.kind == "run_started" and told.run_id not in self._open:
            self._begin(told)
        found = self._open.get(told.run_id)
        if found is None or told.number is None or told.number <= found.last:
            return
        found.last = told.number
        if told.kind in NOTED:
            attributes = {f"zkagent.{name}": plain(value) for name, value in told.data.items()}
            (found.step or found.run).add_event(told.kind, attributes, _ns(told.at))
        elif (handle := getattr(self, f"_{told.kind}", None)) is not None:
            handle(found, told)

    def close(self) -> None:
        """Ends what is open."""
        for run_id in tuple(self._open):
            self._end(self._open.pop(run_id), None)

    def _begin(self, event: Event) -> None:
        agent = str(event.data["agent"])
        attributes = {KIND: "AGENT", "agent.name": agent, "zkagent.run.id": event.run_id}
        attributes |= content("input", event.data["task"])
        span = self._tracer.start_span(agent, start_time=_ns(event.at), attributes=attributes)
        if len(self._open) >= MOST_RUNS:
            self._end(self._open.pop(next(iter(self._open))), event.at)
        self._open[event.run_id] = _Open(span)

    def _step_started(self, found: _Open, event: Event) -> None:
        self._end_step(found, event.at)
        step: Any = event.data["step"]
        attributes: dict[str, Any] = {KIND: "CHAIN", "zkagent.step": step}
        found.step = self._span(found, f"step {step}", _ns(event.at), attributes)

    def _planned(self, found: _Open, event: Event) -> None:
        plan: Any = event.data["plan"]
        if found.step is not None:
            found.step.set_attribute("zkagent.plan.kind", str(plan["kind"]))

    def _model_called(self, found: _Open, event: Event) -> None:
        data: Mapping[str, Any] = event.data
        ended = _ns(event.at)
        name = str(data["model"] or data["provider"])
        self._span(found, name, ended - int(data["seconds"] * 1e9), of_model(data)).end(ended)

    def _tool_called(self, found: _Open, event: Event) -> None:
        self._end_call(found, event.at)
        name = str(event.data["tool"])
        found.call = self._span(found, name, _ns(event.at), of_call(event.data))

    def _tool_returned(self, found: _Open, event: Event) -> None:
        if found.call is not None:
            found.call.set_attributes(content("output", event.data["output"]))
            found.call.set_attribute("zkagent.ok", bool(event.data["ok"]))
        self._end_call(found, event.at, Status(StatusCode.OK))

    def _tool_failed(self, found: _Open, event: Event) -> None:
        error: Any = event.data["error"]
        self._end_call(found, event.at, _failed(error))

    def _step_finished(self, found: _Open, event: Event) -> None:
        action: Any = event.data["action"]
        if found.step is not None:
            found.step.set_attribute("zkagent.state", str(action["state"]))
            if action["error"]:
                found.step.set_status(_failed(action["error"]))
        self._end_step(found, event.at)

    def _run_finished(self, found: _Open, event: Event) -> None:
        result: Any = event.data["result"]
        usage = result["token_usage"]
        found.run.set_attributes(
            {
                "session.id": str(result["session_id"]),
                "zkagent.steps": result["steps"],
                **content("output", result["result"]),
                **tokens(usage),
            }
        )
        ok = result["success"]
        found.run.set_status(Status(StatusCode.OK) if ok else _failed(result["error"]))
        self._end(self._open.pop(event.run_id), event.at)

    def _span(self, found: _Open, name: str, began: int, attributes: Mapping[str, Any]) -> Span:
        context = trace.set_span_in_context(found.step or found.run)
        return self._tracer.start_span(name, context, start_time=began, attributes=attributes)

    def _end(self, found: _Open, at: datetime | None) -> None:
        self._end_step(found, at)
        found.run.end(_ns(at) if at else None)

    def _end_step(self, found: _Open, at: datetime | None) -> None:
        self._end_call(found, at)
        if found.step is not None:
            found.step.end(_ns(at) if at else None)
            found.step = None

    def _end_call(self, found: _Open, at: datetime | None, status: Status | None = None) -> None:
        if found.call is not None:
            if status is not None:
                found.call.set_status(status)
            found.call.end(_ns(at) if at else None)
            found.call = None


def _failed(error: Mapping[str, Any]) -> Status:
    return Status(StatusCode.ERROR, why(error))


def _ns(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000


__all__ = ["Spans"]
