"""From a prompt and an agent's tools to the features of the whole network.

The best tool is found here as the network will find it, since it is whose parameters the features
are about. `verifier_contracts/src/reader/ReaderEncoder.sol` makes the same.
"""

from collections.abc import Sequence

import numpy as np

from zkagent.models.instructions.pieces import Names
from zkagent.models.instructions.scanner import scan
from zkagent.models.networks.reading import TOOLS
from zkagent.models.reader.deciding import CallableTool, candidates_of
from zkagent.models.reader.files import NO_PAIRS, Reader
from zkagent.models.reader.pairs import MOST_PARAMETERS, Open, pair_features, pair_numbers
from zkagent.models.reader.rows import Vector
from zkagent.models.reader.vectors import features, of_prompt
from zkagent.models.reader.view import View


def features_of(
    reader: Reader,
    prompt: bytes,
    vectors: Sequence[Vector],
    tools: Sequence[CallableTool],
    names: Names,
) -> tuple[int, ...]:
    """[434]. vectors: of the one to eight tools. Raises RefusedText for a prompt that is none, and
    for one in which no arguments can be found, if the best tool wants any."""
    scan(prompt)
    read = of_prompt(reader.rows, prompt.decode())
    best = tools[best_tool(read, vectors)]
    return (*features(read, vectors, TOOLS), *_pairs(reader, prompt, best, names))


def best_tool(prompt: Vector, tools: Sequence[Vector]) -> int:
    """The first of equals."""
    return int(np.argmax([int(prompt @ tool) for tool in tools]))


def _pairs(reader: Reader, prompt: bytes, tool: CallableTool, names: Names) -> tuple[int, ...]:
    """Zeros where there is nothing to fill, or more than can be."""
    if not 0 < len(tool.parameters) <= MOST_PARAMETERS:
        return NO_PAIRS
    opened = opened_of(reader, prompt, tool, names)
    numbers = pair_numbers(reader.rows, reader.roles, prompt, opened)
    return pair_features(numbers, [each.param_type for each in opened])


def opened_of(reader: Reader, prompt: bytes, tool: CallableTool, names: Names) -> list[Open]:
    types = [each.param_type for each in tool.parameters]
    found = candidates_of(View(prompt, names), types)
    return [
        Open(each.param_type, reader.parameter(each.name, each.description), candidates)
        for each, candidates in zip(tool.parameters, found, strict=True)
    ]


__all__ = ["best_tool", "features_of", "opened_of"]
