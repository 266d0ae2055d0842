"""The bodies of the HTTP API; OpenAPI is made from these, so what they say is what holds."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
)

from zkagent.circuits.bn254.field import INT64_MAX, INT64_MIN
from zkagent.prover.service.wire.states import Cause, Failure, State

MOST_FEATURES = 100_000
MOST_PROOF_BYTES = 1 << 20
MOST_TEXT = 100_000
MOST_TYPE, MOST_AXES, MOST_TENSORS = 20, 32, 1000
LONGEST_DEADLINE_S = 30 * 86_400.0

Int64 = Annotated[int, Field(ge=INT64_MIN, le=INT64_MAX, strict=True)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="64 lower-case hex digits")]
ModelName = Annotated[str, Field(min_length=1, max_length=100)]
Features = Annotated[list[Int64], Field(min_length=1, max_length=MOST_FEATURES, fail_fast=True)]
Integers = Annotated[list[int], Field(max_length=MOST_FEATURES, fail_fast=True)]
Numbers = Annotated[list[float], Field(max_length=MOST_FEATURES, fail_fast=True)]
PriorityName = Literal["urgent", "normal", "bulk"]


class Body(BaseModel):
    """Unknown fields are refused: a misspelt option must not be ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class HexText(Body):
    """Bytes that need not be text."""

    hex: Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$", max_length=200_000)]


Text = Annotated[str, Field(max_length=100_000)] | HexText


class Asset(Body):
    """One entry of the agent's symbol book, as read from the chain."""

    symbol: Annotated[str, Field(pattern=r"^[A-Za-z0-9.$_-]{1,11}$")]
    token: Annotated[str, Field(pattern=r"^0x[0-9a-f]{40}$")]
    decimals: Annotated[int, Field(ge=0, le=255, strict=True)]


class ContextBody(Body):
    """A decision's context: everything on chain that the encoder looks at, as it was read."""

    prompt: Text
    reasoning: Annotated[list[Text], Field(max_length=256, fail_fast=True)] = []
    book: Annotated[list[Asset], Field(max_length=1000, fail_fast=True)] = []


class Wishes(Body):
    """What a requester may say about any proof."""

    priority: PriorityName = "normal"
    deadline_s: Annotated[
        float | None,
        Field(
            gt=0,
            le=LONGEST_DEADLINE_S,
            allow_inf_nan=False,
            description="seconds from now after which the proof is no longer wanted",
        ),
    ] = None
    callback_url: Annotated[str | None, Field(pattern=r"^https?://.", max_length=2000)] = None
    batch: Annotated[
        Literal["allowed", "never"],
        Field(description="whether it may share a proof of the circuit's batch form"),
    ] = "allowed"


class ByCircuit(Wishes):
    """Prove y = f(features) for a circuit."""

    circuit: Digest
    features: Features


class ByModel(Wishes):
    """Prove y = f(features) for a model's circuit."""

    model: ModelName
    features: Features


class ByContext(Wishes):
    """Prove the model's decision about a context; the service encodes it."""

    model: ModelName
    context: ContextBody


def _form(body: Any) -> str:
    """Which of the three forms a body is meant to be, so that errors are about that one."""
    fields = body if isinstance(body, dict) else vars(body) if isinstance(body, Body) else {}
    return next((name for name in ("circuit", "context") if name in fields), "model")


ProofRequest = Annotated[
    Annotated[ByCircuit, Tag("circuit")]
    | Annotated[ByModel, Tag("model")]
    | Annotated[ByContext, Tag("context")],
    Discriminator(_form),
]


class AboutDocument(Body):
    """What a proof file says of itself."""

    model: Annotated[str, Field(max_length=MOST_TEXT)]
    prompt: Annotated[str, Field(max_length=MOST_TEXT)]
    decision: Annotated[str, Field(max_length=MOST_TEXT)]


class TensorDocument(Body):
    """An input or output of a network."""

    name: Annotated[str, Field(max_length=MOST_TEXT)]
    type: Annotated[str, Field(max_length=MOST_TYPE)]
    shape: Annotated[list[Annotated[int, Field(ge=1)]], Field(max_length=MOST_AXES)]


