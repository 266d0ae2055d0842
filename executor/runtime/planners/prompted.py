"""A planner whose instructions are a stored prompt, which the run's result then names by version.

The prompt is rendered once, before any run: a run that goes on later, or is replayed, has the same
instructions whatever has been put into the store meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.steps import Models, PlannerState, PlanStep
from zkagent.executor.runtime.planners.model import SYSTEM, ModelPlanner
from zkagent.executor.runtime.prompts.store import PromptStore


@dataclass(frozen=True)
class PromptedPlanner:
    """templates: id to version, for the result's provenance."""

    planner: ModelPlanner
    templates: Mapping[str, str] = field(default_factory=dict)
    name: str = "PromptedPlanner"
    deterministic: bool = True  # but for what models answer

    async def plan(self, state: PlannerState, models: Models) -> PlanStep:
        return await self.planner.plan(state, models)


async def prompted_planner(
    prompts: PromptStore,
    template_id: str,
    params: Mapping[str, Json] | None = None,
    *,
    version: str | None = None,
) -> PromptedPlanner:
    """The prompt stands after the instructions of the form in which to answer. A process that is
    to take up runs of an earlier one names the version. Raises PromptFault, StepRefused."""
    rendered = await prompts.render(template_id, params, version=version)
    planner = ModelPlanner(system=f"{SYSTEM}\n{rendered.text}\n")
    return PromptedPlanner(planner, {rendered.template: rendered.version})


__all__ = ["PromptedPlanner", "prompted_planner"]
