"""What a run gives back. Proposal: "AgentResult"."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Self

from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.json_values import Json, JsonObject, fields_of
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

    def to_json(self) -> dict[str, Any]:
        values = fields_of(self)
        return values | {"usage": self.usage.to_json()}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        return cls(**{**found, "usage": TokenUsage(**found["usage"])})


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

    def to_json(self) -> dict[str, Any]:
        """Keys of JSON are text, so are those of receipts."""
        receipts = {str(step): name for step, name in self.receipts.items()}
        return {
            "planner": self.planner,
            "models": list(self.models),
            "templates": dict(self.templates),
            "receipts": receipts,
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        receipts = {int(step): name for step, name in found["receipts"].items()}
        return cls(**{**found, "models": tuple(found["models"]), "receipts": receipts})


@dataclass(frozen=True, slots=True)
class RetryInfo:
    attempts: int
    last_error: str | None = None


@dataclass(frozen=True)
class AgentResult:
    """success: the planner finished; error: what else ended it. event_stream: the events, or where
    they are kept. task: as the permissions allowed it, redacted; None where they did not.
    proof_cost: what the planner's evidence says, summed; of proven models proofs, and
    prove_seconds."""

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
    task: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Without events that stand inline."""
        pointer = self.event_stream if isinstance(self.event_stream, str) else None
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "started_at": self.started_at.isoformat(),
            "finished_at": self.finished_at.isoformat(),
            "error": self.error and asdict(self.error),
            "actions": [action.to_json() for action in self.actions],
            "model_calls": [call.to_json() for call in self.model_calls],
            "token_usage": self.token_usage.to_json(),
            "event_stream": pointer,
            "memory_deltas": [asdict(change) for change in self.memory_deltas],
            "provenance": self.provenance.to_json(),
            "retry_info": self.retry_info and asdict(self.retry_info),
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        """What `to_json` gave; events that stood inline are not there."""
        values = dict(found)
        for name in ("started_at", "finished_at"):
            values[name] = datetime.fromisoformat(values[name])
        error, retries = values["error"], values["retry_info"]
        values["error"] = error and ResultError(**error)
        values["retry_info"] = retries and RetryInfo(**retries)
        values["actions"] = tuple(map(ActionResult.from_json, values["actions"]))
        values["model_calls"] = tuple(map(ModelCall.from_json, values["model_calls"]))
        values["token_usage"] = TokenUsage(**values["token_usage"])
        values["event_stream"] = values["event_stream"] or ()
        values["memory_deltas"] = tuple(MemoryChange(**one) for one in values["memory_deltas"])
        values["provenance"] = Provenance.from_json(values["provenance"])
        return cls(**values)


#: Fields that are JSON as they are.
_PLAIN = (
    "id",
    "session_id",
    "agent_id",
    "success",
    "result",
    "steps",
    "cost_estimate",
    "proof_cost",
    "diagnostics",
    "aborted",
    "seed",
    "deterministic",
    "metrics",
    "attachments",
    "task",
)

__all__ = ["AgentResult", "MemoryChange", "ModelCall", "Provenance", "ResultError", "RetryInfo"]
