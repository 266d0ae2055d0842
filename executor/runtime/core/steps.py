"""What a planner decides, what it decides from, and what became of it.

A planner sees a PlannerState and answers with one PlanStep; a ToolExecutor makes an ActionResult of
a step of kind "tool". All are JSON (`to_json`, `from_json`), so a run can be kept and replayed.
Proposal: "Planner & Execution Interfaces".
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, Self, runtime_checkable

from zkagent.executor.runtime.core.errors import PlanRefused
from zkagent.executor.runtime.core.json_values import Json, JsonObject, fields_of

StepKind = Literal["tool", "message", "finish", "internal"]
STEP_KINDS = ("tool", "message", "finish", "internal")
#: ok; failed for good; refused by the rules; unknown: the process ended, or its time, within it.
ActionState = Literal["ok", "failed", "refused", "unknown"]


@dataclass(frozen=True, slots=True)
class ProofOfStep:
    """What shows that a model really decided this: exactly one of proof_id (a prover service has it
    in work) and receipt (the name of an attachment of the result) is given.

    model: its id; digest: of the circuit, in hex.
    """

    model: str
    digest: str
    proof_id: str | None = None
    receipt: str | None = None

    @classmethod
    def from_json(cls, found: Any) -> Self:
        """Raises PlanRefused: not such a proof."""
        try:
            proof = cls(**found)
        except TypeError as exc:
            raise PlanRefused(f"a step's proof is none: {exc}") from exc
        if (proof.proof_id is None) == (proof.receipt is None):
            raise PlanRefused("a step's proof has either a proof_id or a receipt")
        return proof


@dataclass(frozen=True, slots=True)
class PlanStep:
    """tool: tool_id and input; message: message; finish: result (and message, if there is one);
    internal: input is what to note in the scratchpad."""

    kind: StepKind
    tool_id: str | None = None
    input: Json = None
    message: str | None = None
    result: Json = None
    reason: str | None = None
    proof: ProofOfStep | None = None

    def to_json(self) -> dict[str, Any]:
        values = fields_of(self)
        values["proof"] = self.proof and asdict(self.proof)
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_json(cls, found: Any) -> Self:
        """Raises PlanRefused: not a step."""
        if not isinstance(found, Mapping) or found.get("kind") not in STEP_KINDS:
            raise PlanRefused(f"not a step: {found!r:.200}; a step has a kind, one of {STEP_KINDS}")
        if unknown := set(found) - set(cls.__dataclass_fields__):
            raise PlanRefused(f"a step has no field {sorted(unknown)[0]!r}")
        values = dict(found)
        if values.get("proof") is not None:
            values["proof"] = ProofOfStep.from_json(values["proof"])
        for name in ("tool_id", "message", "reason"):
            if not isinstance(values.get(name), str | None):
                raise PlanRefused(f"a step's {name} is text, not {values[name]!r:.80}")
        step = cls(**values)
        if (step.kind == "tool") != (step.tool_id is not None):
            raise PlanRefused("tool_id is given with a step of kind tool, and only then")
        return step


@dataclass(frozen=True, slots=True)
class ActionResult:
    """One iteration: the step as it was carried out, and its outcome.

    step: as allowed, so inputs may be redacted; output: what the planner sees; changed_by: the
    rules that changed input or output; attempts: how often the tool was called; key: its
    idempotency key.
    """

    index: int
    step: PlanStep
    state: ActionState = "ok"
    output: Json = None
    error: JsonObject | None = None
    attempts: int = 0
    key: str | None = None
    seconds: float = 0.0
    changed_by: tuple[str, ...] = ()
    meta: JsonObject = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        values = fields_of(self)
        return values | {"step": self.step.to_json(), "changed_by": list(self.changed_by)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        step = PlanStep.from_json(found["step"])
        return cls(**{**found, "step": step, "changed_by": tuple(found["changed_by"])})


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """role: system, user, assistant or tool; content: text."""

    role: str
    content: str

    def to_json(self) -> dict[str, str]:
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """What a planner knows of a tool. schema: JSON Schema of its input."""

    id: str
    description: str
    schema: JsonObject


@dataclass(frozen=True)
class PlannerState:
    """task: what is asked for; step: how many were taken; scratchpad: what internal steps noted;
    recalled: what memory gave at the start, oldest first. To be read: a reflector makes the next
    one, and what is changed within this one is nowhere on record."""

    run_id: str
    task: str
    tools: tuple[ToolInfo, ...]
    transcript: tuple[ChatMessage, ...] = ()
    actions: tuple[ActionResult, ...] = ()
    scratchpad: JsonObject = field(default_factory=dict)
    recalled: tuple[Json, ...] = ()
    step: int = 0
    max_steps: int = 0
    params: JsonObject = field(default_factory=dict)


class Planner(Protocol):
    """Deterministic but for what it asks of `models`, so that it can be replayed."""

    async def plan(self, state: PlannerState, models: "Models") -> PlanStep:
        """Raises ModelFault, PlanRefused."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """attachments: receipts by name, as text; cost: numbers to be added up, seconds of proving
    and gas."""

    attachments: Mapping[str, str] = field(default_factory=dict)
    cost: JsonObject = field(default_factory=dict)


@runtime_checkable
class ProvingPlanner(Protocol):
    """A planner whose steps carry proofs: asked right after `plan`, put on record with the step."""

    async def plan(self, state: PlannerState, models: "Models") -> PlanStep: ...

    def planned(self, run_id: str, step: PlanStep) -> bool:
        """Whether it was this planner that planned the step, here, and has evidence to give."""

    async def evidence(self, run_id: str, step: PlanStep) -> Evidence:
        """Raises ProofFault."""


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """Whether a step's proof shows that the model decided it; reason: why not."""

    valid: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.valid


@runtime_checkable
class VerifyingPlanner(Protocol):
    """A planner that checks the proofs of steps again: what a replay verifies by."""

    def attachment_of(self, proof: ProofOfStep) -> str:
        """The name of the attachment that tells what a proof is about."""

    async def verify_step(
        self, state: PlannerState, step: PlanStep, attachment: str | None, *, redacted: bool = False
    ) -> StepVerdict:
        """state: as it was before the step; attachment: the text of the one of that name; redacted:
        the rules have changed the step's input, so it is not compared. Raises ProofFault where it
        cannot be told."""


class Models(Protocol):
    """How a planner asks a language model: the answer is on record before the planner sees it."""

    async def ask(self, messages: "str | list[ChatMessage]", **options: Any) -> str:
        """The text. options: those of CallOptions. Raises ModelFault."""


class Reflector(Protocol):
    """Makes the next state of the last one and what happened."""

    async def reflect(self, state: PlannerState, done: ActionResult) -> PlannerState: ...


__all__ = ["ActionResult", "ActionState", "ChatMessage", "Evidence", "Models", "PlanStep"]
__all__ += ["STEP_KINDS", "Planner", "PlannerState", "ProofOfStep", "ProvingPlanner", "Reflector"]
__all__ += ["StepKind", "StepVerdict", "ToolInfo", "VerifyingPlanner"]
