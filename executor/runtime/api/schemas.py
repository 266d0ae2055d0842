"""What is said over HTTP about runs."""

from datetime import datetime
from math import isfinite
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from zkagent.executor.runtime.core.config import ID, MOST_SEED, RunOptions
from zkagent.executor.runtime.core.runs import RunRecord, RunState

MOST_TASK = 100_000  # characters
RUN_ID = r"^[A-Za-z0-9_-]{1,64}$"
DIGEST = r"^[0-9a-f]{64}$"


def _whole(value: Any) -> Any:
    """JSON can spell halves of characters, and Python reads NaN: no file or database takes them."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("a text has half of a character (a lone surrogate)") from None
    elif isinstance(value, float) and not isfinite(value):
        raise ValueError("NaN and Infinity are no JSON")
    elif isinstance(value, dict):
        for name, one in value.items():
            _whole(name), _whole(one)
    elif isinstance(value, list):
        for one in value:
            _whole(one)
    return value


Text = Annotated[str, AfterValidator(_whole)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RunRequest(Strict):
    agent: Annotated[Text, Field(min_length=1, max_length=64, description="its id")]
    task: Annotated[Text, Field(min_length=1, max_length=MOST_TASK)] | None = Field(
        None, description="instead of the agent's own"
    )
    params: Annotated[
        dict[str, JsonValue], AfterValidator(_whole), Field(description="of the task's template")
    ] = Field(default_factory=dict)
    session: Annotated[str, Field(pattern=f"^{ID}$")] | None = Field(
        None, description="the conversation to go on with"
    )
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)] = 0
    key: Annotated[Text, Field(min_length=1, max_length=200)] | None = Field(
        None,
        description="the same request with the same key leads to the same run, however often it is "
        "sent",
    )

    def options(self) -> RunOptions:
        return RunOptions(self.task, dict(self.params), self.session, self.seed)


class RunView(BaseModel):
    """A run without its contents."""

    id: str
    agent: str
    session: str
    owner: str = Field(description="the id of the key that began it, or local")
    state: RunState
    started_at: datetime
    finished_at: datetime | None
    steps: int
    error: str | None = Field(description="the code of what ended it")
    reason: str | None = Field(description="why it halts, if it does")
    left: bool = Field(description="it has not ended, and no process is at it")

    @classmethod
    def of(cls, run: RunRecord) -> Self:
        return cls(**{name: getattr(run, name) for name in cls.model_fields})


class RunPage(BaseModel):
    runs: list[RunView]
    next: str | None = Field(description="the cursor of the next page, if there is one")


class ToolView(BaseModel):
    id: str
    description: str
    schema_: dict[str, JsonValue] = Field(alias="schema", description="JSON Schema of its input")
    safe_by_default: bool
    destructive: bool


class AgentView(BaseModel):
    id: str
    planner: str
    tools: list[ToolView]
    max_steps: int


class AgentList(BaseModel):
    agents: list[AgentView]


class WaitingView(BaseModel):
    """A step that waits for somebody to approve it."""

    run: str
    step: int
    digest: str = Field(description="what an answer is for: this step of this run as it is here")
    tool: str
    input: JsonValue
    reason: str
    expires_at: datetime


class WaitingList(BaseModel):
    waiting: list[WaitingView]


class Answer(Strict):
    digest: Annotated[str, Field(pattern=DIGEST, description="as it is in the list of what waits")]
    approve: bool


class ResultView(BaseModel):
    """An AgentResult; there are more fields than these."""

    model_config = ConfigDict(extra="allow")

    id: str
    session_id: str
    agent_id: str
    success: bool
    result: JsonValue
    started_at: datetime
    finished_at: datetime
    error: dict[str, JsonValue] | None


__all__ = ["RUN_ID", "AgentList", "AgentView", "Answer", "ResultView", "RunPage", "RunRequest"]
__all__ += ["RunView", "WaitingList", "WaitingView"]
