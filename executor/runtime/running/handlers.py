"""Functions of the host that are told of a run: `Agent.on` and the proposal's hooks, as sinks."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.events import Event, EventKind

Handler = Callable[[Event], Any]

#: What `on` takes beside each kind of event: the proposal's four names, and all.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "step": ("step_started", "step_finished"),
    "tool": ("tool_called", "tool_returned", "tool_failed"),
    "error": ("error",),
    "metrics": ("run_finished",),
    "*": get_args(EventKind),
}


@dataclass(frozen=True)
class Told:
    """One handler, called or awaited with each event of these kinds."""

    kinds: frozenset[str]
    handler: Handler

    @property
    def name(self) -> str:
        return getattr(self.handler, "__name__", type(self.handler).__name__)

    async def take(self, event: Event) -> None:
        if event.kind in self.kinds:
            answer = self.handler(event)
            if inspect.isawaitable(answer):
                await answer


def told(event: str, handler: Handler) -> Told:
    """Raises AgentConfigRefused: there is no such event."""
    kinds = GROUPS.get(event, (event,) if event in get_args(EventKind) else ())
    if not kinds:
        known = ", ".join((*GROUPS, *get_args(EventKind)))
        raise AgentConfigRefused(f"there is no event {event!r:.40}; there are {known}")
    return Told(frozenset(kinds), handler)


@dataclass(frozen=True)
class Hooks:
    """The proposal's hooks; each may be asynchronous.

    on_step_start: the step's number; on_model_tokens: text; on_tool_call: the tool's id and its
    input; on_error: {"code", "message", "info", "step"}.
    """

    on_step_start: Callable[[int], Any] | None = None
    on_model_tokens: Callable[[str], Any] | None = None
    on_tool_call: Callable[[str, Any], Any] | None = None
    on_error: Callable[[Mapping[str, Any]], Any] | None = None

    def sinks(self) -> list[Told]:
        return [
            told(kind, _spread(hook, fields))
            for kind, hook, fields in (
                ("step_started", self.on_step_start, ("step",)),
                ("model_tokens", self.on_model_tokens, ("text",)),
                ("tool_called", self.on_tool_call, ("tool", "input")),
                ("error", self.on_error, ()),
            )
            if hook is not None
        ]


def _spread(hook: Callable[..., Any], fields: Sequence[str]) -> Handler:
    """Calls the hook with these fields of an event, or with all its data."""

    def handler(event: Event) -> Any:
        return hook(*(event.data[name] for name in fields)) if fields else hook(event.data)

    handler.__name__ = getattr(hook, "__name__", "hook")
    return handler


__all__ = ["GROUPS", "Handler", "Hooks", "Told", "told"]
