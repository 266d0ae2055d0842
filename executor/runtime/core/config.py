"""What an agent is made of. Proposal: "Core Components", AgentConfig."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.memory import DatabaseClient, MemoryClient
from zkagent.executor.runtime.core.models import LLMClient, ModelInfo
from zkagent.executor.runtime.core.permissions import Permissions
from zkagent.executor.runtime.core.steps import Planner, Reflector
from zkagent.executor.runtime.core.tools import ToolDefinition

MOST_STEPS = 1000


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """attempts: in all, the first included; the waits double from first_wait_s to most_wait_s."""

    attempts: int = 3
    first_wait_s: float = 0.2
    most_wait_s: float = 10.0


@dataclass(frozen=True)
class MemoryPolicy:
    """recall: entries of the stream that a run begins with; keep: whether steps and results are
    appended to it. stream: {agent} and {session} are filled in."""

    stream: str = "{agent}"
    recall: int = 0
    keep: bool = True


#: Providers, with what each says of itself, in the order in which to ask them.
Strategy = Callable[[Sequence[tuple[LLMClient, ModelInfo]], Any], Sequence[LLMClient]]


@dataclass(frozen=True)
class AgentConfig:
    """id: letters, digits, - and _; the same id in a later process takes up the runs of an earlier.

    planner: None for a ModelPlanner over model_providers, which stand by priority.
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

    def described(self) -> JsonObject:
        """What a reader of events needs to know of it, without secrets: ids, limits, schemas."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class RunOptions:
    """task: instead of the agent's task_prompt; params: of its template; session: to go on with."""

    task: str | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    session: str | None = None
    seed: int = 0


__all__ = ["AgentConfig", "MemoryPolicy", "RetryPolicy", "RunOptions", "Strategy"]
