"""The events of a run. Proposal: "Observability & Testing".

A run's events are numbered from 0 without gaps; a run that was killed and goes on tells the same
events with the same numbers again, which sinks must take as one (run_id and number are the key).
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from zkagent.executor.runtime.core.json_values import JsonObject

#: kind -> its data:
#: run_started    {agent, task, seed, config}     the config as `AgentConfig.described()` gives it
#: run_resumed    {incarnation, events}           taken up again in another process, which tells so
#:                                                many events that were told before; no number
#: step_started   {step}
#: model_called   {step, provider, model, messages, options, text, usage, seconds}
#: model_tokens   {step, text}                    a chunk of a stream; not numbered, not kept
#: planned        {step, plan}                    plan: PlanStep.to_json()
#: tool_called    {step, tool, input, key, attempt}
#: tool_returned  {step, tool, ok, output, meta, attempt, seconds}
#: tool_failed    {step, tool, error, retriable, attempt, seconds}
#: blocked        {step, place, rules, reason}    refused, or waits for approval
#: changed        {step, place, rules}            redacted or rewritten
#: memory_written {step, store, key}              a change that is in memory_deltas
#: step_finished  {step, action}                  action: ActionResult.to_json()
#: error          {step, code, message, info}
#: run_finished   {result}                        AgentResult.to_json() without events
EventKind = Literal[
    "run_started",
    "run_resumed",
    "step_started",
    "model_called",
    "model_tokens",
    "planned",
    "tool_called",
    "tool_returned",
    "tool_failed",
    "blocked",
    "changed",
    "memory_written",
    "step_finished",
    "error",
    "run_finished",
]
#: Told at most once, and not again by a run that goes on.
PASSING: frozenset[EventKind] = frozenset({"run_resumed", "model_tokens"})


@dataclass(frozen=True, slots=True)
class Event:
    """number: None for those that are PASSING; at: UTC."""

    run_id: str
    number: int | None
    at: datetime
    kind: EventKind
    data: JsonObject = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """data: the event's own, which nobody changes."""
        return {
            "run_id": self.run_id,
            "number": self.number,
            "at": self.at.isoformat(),
            "kind": self.kind,
            "data": self.data,
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "Event":
        return cls(**{**found, "at": datetime.fromisoformat(found["at"])})


class Sink(Protocol):
    """Takes events in order. A sink that raises is left out from then on, and its error reported
    once; the event store alone is waited for, and its error ends the run."""

    async def take(self, event: Event) -> None: ...


__all__ = ["PASSING", "Event", "EventKind", "Sink"]
