"""What a run is asked for: its own task or the agent's, with the parameters put in."""

import re

from zkagent.executor.runtime.running.run import Run

PLACE = re.compile(r"\{(\w+)\}")


def task_of(run: Run) -> str:
    """{name} becomes the parameter of that name, if there is one; other braces stay as they are,
    and other parameters are the planner's."""
    params = run.options.params
    text = run.options.task or run.config.task_prompt
    return PLACE.sub(lambda found: str(params.get(found[1], found[0])), text)


__all__ = ["task_of"]
