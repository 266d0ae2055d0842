"""The reflector that agents have unless they name their own: it adds, and forgets nothing."""

from collections.abc import Mapping
from dataclasses import replace

from zkagent.executor.runtime.core.json_values import JsonObject
from zkagent.executor.runtime.core.steps import ActionResult, PlannerState
from zkagent.executor.runtime.planners.transcript import told


class Appending:
    """Transcript and actions grow by what was done; an internal step's input is noted in the
    scratchpad: an object's fields by name, anything else under its step's number."""

    async def reflect(self, state: PlannerState, done: ActionResult) -> PlannerState:
        return replace(
            state,
            transcript=(*state.transcript, *told(done)),
            actions=(*state.actions, done),
            scratchpad=_noted(state, done),
            step=done.index + 1,
        )


def _noted(state: PlannerState, done: ActionResult) -> JsonObject:
    note = done.step.input
    if done.step.kind != "internal" or done.state != "ok" or note is None:
        return state.scratchpad
    notes = note if isinstance(note, Mapping) else {str(done.index): note}
    return {**state.scratchpad, **notes}


__all__ = ["Appending"]
