"""What a replay runs with instead of the world: a journal that only answers, and event sinks and
planners that compare."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zkagent.executor.runtime.core.config import name_of
from zkagent.executor.runtime.core.errors import JournalFault, ReplayDiffers
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.steps import Models, Planner, PlannerState, PlanStep
from zkagent.executor.runtime.replays.compared import compared, different, is_changed
from zkagent.executor.runtime.replays.report import StepReplay


class RecordEnds(JournalFault):
    """The replay is where the run was when it ended, or where it decides otherwise."""


@dataclass
class ReplayJournal:
    """records: name -> JSON text. Does nothing but what a plan's record compares with."""

    records: Mapping[str, str]
    steps: list[StepReplay] = field(default_factory=list)
    missing: str = ""
    _redacted: bool = False  # something that the rules changed has entered the run's state

    incarnation = "replay"
    kept_events = 0

    async def record(self, name: str, do: Callable[[], Awaitable[Any]]) -> Any:
        """Raises ReplayDiffers, or RecordEnds if it is asked again: it is not on record."""
        if self.missing:
            raise RecordEnds(f"{self.missing} is not on record")
        if name not in self.records:
            self.missing = name
            raise ReplayDiffers(f"{name} is not on record")
        found = json.loads(self.records[name])
        if name.endswith(".plan"):
            self._compare(int(name.removesuffix(".plan")), found, await do())
        elif name == "start" or ".model." in name or ".call." in name:
            self._redacted = self._redacted or is_changed(found)
        return found

    def _compare(self, index: int, found: Mapping[str, Any], made: Mapping[str, Any]) -> None:
        outcome, why = compared(found, made)
        is_redacted = self._redacted or outcome == "redacted" or is_changed(found)
        plan = found.get("step") or {"fault": found["fault"]["code"]}
        self.steps.append(StepReplay(index, plan, outcome, is_redacted, why))
        self._redacted = is_redacted


@dataclass
class ComparingSink:
    """The events of the replay beside those on record, for as long as the journal has answers; only
    the first difference counts, for what follows is moved."""

    recorded: Sequence[Event]
    journal: ReplayJournal
    same: int = 0
    difference: str = ""

    async def take(self, event: Event) -> None:
        if event.number is None or self.difference or self.journal.missing:
            return
        if event.number >= len(self.recorded):
            self.difference = f"event {event.number} ({event.kind}) is not on record"
            return
        self.difference = different(self.recorded[event.number], event)
        self.same += not self.difference


class ReplayedPlanner:
    """The planner itself, which decides and proves nothing: evidence is on record."""

    def __init__(self, planner: Planner) -> None:
        self.planner, self.name = planner, name_of(planner)
        self.states: dict[int, PlannerState] = {}

    async def plan(self, state: PlannerState, models: Models) -> PlanStep:
        self.states[state.step] = state
        return await self.planner.plan(state, models)

    def __getattr__(self, name: str) -> Any:
        """Its templates, and whether it says that it is deterministic."""
        if name not in ("templates", "deterministic"):
            raise AttributeError(name)
        return getattr(self.planner, name)


__all__ = ["ComparingSink", "RecordEnds", "ReplayJournal", "ReplayedPlanner"]
