"""What a tool is. Proposal: "Tools and Connectors".

A tool gets input that fits its schema and a CallContext, and answers with a ToolOutput or raises a
ToolFault that says whether the same call may be tried again. Connectors are made of this, and so is
`function.tool`, which makes one of any Python function.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from zkagent.executor.runtime.core.json_values import Json, JsonObject

#: What becomes of a call within which the process ended, if the other side honours no key.
Interrupted = Literal["fail", "ask", "retry"]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """ok: False is an answer that the planner sees (a page that is not there), no fault."""

    ok: bool
    output: Json = None
    meta: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class CallContext:
    """key: the same for each attempt of one call and for no other, to be sent as idempotency key;
    timeout_s: when the caller stops waiting."""

    run_id: str
    agent_id: str
    step: int
    key: str
    timeout_s: float
    secrets: Callable[[str], str] | None = None  # a name to its value; not part of any record


@dataclass(frozen=True)
class ToolDefinition:
    """schema: JSON Schema (2020-12) of an object.

    safe_by_default: nothing outside the run is changed and nothing private is read; a tool that is
    not has to be allowed by name. destructive: what it does cannot be undone (denied by default).
    honours_keys: two calls with one key happen once. interrupted: otherwise, see there; by default
    "retry" for tools that are safe by default, for which a second call changes nothing, and "fail"
    for all others.
    retriable: exceptions after which the same call may be tried again; all others are fatal.
    """

    id: str
    description: str
    schema: JsonObject
    run: Callable[[dict[str, Any], CallContext], Awaitable[ToolOutput]]
    safe_by_default: bool = False
    destructive: bool = False
    honours_keys: bool = False
    interrupted: Interrupted | None = None
    retriable: tuple[type[BaseException], ...] = ()
    timeout_s: float = 30.0

    def __post_init__(self) -> None:
        if self.interrupted is None:
            object.__setattr__(self, "interrupted", "retry" if self.safe_by_default else "fail")


__all__ = ["CallContext", "Interrupted", "ToolDefinition", "ToolOutput"]
