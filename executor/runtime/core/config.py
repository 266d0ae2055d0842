"""What an agent is made of. Proposal: "Core Components", AgentConfig."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.memory import DatabaseClient, MemoryClient
from zkagent.executor.runtime.core.models import LLMClient, ModelInfo
from zkagent.executor.runtime.core.permissions import Permissions
from zkagent.executor.runtime.core.steps import Planner, Reflector
from zkagent.executor.runtime.core.tools import ToolDefinition

MOST_STEPS = 1000
MOST_SEED = (1 << 53) - 1  # of commands and clients whose numbers are floats
MOST_ATTEMPTS = 100
SEEDS = 1 << 63  # as many above zero, and below
LOCAL = "local"  # the principal that runs the process, where nobody else has a name
ID = "[A-Za-z0-9_-]{1,64}"
UNKEPT = re.compile("[\0\ud800-\udfff]")
TOOL_ID = "[A-Za-z0-9_.:/-]{1,128}"


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """attempts: in all, the first included; the waits double from first_wait_s to most_wait_s."""

    attempts: int = 3
    first_wait_s: float = 0.2
    most_wait_s: float = 10.0

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= MOST_ATTEMPTS:
            raise AgentConfigRefused(f"attempts are 1 to {MOST_ATTEMPTS}, not {self.attempts!r}")
        if not 0 <= self.first_wait_s <= self.most_wait_s < inf:
            raise AgentConfigRefused(
                f"waits are 0 <= first_wait_s <= most_wait_s, not {self.first_wait_s!r} and "
                f"{self.most_wait_s!r}"
            )

    def wait_s(self, attempt: int) -> float:
        """How long to wait before this attempt; the first one is 1."""
        if attempt <= 1:
            return 0.0
        return float(min(self.first_wait_s * 2 ** (attempt - 2), self.most_wait_s))


@dataclass(frozen=True)
class MemoryPolicy:
    """recall: entries of the stream that a run begins with; keep: whether steps and results are
    appended to it. stream: {agent}, {session} and {principal} are filled in. A session is its
    principal's: where there is no {principal}, it stands before {session}, unless it is whoever
    runs the process."""

    stream: str = "{agent}"
    recall: int = 0
    keep: bool = True

    def __post_init__(self) -> None:
        if self.recall < 0:
            raise AgentConfigRefused(f"recall is how many entries, not {self.recall!r}")
        self.stream_of("agent", "session")

    def stream_of(self, agent: str, session: str, principal: str = LOCAL) -> str:
        """Raises AgentConfigRefused: another name than those three."""
        if principal != LOCAL and "{principal" not in self.stream:
            session = f"{principal}/{session}"
        try:
            return self.stream.format(agent=agent, session=session, principal=principal)
        except (KeyError, IndexError, ValueError, AttributeError) as exc:
            raise AgentConfigRefused(
                f"stream {self.stream!r} may have {{agent}}, {{session}} and {{principal}} only"
            ) from exc


#: Providers, with what each says of itself, in the order in which to ask them.
Strategy = Callable[[Sequence[tuple[LLMClient, ModelInfo]], Any], Sequence[LLMClient]]


@dataclass(frozen=True)
class AgentConfig:
    """id: letters, digits, - and _; the same id in a later process takes up the runs of an earlier.

    task_prompt: text, in which {name} stands for a run's parameter, or prompt:ID, a template of
    prompts. planner: None for a ModelPlanner over model_providers, which stand by priority.
    permissions: None for the defaults (permissions/defaults.py): destructive tools are refused,
    secrets redacted. strategy: the host's own order of providers. prompts: a PromptStore, memory
    and database the clients of core/memory.py. labels: what the host wants in each event.
    Raises AgentConfigRefused.
    """

    id: str
    task_prompt: str
    tools: Sequence[ToolDefinition] = ()
    planner: Planner | None = None
    model_providers: Sequence[LLMClient] = ()
    memory: MemoryClient | None = None
    database: DatabaseClient | None = None
    prompts: Any = None
    permissions: Permissions | None = None
    reflector: Reflector | None = None
    strategy: Strategy | None = None
    memory_policy: MemoryPolicy = MemoryPolicy()
    max_steps: int = 20
    step_timeout_s: float = 300.0
    model_retries: RetryPolicy = RetryPolicy()
    tool_retries: RetryPolicy = RetryPolicy()
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not re.fullmatch(ID, self.id):
            raise AgentConfigRefused(f"id is {ID}, not {self.id!r:.80}")
        if not self.task_prompt.strip():
            raise AgentConfigRefused("task_prompt is empty: say what the agent is to do")
        if self.planner is None and not self.model_providers:
            raise AgentConfigRefused(
                f"agent {self.id} has nothing to decide by: give a planner or model_providers"
            )
        if not 1 <= self.max_steps <= MOST_STEPS:
            raise AgentConfigRefused(f"max_steps is 1 to {MOST_STEPS}, not {self.max_steps!r}")
        _refuse_time("step_timeout_s", self.step_timeout_s)
        _refuse_tools(self.tools)

    def described(self) -> JsonObject:
        """What a reader of events needs to know of it, without secrets: ids, limits, schemas."""
        return {
            "id": self.id,
            "planner": name_of(self.planner) if self.planner else "ModelPlanner",
            "tools": [_described(tool) for tool in self.tools],
            "max_steps": self.max_steps,
            "step_timeout_s": self.step_timeout_s,
            "memory": asdict(self.memory_policy),
            "model_retries": asdict(self.model_retries),
            "tool_retries": asdict(self.tool_retries),
            "labels": dict(self.labels),
        }


def name_of(part: object) -> str:
    """A planner's or a client's own name, or its class's."""
    name = getattr(part, "name", None)
    return name if isinstance(name, str) and name else type(part).__name__


