"""A planner whose instructions are a stored prompt, which the run's result then names by version.

The prompt is rendered once, before any run: a run that goes on later, or is replayed, has the same
instructions whatever has been put into the store meanwhile.
"""

from collections.abc import Mapping

from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.planners.model import SYSTEM, ModelPlanner
from zkagent.executor.runtime.prompts.store import PromptStore

NAME = "PromptedPlanner"


async def prompted_planner(
    prompts: PromptStore,
    template_id: str,
    params: Mapping[str, Json] | None = None,
    *,
    version: str | None = None,
) -> ModelPlanner:
    """The prompt stands after the instructions of the form in which to answer. A process that is
    to take up runs of an earlier one names the version. Raises PromptFault, StepRefused."""
    rendered = await prompts.render(template_id, params, version=version)
    system = f"{SYSTEM}\n{rendered.text}\n"
    return ModelPlanner(system, templates={rendered.template: rendered.version}, name=NAME)


__all__ = ["prompted_planner"]
