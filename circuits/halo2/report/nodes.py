"""Cells for each node of a circuit, as ezkl counts them when it lays the network out.

Its settings hold only the sum. Its log says before each node how many cells there are so far, and,
when it reads the file, what a node is called and what it takes; this reads those lines (of ezkl
23.0.5, whose version is part of a circuit's name).
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

LOADED = re.compile(
    r'Loading node: Node \{ id: (\d+), name: "((?:[^"\\]|\\.)*)", inputs: \[([^\]]*)\]', re.DOTALL
)
BEGUN = re.compile(r"laying out (\d+): (.*)", re.DOTALL)
COUNTED = re.compile(r"\(rows=\d+, coord=(\d+),")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NAMELESS: tuple[str, tuple[int, ...]] = "", ()
SOURCE = re.compile(r"(\d+)/\d+>")


@dataclass(frozen=True)
class CircuitNode:
    """One node as ezkl lays it out. name: as in the user's file, with a suffix for its parts; empty
    where it is not known. inputs: numbers of the nodes that it takes. cells: that it fills."""

    number: int
    name: str
    operation: str
    inputs: tuple[int, ...]
    cells: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "CircuitNode":
        return cls(**{**fields, "inputs": tuple(fields["inputs"])})


def nodes_of(messages: Iterable[str]) -> tuple[CircuitNode, ...]:
    """From the log of one `gen_settings`, message by message; the last node's cells are also those
    that fix the outputs. Nodes of a loop come again for each round, and without names: the loop
    numbers its own from 0."""
    known: dict[int, tuple[str, tuple[int, ...]]] = {}
    twice, begun, cells, fresh = set[int](), list[CircuitNode](), 0, False
    for message in messages:
        text = COLOUR.sub("", message)
        if found := LOADED.match(text):
            number = int(found[1])
            if number in known:
                twice.add(number)
            known[number] = found[2], tuple(int(each) for each in SOURCE.findall(found[3]))
        elif found := BEGUN.match(text):
            number = int(found[1])
            name, inputs = known.get(number, NAMELESS) if number not in twice else NAMELESS
            begun.append(CircuitNode(number, name, found[2], inputs, 0))
            fresh = True
        elif found := COUNTED.match(text):
            # Told as a node begins: what is new belongs to the one before, but at the very end.
            at = len(begun) - 1 - fresh
            if at >= 0:
                filled = begun[at].cells + int(found[1]) - cells
                begun[at] = replace(begun[at], cells=filled)
            cells, fresh = int(found[1]), False
    return tuple(begun)


__all__ = ["CircuitNode", "nodes_of"]
