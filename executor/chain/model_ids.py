"""The model that an agent says it obeys, by its number in the registry: read as contracts read."""

import re

from zkagent.executor.errors import NoAgentThere

#: As `libraries/ModelIds.sol` takes them: one spelling for each number.
NUMBER = re.compile(rb"[1-9][0-9]{0,27}")
MOST_SHOWN = 40


def model_number(agent: str, told: bytes) -> int:
    """What `told`, an agent's modelId(), says. Raises NoAgentThere."""
    if not NUMBER.fullmatch(told):
        shown = repr(told[:MOST_SHOWN]) + ("..." if len(told) > MOST_SHOWN else "")
        raise NoAgentThere(agent, f"its model id is {shown}, expected a number of the registry")
    return int(told)


__all__ = ["model_number"]
