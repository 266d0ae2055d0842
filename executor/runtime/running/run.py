"""One run while it is on its way: what it is made of, and what it may come to."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from zkagent.executor.runtime.core.config import LOCAL, AgentConfig, RunOptions
from zkagent.executor.runtime.core.journal import Journal
from zkagent.executor.runtime.core.permissions import (
    Approvals,
    Asked,
    NotesAnswers,
    Permissions,
    Place,
    Verdict,
)
from zkagent.executor.runtime.core.result import MemoryChange, ModelCall
from zkagent.executor.runtime.core.steps import ActionResult, ChatMessage, PlanStep
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.core.world import World
from zkagent.executor.runtime.running.telling import Telling


@dataclass(frozen=True, slots=True)
class Calling:
    """A tool's call that is on its way."""

    step: PlanStep
    key: str
    attempt: int
    began: datetime


@dataclass
class Run:
    """step: the one that is on its way; what follows it grows with the run. Not shared."""

    id: str
    session_id: str
    config: AgentConfig
    options: RunOptions
    permissions: Permissions
    journal: Journal
    world: World
    telling: Telling
    approvals: Approvals
    secrets: Callable[[str], str] | None = None
    principal: str = LOCAL  # who began it, and whose its session is
    task: str | None = None  # as it was allowed
    step: int = 0
    calling: Calling | None = None
    standing: set[ChatMessage] = field(default_factory=set)  # of role system, in any run before
    passed: set[ChatMessage] = field(default_factory=set)  # the permissions, on the way to a model
    aborted: bool = False
    ending: bool = False  # it has come to something, and nothing aborts it any more
    actions: list[ActionResult] = field(default_factory=list)
    model_calls: list[ModelCall] = field(default_factory=list)
    deltas: list[MemoryChange] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)
    receipts: dict[int, str] = field(default_factory=dict)
    attachments: dict[str, str] = field(default_factory=dict)
    proof_cost: dict[str, float] = field(default_factory=dict)
    retries: int = 0
    last_error: str | None = None

    def tool(self, tool_id: str | None) -> ToolDefinition | None:
        return next((tool for tool in self.config.tools if tool.id == tool_id), None)

    async def record(self, name: str, do: Callable[[], Awaitable[Any]]) -> Any:
        return await self.journal.record(name, do)

    def seconds_since(self, began: datetime) -> float:
        """By the run's clock, which others may set: never below 0."""
        return max(0.0, (self.world.clock() - began).total_seconds())

    def asked(self, place: Place, tool: ToolDefinition | None = None) -> Asked:
        now_s = self.world.clock().timestamp()
        return Asked(self.id, self.config.id, self.step, place, now_s, tool)

    async def judge(
        self, place: Place, value: Any, tool: ToolDefinition | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """The value to go on with, None if there is none, and the verdict as it is on record."""
        verdict = await self.permissions.judge_value(self.asked(place, tool), value)
        return verdict.value if verdict.allowed else None, verdict_json(place, verdict)

    async def answer(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
        """Of whoever the step waits for, written down. Raises ApprovalNeeded: nobody is there."""
        answer = await self.approvals.wait(asked, step, reason)
        if isinstance(self.permissions, NotesAnswers):
            await self.permissions.answered(asked, step, answer)
        return answer

    async def judge_part(self, text: str) -> str | None:
        """What may be told of a model's answer while it is being said."""
        asked = replace(self.asked("model"), partial=True)
        verdict = await self.permissions.judge_value(asked, text)
        return verdict.value if verdict.allowed and isinstance(verdict.value, str) else None

    async def tell_verdicts(self, verdicts: list[Mapping[str, Any]]) -> tuple[str, ...]:
        """Tells what was blocked and changed. Returns the rules that changed anything."""
        changed: dict[str, None] = {}
        for verdict in verdicts:
            rules = list(verdict["rules"])
            told = {"step": self.step, "place": verdict["place"], "rules": rules}
            if not verdict["allowed"]:
                await self.telling.tell("blocked", **told, reason=verdict["reason"])
            elif rules:
                await self.telling.tell("changed", **told)
                changed |= dict.fromkeys(rules)
        return tuple(changed)


def verdict_json(place: str, verdict: Verdict) -> dict[str, Any]:
    return {
        "place": place,
        "allowed": verdict.allowed,
        "rules": list(verdict.rules),
        "reason": verdict.reason,
        "waits": verdict.waits,
    }


def refusing(verdicts: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The first that did not allow."""
    return next((verdict for verdict in verdicts if not verdict["allowed"]), None)


__all__ = ["Calling", "Run", "refusing", "verdict_json"]
