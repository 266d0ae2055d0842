"""Generators of what a decoder gets beside the context: an agent's tools and a model's output."""

import random

from zkagent.models.encoding.decoder import ToolSignature
from zkagent.models.encoding.manifest import Manifest

#: A tool that does not tell its name.
SILENT = ToolSignature("", ())


def random_tools(rng: random.Random, manifest: Manifest) -> tuple[ToolSignature, ...]:
    """Mostly all of the model's tools; some missing, doubled, foreign, of other types, or without
    an answer to the question for name or parameters."""
    tools = [ToolSignature(a.name, tuple(p.type for p in a.parameters)) for a in manifest.actions]
    if rng.random() < 0.3:
        tools = [signed(tool) if rng.random() < 0.8 else tool for tool in tools]
    if rng.random() < 0.2:
        tools.insert(rng.randrange(len(tools) + 1), SILENT)
    if rng.random() < 0.7:
        return tuple(tools)
    odd = rng.choice(tools)
    types = rng.choice([odd.parameter_types[:-1], (*odd.parameter_types, "uint"), ("int",), ()])
    changes = [
        [t for t in tools if t != odd],
        [*tools, odd],
        [ToolSignature(t.name, types) if t == odd else t for t in tools],
        [ToolSignature(odd.name.lower(), odd.parameter_types), *tools[1:]],
        [*tools, ToolSignature("Other", ("string", "bool"))],
        [SILENT if t == odd else t for t in tools],
        [ToolSignature(odd.name, ()), *tools],
        [*[SILENT] * rng.randrange(1, 12), *tools],
        [],
    ]
    chosen = rng.choice(changes)
    rng.shuffle(chosen)
    return tuple(chosen)


def signed(tool: ToolSignature) -> ToolSignature:
    """With its amount as an int."""
    types = tuple("int" if kind == "uint" else kind for kind in tool.parameter_types)
    return ToolSignature(tool.name, types)


def random_output(rng: random.Random, manifest: Manifest) -> tuple[int, ...]:
    """An output in which calls are frequent, ties happen and extremes occur."""
    reach = rng.choice([1, 3, 1000, (1 << 63) - 1])
    sources = manifest.action_scores
    y = [rng.randint(-reach, reach) for _ in range(manifest.output_count)]
    if rng.random() < 0.7:  # most slots filled, so that calls come about
        y[sources + 3 :] = [abs(v) or 1 for v in y[sources + 3 :]]
        y[rng.randrange(len(manifest.actions))] = reach
        y[sources + rng.choice([0, 0, 1, 2])] = reach
    elif rng.random() < 0.5:  # an observed amount is spent
        spending = [i for i, a in enumerate(manifest.actions) if len(a.parameters) > 1]
        y = [1] * manifest.output_count
        y[rng.choice(spending)] = y[sources + rng.choice([1, 1, 2])] = 2
    if rng.random() < 0.05:
        y[rng.randrange(len(y))] = -(1 << 63)
    return tuple(y)
