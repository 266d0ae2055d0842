"""What the engine of permissions is asked, and what it says. Proposal: "Safety & Policy".

The runner asks at each place; what was refused or changed is in the audit log before it goes on.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from zkagent.executor.runtime.core.errors import ApprovalNeeded
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.core.tools import ToolDefinition

#: task: what a run is asked for; plan: a planner's step; input, output: a tool's; memory: a write;
#: recall: what a read gives; prompt: a rendered template; model: what a model is asked.
Place = Literal["task", "plan", "input", "output", "memory", "recall", "prompt", "model"]


#: The rule by whose name a secret is refused, and not redacted: a runner makes it a SecretRefused.
SECRETS_REFUSED = "secrets"


@dataclass(frozen=True, slots=True)
class Verdict:
    """value: what to go on with, changed or not; rules: those that changed or refused it, by name;
    reason: one line without the value; waits: somebody has to approve first; by: of an answer, who
    gave it."""

    allowed: bool
    value: Json = None
    rules: tuple[str, ...] = ()
    reason: str = ""
    waits: bool = False
    by: str | None = None

    @property
    def changed(self) -> bool:
        return self.allowed and bool(self.rules)


@dataclass(frozen=True, slots=True)
class Asked:
    """Who wants what, for a verdict's rules: now_s is the run's clock, in seconds. partial: of what
    is still being said; the whole is asked about afterwards, so this is not put into the log."""

    run_id: str
    agent_id: str
    step: int
    place: Place
    now_s: float
    tool: ToolDefinition | None = None
    partial: bool = False


class Permissions(Protocol):
    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        """Whether the step may be taken at all: lists, rates, approvals. value: unused."""

    async def judge_value(self, asked: Asked, value: Json) -> Verdict:
        """What may go in or out at asked.place: content rules, redaction."""


@runtime_checkable
class NotesAnswers(Protocol):
    """Permissions that write down what somebody answered for a step that waited."""

    async def answered(self, asked: Asked, step: PlanStep, answer: Verdict) -> None:
        """Before the run goes by it."""


@runtime_checkable
class NamesTools(Protocol):
    """Permissions with rules about single tools."""

    def check_tools(self, agent_id: str, tools: Collection[str]) -> None:
        """tools: ids of all that the agent has. Raises AgentConfigRefused: a rule is about none of
        them, and so would hold nothing back."""


class Approvals(Protocol):
    """Whom a step waits for, if a verdict says so."""

    async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
        """Somebody's answer; with the same asked.run_id and asked.step always the same one, so it
        can be waited for again in a later process. Raises ApprovalNeeded: nobody is there."""


class NobodyApproves:
    """For runs in memory: a step that waits ends the run."""

    async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
        raise ApprovalNeeded(
            f"step {asked.step} waits for approval, and nobody can give it here: {reason}",
            step=asked.step,
            tool=step.tool_id,
        )


class AllowAll:
    """For tests and for hosts that check elsewhere: everything passes."""

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        return Verdict(True)

    async def judge_value(self, asked: Asked, value: Json) -> Verdict:
        return Verdict(True, value)


__all__ = ["SECRETS_REFUSED", "AllowAll", "Approvals", "Asked", "NamesTools", "NobodyApproves"]
__all__ += ["NotesAnswers", "Permissions", "Place", "Verdict"]
