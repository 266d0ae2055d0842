"""The engine that the runner asks at each place: it puts the question to rules and weighs them.

Refuse beats wait beats change beats allow, and all rules that spoke are named. Rules are fixed when
the engine is made; what a tool, a model or a memory says is only ever their subject. A rule that
fails refuses. What was not plainly allowed is in the audit log before the answer is given.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.foreign import contained
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.permissions import Asked, Verdict
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.permissions.audit.recorder import Audit, MemoryAudit

Act = Literal["refuse", "wait", "change"]
#: guard: if it refuses, no other rule looks; last: looks at what no other refuses.
Stage = Literal["guard", "usual", "last"]
STAGES: tuple[Stage, ...] = ("guard", "usual", "last")
WEIGHT: dict[Act, int] = {"change": 0, "wait": 1, "refuse": 2}


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a rule says that does not plainly allow. reason: one line, without the value; value: of
    a change; names: for the log, the rule's own where there are none."""

    act: Act
    reason: str
    value: Json = None
    names: tuple[str, ...] = ()


class Rule:
    """One thing to look at. Rules answer None for what they have nothing against."""

    name: str
    stage: Stage = "usual"
    longest_secret: int = 0  # characters, of those that it knows

    def restricted(self, agent_id: str) -> Collection[str]:
        """Ids of tools of this agent that it holds back: a misspelt one would hold back nothing."""
        return ()

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        """Of a step as it would be carried out: its input is redacted already."""
        return None

    async def value(self, asked: Asked, value: Json) -> Opinion | None:
        """Of a value as the rules before left it."""
        return None


class PermissionEngine:
    """Implements Permissions. rules: asked in this order within each stage. shared: they are of
    several agents, so one need not have all tools that they name."""

    def __init__(
        self, rules: Sequence[Rule], audit: Audit | None = None, *, shared: bool = False
    ) -> None:
        self._shared = shared
        self.audit: Audit = MemoryAudit() if audit is None else audit
        self._rules = tuple(rule for stage in STAGES for rule in rules if rule.stage == stage)
        self._of_values = tuple(rule for rule in self._rules if _overrides(rule, "value"))
        self._of_steps = tuple(rule for rule in self._rules if _overrides(rule, "step"))

    @property
    def rules(self) -> tuple[str, ...]:
        """Their names, in the order in which they are asked."""
        return tuple(rule.name for rule in self._rules)

    @property
    def longest_secret(self) -> int:
        """Characters, of those that the owner named: so much of a stream is held back."""
        return max((rule.longest_secret for rule in self._rules), default=0)

    def check_tools(self, agent_id: str, tools: Collection[str]) -> None:
        for rule in () if self._shared else self._rules:
            if unknown := set(rule.restricted(agent_id)) - set(tools):
                raise AgentConfigRefused(
                    f"agent {agent_id} has no tool {min(unknown)!r}, which its rule {rule.name} is "
                    f"about; it has {', '.join(sorted(tools)) or 'none'} (rules of several agents "
                    "are made with shared=True)"
                )

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        """Raises AuditBroken: what is refused cannot be written down."""
        found = await self._judge(replace(asked, place="input"), step.input)
        if not found.stopped:
            found = _Weighed(found.value)
            shown = replace(step, input=found.value)
            for rule in self._of_steps:
                if found.asks(rule):
                    found.add(rule, await _opinion(rule, rule.step, asked, shown))
        verdict = replace(found.verdict(), value=None)
        await self._record(asked, verdict, [step.tool_id, step.message, step.input], found)
        return verdict

    async def judge_value(self, asked: Asked, value: Json) -> Verdict:
        """Raises AuditBroken."""
        found = await self._judge(asked, value)
        verdict = found.verdict()
        await self._record(asked, verdict, value, found)
        return verdict

    async def answered(self, asked: Asked, step: PlanStep, answer: Verdict) -> None:
        """The same digest as when it waited. Raises AuditBroken."""
        digest = self.audit.digest([step.tool_id, step.message, step.input])
        kind = "approved" if answer.allowed else "denied" if answer.by else "expired"
        told = {"kind": "answered", "answer": kind, "by": answer.by}
        await self.audit.record({**entry(asked, answer, digest), **told})

    async def _judge(self, asked: Asked, value: Json) -> "_Weighed":
        found = _Weighed(value)
        for rule in self._of_values:
            if found.asks(rule):
                found.add(rule, await _opinion(rule, rule.value, asked, found.value))
        return found

    async def _record(self, asked: Asked, verdict: Verdict, value: Json, found: "_Weighed") -> None:
        """What a guard refused is not looked at: it may be endless."""
        if verdict.rules and not asked.partial:
            digest = None if found.stopped else self.audit.digest(value)
            await self.audit.record(entry(asked, verdict, digest))


def _overrides(rule: Rule, name: str) -> bool:
    """Others have nothing against anything, and need not be asked."""
    return getattr(type(rule), name) is not getattr(Rule, name) or name in vars(rule)


class _Weighed:
    """The opinions so far."""

    def __init__(self, value: Json) -> None:
        self.value, self.stopped = value, False
        self.opinions: list[tuple[str, Opinion]] = []

    def asks(self, rule: Rule) -> bool:
        refused = any(opinion.act == "refuse" for _, opinion in self.opinions)
        return not (self.stopped or (refused and rule.stage == "last"))

    def add(self, rule: Rule, opinion: Opinion | None) -> None:
        if opinion is None:
            return
        self.opinions.append((rule.name, opinion))
        if opinion.act == "change":
            self.value = opinion.value
        self.stopped = rule.stage == "guard" and opinion.act == "refuse"

    def verdict(self) -> Verdict:
        """value: None of what is not allowed."""
        names = tuple(n for rule, found in self.opinions for n in found.names or (rule,))
        heaviest = max((found for _, found in self.opinions), key=_weight, default=None)
        if heaviest is None or heaviest.act == "change":
            return Verdict(True, self.value, names, heaviest.reason if heaviest else "")
        return Verdict(False, None, names, heaviest.reason, waits=heaviest.act == "wait")


def _weight(opinion: Opinion) -> int:
    return WEIGHT[opinion.act]


async def _opinion(
    rule: Rule, ask: Callable[[Asked, Any], Awaitable[Opinion | None]], asked: Asked, what: Any
) -> Opinion | None:
    """A rule that fails refuses: its error may hold the value, so only its type is told."""
    try:
        with contained():
            return await ask(asked, what)
    except Exception as exc:
        return Opinion("refuse", f"the rule {rule.name} failed ({type(exc).__name__})")


def entry(asked: Asked, verdict: Verdict, digest: str | None) -> JsonObject:
    """What the audit log keeps of it: who, where and by which rules; the value as a digest."""
    act = "changed" if verdict.allowed else "waits" if verdict.waits else "refused"
    return {
        "kind": act,
        "run": asked.run_id,
        "agent": asked.agent_id,
        "step": asked.step,
        "place": asked.place,
        "tool": asked.tool.id if asked.tool else None,
        "rules": list(verdict.rules),
        "value": digest,
    }


__all__ = ["Act", "Opinion", "PermissionEngine", "Rule", "Stage", "entry"]
