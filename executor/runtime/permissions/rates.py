"""How often tools may be called: by tool, agent or run, within a window, with a pause between.

What counts is a step of a run, once, however often it is judged, so a run that goes on in another
process pays for no call twice. Time never goes back: a clock that does frees no budget. One that
jumps ahead and back again leaves the budget spent until its farthest time has come.
"""

import json
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal, Protocol

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.permissions import Asked
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.core.threads import apart
from zkagent.executor.runtime.permissions.engine import Opinion, Rule, Stage
from zkagent.executor.runtime.permissions.lists import plain_names

Per = Literal["tool", "agent", "run"]
MOST_CALLS, LONGEST_WINDOW_S = 10_000, 31 * 86_400.0
MOST_SCOPES = 10_000  # in memory; the ones that were asked for longest ago go


@dataclass(frozen=True, slots=True)
class Limit:
    """calls: within any window_s seconds; cooldown_s: between two. per: of each tool of an agent,
    of an agent, or of a run. tools: which it counts, None for all. Raises AgentConfigRefused."""

    name: str
    calls: int
    window_s: float
    per: Per = "tool"
    cooldown_s: float = 0.0
    tools: Collection[str] | None = None

    def __post_init__(self) -> None:
        if type(self.calls) is not int or not 1 <= self.calls <= MOST_CALLS:
            given = f"{self.calls!r:.40}"
            raise AgentConfigRefused(f"limit {self.name}: {given} calls; take 1 to 10,000")
        for name in ("window_s", "cooldown_s"):
            seconds = getattr(self, name)
            if isinstance(seconds, bool) or not isinstance(seconds, int | float):
                raise AgentConfigRefused(
                    f"limit {self.name}: {name} = {seconds!r:.40}; take a number of seconds"
                )
        if not (1 <= self.window_s <= LONGEST_WINDOW_S and 0 <= self.cooldown_s <= self.window_s):
            raise AgentConfigRefused(
                f"limit {self.name}: a window of {self.window_s} s, {self.cooldown_s} s between; "
                "take 1 s to 31 days, and no longer pause than that"
            )
        if self.per not in ("tool", "agent", "run"):
            raise AgentConfigRefused(
                f"limit {self.name}: per {self.per!r}; take tool, agent or run"
            )
        if self.tools is not None:
            object.__setattr__(self, "tools", plain_names(self.tools))

    def scope(self, asked: Asked, tool: str) -> str:
        """What is counted together; a text that no other scope has."""
        of = {
            "tool": (asked.agent_id, tool),
            "agent": (asked.agent_id,),
            "run": (asked.agent_id, asked.run_id),
        }[self.per]
        return json.dumps([self.name, self.per, *of])


#: A tool sixty times a minute; an agent a thousand times an hour; a run a thousand times a day.
DEFAULT_LIMITS = (
    Limit("tool_minute", 60, 60.0),
    Limit("agent_hour", 1_000, 3_600.0, "agent"),
    Limit("run_day", 1_000, 86_400.0, "run"),
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One limit that a call is counted by."""

    scope: str
    calls: int
    window_s: float
    cooldown_s: float


class RateStore(Protocol):
    def take(self, claims: Sequence[Claim], call: str, now_s: float) -> int | None:
        """Counts the call by all of them, or by none: then the first that has no room, by index.
        A call that is counted already has its place. Atomic, also between processes."""


Spent = list[tuple[float, str]]


def room(spent: Spent, claim: Claim, call: str, now_s: float) -> tuple[bool, Spent, float]:
    """Whether there is room for the call, what of `spent` is still in the window, and the time that
    counts: the latest that was seen."""
    latest = max([now_s, *(at for at, _ in spent)])
    kept = [(at, each) for at, each in spent if at > latest - claim.window_s]
    if any(each == call for _, each in kept):
        return True, kept, latest
    paused = not kept or latest - kept[-1][0] >= claim.cooldown_s
    return len(kept) < claim.calls and paused, kept, latest


class MemoryRates:
    """For one process."""

    def __init__(self) -> None:
        self._spent: OrderedDict[str, Spent] = OrderedDict()
        self._lock = Lock()

    def take(self, claims: Sequence[Claim], call: str, now_s: float) -> int | None:
        with self._lock:
            found = [room(self._spent.get(c.scope, []), c, call, now_s) for c in claims]
            for index, (free, _, _) in enumerate(found):
                if not free:
                    return index
            for claim, (_, kept, latest) in zip(claims, found, strict=True):
                known = any(each == call for _, each in kept)
                self._spent[claim.scope] = kept if known else [*kept, (latest, call)]
                self._spent.move_to_end(claim.scope)
            while len(self._spent) > MOST_SCOPES:
                self._spent.popitem(last=False)
        return None


class Rates(Rule):
    """Steps beyond a limit are refused. It is asked last: what others refuse spends nothing."""

    name = "rates"
    stage: Stage = "last"

    def __init__(
        self, limits: Sequence[Limit] = DEFAULT_LIMITS, store: RateStore | None = None
    ) -> None:
        if len({limit.name for limit in limits}) < len(limits):
            raise AgentConfigRefused("two limits have one name: give each its own")
        self._limits = tuple(limits)
        self._store = store or MemoryRates()

    def restricted(self, agent_id: str) -> Collection[str]:
        return {tool for limit in self._limits for tool in limit.tools or ()}

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        if asked.tool is None:
            return None
        tool = asked.tool.id
        limits = [each for each in self._limits if each.tools is None or tool in each.tools]
        claims = [Claim(x.scope(asked, tool), x.calls, x.window_s, x.cooldown_s) for x in limits]
        call = json.dumps([asked.agent_id, asked.run_id, asked.step, tool])
        full = await self._taken(claims, call, asked.now_s)
        if full is None:
            return None
        limit = limits[full]
        reason = f"{limit.calls} calls in {limit.window_s:g} s per {limit.per} are the limit"
        pause = f", {limit.cooldown_s:g} s apart" if limit.cooldown_s else ""
        return Opinion("refuse", f"{reason}{pause}", None, (f"{self.name}.{limit.name}",))

    async def _taken(self, claims: Sequence[Claim], call: str, now_s: float) -> int | None:
        """In a thread, but of a store that has nothing to wait for."""
        if type(self._store) is MemoryRates:
            return self._store.take(claims, call, now_s)
        return await apart(self._store.take, claims, call, now_s)


__all__ = ["DEFAULT_LIMITS", "Claim", "Limit", "MemoryRates", "RateStore", "Rates", "room"]
