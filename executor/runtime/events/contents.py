"""What of an event may be shown: what happened always, contents only where they were asked for.

The permissions have taken secrets out of events already. This is the second half of "redacted by
default": logs, traces and lists hold no inputs, outputs or texts at all unless their owner includes
them. Only what is named here is shown; a field that nobody thought of is withheld.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, get_args

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.events import Event, EventKind

WITHHELD = "[withheld]"
#: Of tools; of tools and runs; tasks, prompts and answers; what went wrong, in words.
GROUPS = ("inputs", "outputs", "texts", "errors")


@dataclass(frozen=True, slots=True)
class Include:
    """Which contents are shown, by group."""

    inputs: bool = False
    outputs: bool = False
    texts: bool = False
    errors: bool = False

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """names: of GROUPS, or all. Raises AgentConfigRefused: another one."""
        wanted = set(names)
        if unknown := wanted - {*GROUPS, "all"}:
            known = ", ".join((*GROUPS, "all"))
            raise AgentConfigRefused(
                f"{sorted(unknown)[0]!r:.40} cannot be included: there are {known}"
            )
        return cls(**{group: group in wanted or "all" in wanted for group in GROUPS})

    def has(self, group: str) -> bool:
        return bool(getattr(self, group))


NOTHING = Include()
EVERYTHING = Include(True, True, True, True)

#: A field's name to True (always shown), to a group, or to the fields within; [...]: of each entry.
Fields = Mapping[str, Any]

_ERROR: Fields = {"code": True, "message": "errors", "info": "errors"}
_STEP: Fields = {
    "kind": True,
    "tool_id": True,
    "input": "inputs",
    "message": "texts",
    "reason": "texts",
    "result": "outputs",
    "proof": True,
}
_ACTION: Fields = {
    "index": True,
    "step": _STEP,
    "state": True,
    "output": "outputs",
    "error": _ERROR,
    "attempts": True,
    "key": "inputs",  # a hash by which a guess at the input could be confirmed
    "seconds": True,
    "changed_by": True,
    "meta": "outputs",
}
_MODEL_CALL: Fields = {
    "step": True,
    "provider": True,
    "model": True,
    "prompt": "texts",  # a hash, as above
    "usage": True,
    "seconds": True,
}
_RESULT: Fields = {
    "id": True,
    "session_id": True,
    "agent_id": True,
    "success": True,
    "result": "outputs",
    "started_at": True,
    "finished_at": True,
    "error": _ERROR,
    "steps": True,
    "actions": [_ACTION],
    "model_calls": [_MODEL_CALL],
    "token_usage": True,
    "cost_estimate": True,
    "proof_cost": True,
    "event_stream": True,
    "memory_deltas": [{"step": True, "store": True, "key": True, "value": "outputs"}],
    "provenance": True,
    "diagnostics": {"warnings": True},
    "aborted": True,
    "retry_info": {"attempts": True, "last_error": "errors"},
    "seed": True,
    "deterministic": True,
    "metrics": True,
    "attachments": "outputs",
    "task": "texts",
}
_CALL: Fields = {"step": True, "tool": True, "attempt": True, "seconds": True}
_BLOCKED: Fields = {"step": True, "place": True, "rules": True, "reason": True}
SHOWN: Mapping[EventKind, Fields] = {
    "run_started": {"agent": True, "task": "texts", "seed": True, "config": True},
    "run_resumed": {"incarnation": True, "events": True},
    "step_started": {"step": True},
    "model_called": {
        **_MODEL_CALL,
        "messages": "texts",
        "options": True,
        "text": "texts",
    },
    "model_tokens": {"step": True, "text": "texts"},
    "planned": {"step": True, "plan": _STEP},
    "tool_called": {**_CALL, "input": "inputs", "key": "inputs"},
    "tool_returned": {**_CALL, "ok": True, "output": "outputs", "meta": "outputs"},
    "tool_failed": {**_CALL, "error": _ERROR, "retriable": True},
    "blocked": _BLOCKED,
    "changed": _BLOCKED,
    "memory_written": {"step": True, "store": True, "key": True},
    "step_finished": {"step": True, "action": _ACTION},
    "error": {"step": True, **_ERROR},
    "run_finished": {"result": _RESULT},
}
assert set(SHOWN) == set(get_args(EventKind))


def shown(event: Event, include: Include = NOTHING) -> Event:
    """The event with WITHHELD in the place of each content that is not included."""
    if include == EVERYTHING:
        return event
    return replace(event, data=_shown(event.data, SHOWN[event.kind], include))


def shown_result(result: Mapping[str, Any], include: Include = NOTHING) -> dict[str, Any]:
    """The same for what `AgentResult.to_json()` gives."""
    found: dict[str, Any] = _shown(result, _RESULT, include)
    return found


def shown_text(text: str, include: Include = NOTHING) -> str:
    """The same of a task."""
    return text if include.texts else WITHHELD


def _shown(value: Any, fields: Any, include: Include) -> Any:
    if fields is True or value is None:
        return value
    if isinstance(fields, Mapping) and isinstance(value, Mapping):
        return {name: _shown(one, fields.get(name), include) for name, one in value.items()}
    if isinstance(fields, list) and isinstance(value, list | tuple):
        return [_shown(one, fields[0], include) for one in value]
    if isinstance(fields, str) and include.has(fields):
        return value
    return WITHHELD


__all__ = ["EVERYTHING", "GROUPS", "NOTHING", "WITHHELD", "Include", "shown", "shown_result"]
__all__ += ["shown_text"]
