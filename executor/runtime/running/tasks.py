"""What a run is asked for: its own task or the agent's, with the parameters put in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zkagent.executor.runtime.core.config import name_of
from zkagent.executor.runtime.core.errors import PromptFault
from zkagent.executor.runtime.core.patience import answered
from zkagent.executor.runtime.running.run import Run

PLACE = re.compile(r"\{(\w+)\}")
#: A task_prompt that names a template of the agent's prompt store: prompt:ID or prompt:ID@VERSION.
NAMED = re.compile(r"prompt:([\w.-]+)(?:@(\w+))?")


@dataclass(frozen=True)
class Task:
    """templates: id to version, of those that it was rendered from."""

    text: str
    verdicts: tuple[dict[str, Any], ...] = ()
    templates: Mapping[str, str] = field(default_factory=dict)


async def task_of(run: Run) -> Task:
    """{name} becomes the parameter of that name, if there is one; other braces stay as they are,
    and other parameters are the planner's. A template of the store is rendered with all of them.

    Only the agent's own task may name a template: a run's is text of whoever asked for it. Raises
    PromptFault, MemoryFault, StepRefused.
    """
    own = NAMED.fullmatch(run.config.task_prompt) if run.options.task is None else None
    if own:
        return await _rendered(run, own[1], own[2])
    params = run.options.params
    text = run.config.task_prompt if run.options.task is None else run.options.task
    return Task(PLACE.sub(lambda found: str(params.get(found[1], found[0])), text))


async def _rendered(run: Run, template: str, version: str | None) -> Task:
    if run.config.prompts is None:
        raise PromptFault(f"the agent has no prompts, and its task is prompt {template}: give some")
    prompts, asked = run.config.prompts, run.asked("prompt")

    async def render() -> tuple[str, str]:
        found = await prompts.render(template, run.options.params, version=version, asked=asked)
        if not isinstance(found.text, str) or not isinstance(found.version, str):
            raise TypeError
        return found.text, found.version

    rendered, made = await answered(f"prompts {name_of(prompts)}", render, PromptFault)
    text, verdict = await run.judge("prompt", rendered)
    return Task(text or "", (verdict,), {template: made})


__all__ = ["Task", "task_of"]
