"""What a run gives back. Proposal: "AgentResult"."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.models import NOTHING_USED, TokenUsage
from zkagent.executor.runtime.core.steps import ActionResult


@dataclass(frozen=True, slots=True)
class ResultError:
    message: str
    code: str
    info: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """prompt: the SHA-256 of what was asked, in hex, or a template's id and version."""

    step: int
    provider: str
    model: str
    prompt: str
    usage: TokenUsage
    seconds: float


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """store: memory or database; key: the stream, or collection/key."""

    step: int
    store: str
    key: str
    value: Json


@dataclass(frozen=True, slots=True)
class Provenance:
    """planner and models by name; templates: id to version; receipts: names of attachments, for the
    steps by index."""

    planner: str
    models: tuple[str, ...] = ()
    templates: Mapping[str, str] = field(default_factory=dict)
    receipts: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RetryInfo:
    attempts: int
    last_error: str | None = None


@dataclass(frozen=True)
class AgentResult:
    """success: the planner finished; error: what else ended it. event_stream: the events, or where
    they are kept. proof_cost: seconds of proving and gas, where there were proofs."""

    id: str
    session_id: str
    agent_id: str
    success: bool
    result: Json
    started_at: datetime
    finished_at: datetime
    error: ResultError | None = None
    steps: int = 0
    actions: tuple[ActionResult, ...] = ()
    model_calls: tuple[ModelCall, ...] = ()
    token_usage: TokenUsage = NOTHING_USED
    cost_estimate: float | None = None
    proof_cost: JsonObject = field(default_factory=dict)
    event_stream: tuple[Event, ...] | str = ()
    memory_deltas: tuple[MemoryChange, ...] = ()
    provenance: Provenance = Provenance("")
    diagnostics: JsonObject = field(default_factory=dict)
    aborted: bool = False
    retry_info: RetryInfo | None = None
    seed: int = 0
    deterministic: bool = False
    metrics: JsonObject = field(default_factory=dict)
    attachments: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Without events that stand inline."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        raise NotImplementedError


__all__ = ["AgentResult", "MemoryChange", "ModelCall", "Provenance", "ResultError", "RetryInfo"]