def _described(tool: ToolDefinition) -> JsonObject:
    return {
        "id": tool.id,
        "description": tool.description,
        "schema": tool.schema,
        "safe_by_default": tool.safe_by_default,
        "destructive": tool.destructive,
        "honours_keys": tool.honours_keys,
        "interrupted": tool.interrupted,
        "timeout_s": tool.timeout_s,
    }


def _refuse_tools(tools: Sequence[Any]) -> None:
    seen: set[str] = set()
    for tool in tools:
        if not isinstance(tool, ToolDefinition):
            name = getattr(tool, "__name__", type(tool).__name__)
            raise AgentConfigRefused(f"{name!r:.80} is no tool: write @tool before a function")
        if not re.fullmatch(TOOL_ID, tool.id):
            raise AgentConfigRefused(f"a tool's id is {TOOL_ID}, not {tool.id!r:.80}")
        if tool.id in seen:
            raise AgentConfigRefused(f"two tools have the id {tool.id}: rename one")
        if tool.schema.get("type") != "object":
            raise AgentConfigRefused(f"tool {tool.id}: its schema has to be of type object")
        _refuse_time(f"timeout_s of tool {tool.id}", tool.timeout_s)
        seen.add(tool.id)


def _has_form(form: str, value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(form, value) is not None


def _refuse_text(name: str, text: object) -> None:
    """Of what cannot be kept: databases take no NUL, and UTF-8 has no halves of characters."""
    if not isinstance(text, str):
        raise AgentConfigRefused(f"{name} is text, not {type(text).__name__}")
    if found := UNKEPT.search(text):
        raise AgentConfigRefused(
            f"{name} has {found[0]!a} at {found.start()}, which cannot be kept: leave it out"
        )


def _refuse_time(name: str, seconds: float) -> None:
    if not 0 < seconds < inf:
        raise AgentConfigRefused(f"{name} is above 0 seconds, not {seconds!r}")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """task: instead of the agent's task_prompt; params: of its template; session: to go on with,
    of the form of ids; seed: of 64 bits. Raises AgentConfigRefused."""

    task: str | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    session: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.task is not None:
            _refuse_text("task", self.task)
            if not self.task.strip():
                raise AgentConfigRefused("task is empty: say what is to be done, or give none")
        if self.session is not None and not _has_form(ID, self.session):
            raise AgentConfigRefused(
                f"session is {ID}, not {self.session!r:.80}: name the conversation so, or give none"
            )
        if type(self.seed) is not int or not -SEEDS <= self.seed < SEEDS:
            raise AgentConfigRefused(f"seed is a whole number of 64 bits, not {self.seed!r:.80}")


__all__ = ["AgentConfig", "MemoryPolicy", "RetryPolicy", "RunOptions", "Strategy", "name_of"]