class TensorsDocument(Body):
    """Whose the numbers of a proof are."""

    inputs: Annotated[list[TensorDocument], Field(max_length=MOST_TENSORS)]
    outputs: Annotated[list[TensorDocument], Field(max_length=MOST_TENSORS)]


class ProofDocument(Body):
    """A proof file: inputs and outputs are what it is valid for, the scale is what they mean."""

    format: Literal["zkagent-proof-1", "zkagent-proof-2"]
    circuit: Digest
    inputs: Annotated[list[Int64], Field(max_length=MOST_FEATURES, fail_fast=True)]
    outputs: Annotated[list[Int64], Field(max_length=MOST_FEATURES, fail_fast=True)]
    input_scale_bits: int | Integers | None = None
    output_scale_bits: Integers | None = None
    values: Numbers | None = None
    tensors: TensorsDocument | None = None
    about: AboutDocument | None = None
    proof: Annotated[str, Field(pattern=r"^0x([0-9a-f]{2})*$", max_length=2 * MOST_PROOF_BYTES)]

    @model_serializer(mode="wrap")
    def _without_none(self, form: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """As in a file, where what there is not has no name."""
        return {name: value for name, value in form(self).items() if value is not None}


class Result(BaseModel):
    """A finished proof. outputs: this request's, also when the proof is shared by several (rows),
    of which this request's is number `position`."""

    outputs: list[int]
    position: int
    rows: int
    proof: ProofDocument


class FailureView(BaseModel):
    kind: Failure
    reason: str


class CallbackView(BaseModel):
    url: str
    state: Literal["waiting", "delivered", "failed"] | None


class Timings(BaseModel):
    """Seconds; null until known."""

    waiting_s: float | None
    proving_s: float | None
    verifying_s: float | None
    total_s: float | None


class Progress(BaseModel):
    """ahead: about how many proofs will be started before this one. expected_s: what recent proofs
    of this circuit took."""

    stage: Literal["waiting", "proving", "finished"]
    ahead: int
    elapsed_s: float
    expected_s: float | None


class ProofSummary(BaseModel):
    """A proof as its requester sees it; `cancelled` and `expired` are the requester's own."""

    id: Digest
    state: State
    circuit: Digest
    priority: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    deadline: datetime | None
    attempts: int
    failure: FailureView | None
    callback: CallbackView | None


class ProofView(ProofSummary):
    version: int
    progress: Progress
    timings: Timings
    result: Result | None


class ProofPage(BaseModel):
    """next: give it as `cursor` to go on; null at the end."""

    proofs: list[ProofSummary]
    next: str | None


class BatchView(BaseModel):
    circuit: Digest
    capacity: int


class CircuitView(BaseModel):
    """exact: integer arithmetic; otherwise an input v stands for v / 2^input_scale_bits."""

    digest: Digest
    models: list[str]
    input_count: int
    output_count: int
    exact: bool
    input_scale_bits: int
    development_srs: bool
    proof_bytes: int
    batches: list[BatchView]


class CircuitList(BaseModel):
    circuits: list[CircuitView]


class VerdictView(BaseModel):
    """reason: why not, empty when valid."""

    valid: bool
    reason: str


class TroubleView(BaseModel):
    cause: Cause
    detail: str


class Health(BaseModel):
    """troubles: all that is wrong, also what does not keep the service from taking work."""

    status: Literal["ok", "not ready"]
    detail: str
    workers: int
    troubles: list[TroubleView] = []


class ProblemError(BaseModel):
    """One thing that is wrong with a request, and where."""

    where: str
    detail: str


class Problem(BaseModel):
    """A problem document as in RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[ProblemError] | None = None


__all__ = ["Asset", "BatchView", "ByCircuit", "ByContext", "ByModel", "CircuitList", "CircuitView"]
__all__ += ["ContextBody", "Digest", "FailureView", "Health", "HexText", "Problem", "ProblemError"]
__all__ += ["Progress", "ProofDocument", "ProofPage", "ProofRequest", "ProofSummary", "ProofView"]
__all__ += ["Result", "Text", "Timings", "TroubleView", "VerdictView", "Wishes"]
