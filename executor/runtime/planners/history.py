"""A run so far as a proven model reads it: its own calls, and what the tools said, as on a chain.

A model learned no failures: on a chain a tool that fails undoes the run. So a run ends here as well
when a tool that the model called did not do what was asked.
"""

import json

from zkagent.executor.runtime.core.errors import PlanRefused
from zkagent.executor.runtime.core.steps import ActionResult, PlannerState
from zkagent.models.encoding.context import escape_observation
from zkagent.models.encoding.decoder import Decision


def calls_of(state: PlannerState, model: str) -> tuple[ActionResult, ...]:
    """The tool calls that this model decided, in order; those of other planners are none of its
    business. Raises PlanRefused: one of them failed."""
    calls = tuple(
        action
        for action in state.actions
        if action.step.kind == "tool" and action.step.proof and action.step.proof.model == model
    )
    for call in calls:
        if (ended := "failed" if call.meta.get("ok") is False else call.state) != "ok":
            why = (call.error or {}).get("message", observation(call))
            raise PlanRefused(
                f"step {call.index}, {call.step.tool_id}, ended as {ended}, and {model} has "
                f"learned nothing of that: {why:.300}"
            )
    return calls


def entry(decision: Decision, call: ActionResult) -> bytes:
    """What an agent writes down of a call."""
    observed = escape_observation(observation(call).encode("utf-8", "backslashreplace"))
    return decision.reasoning.encode() + b"Observation: " + observed + b"\n"


def observation(call: ActionResult) -> str:
    """A text as it is; anything else as JSON, in one form."""
    if isinstance(call.output, str):
        return call.output
    return json.dumps(call.output, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


__all__ = ["calls_of", "entry", "observation"]
