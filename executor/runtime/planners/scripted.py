"""A planner whose steps are written down, or made of the state by functions. No model is asked."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from zkagent.executor.runtime.core.errors import PlanRefused
from zkagent.executor.runtime.core.steps import Models, PlannerState, PlanStep

#: The function is given the state, and may answer with a step or an awaitable of one.
Scripted = PlanStep | Callable[[PlannerState], PlanStep | Awaitable[PlanStep]]


@dataclass(frozen=True)
class ScriptedPlanner:
    """Its steps in order, by the number of steps that were taken: it keeps nothing itself, so one
    planner does for many runs, and for one that goes on. Raises PlanRefused: there are none left.
    """

    script: Sequence[Scripted]
    name: str = "scripted"
    deterministic: bool = True

    async def plan(self, state: PlannerState, models: Models) -> PlanStep:
        if state.step >= len(self.script):
            raise PlanRefused(
                f"the script has {len(self.script)} steps, and none of them finished the run"
            )
        scripted = self.script[state.step]
        if isinstance(scripted, PlanStep):
            return scripted
        step = scripted(state)
        return await step if inspect.isawaitable(step) else step


__all__ = ["Scripted", "ScriptedPlanner"]
