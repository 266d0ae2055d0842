"""Whether a network's constraints compute what onnxruntime does: a build asks before it makes keys
of them.

Both are made of one file, by readers that share no code. That they agree rests on what the reader
takes (`circuits/program/reader.py`); this is a second look at it, at the ends of ranges and at all
rows of short tables.
"""

import random
from collections.abc import Iterator

import numpy as np

from zkagent.circuits.errors import InputRefused, NetworkRefused
from zkagent.circuits.groth16.constraints.compiler import Compiled
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.program.evaluation import evaluate
from zkagent.circuits.program.program import LookUp, Program

#: Tables of no more rows are read at each of them, and longer ones at so many.
MOST_ROWS, LEAST = 64, 5


def compare(network: Network, compiled: Compiled) -> list[int]:
    """An x for which there is a y. Raises NetworkRefused for a network whose circuit computes
    something else, or has no y where its program has one."""
    reference, program, proven = Reference(network), compiled.program, None
    for x in samples(program, network.sha256):
        try:
            y = compiled.outputs_of(compiled.witness(x))
        except InputRefused as exc:
            _check_outside(network, program, x, exc)
            continue
        theirs = reference.integers(x)
        if tuple(y) != theirs:
            raise NetworkRefused(
                network.path, f"its circuit computes {y} where onnxruntime computes {theirs}"
            )
        proven = proven or x
    if proven is None:
        raise NetworkRefused(network.path, "no simple x, of zeros or others, leads to a y")
    return proven


def samples(program: Program, seed: str) -> Iterator[list[int]]:
    """The same for the same seed: numbers of all sizes and signs, both ends of their range, and
    rows of tables where features are places."""
    high = (1 << (program.input_bits - 1)) - 1
    low, rows, generator = -high - 1, _rows(program), random.Random(seed)
    yield [0] * program.inputs
    for number in range(max(LEAST, min(MOST_ROWS, max(rows.values(), default=0)))):
        for ends in (True, False):
            x = [
                (low, high)[(i + number) % 2] if ends else generator.randint(low, high)
                for i in range(program.inputs)
            ]
            for i, count in rows.items():
                x[i] = _row(number, i, count, generator)
            yield x


def _rows(program: Program) -> dict[int, int]:
    """Of the features that are places: how many rows the shortest of their tables has."""
    found: dict[int, int] = {}
    for step in program.steps:
        if isinstance(step, LookUp):
            for i in step.indices.tolist():
                if i < program.inputs:
                    most = 1 << (program.input_bits - 1)
                    found[i] = min(found.get(i, most), len(step.table))
    return found


def _row(number: int, feature: int, count: int, generator: random.Random) -> int:
    """Of a short table each one in turn, of others the first, the last and any."""
    if count <= MOST_ROWS:
        return (number + feature) % count
    return (0, count - 1)[number] if number < 2 else generator.randrange(count)


def _check_outside(network: Network, program: Program, x: list[int], exc: InputRefused) -> None:
    """An x that leads out of a table has no y by definition. Raises NetworkRefused for others."""
    try:
        evaluate(program, np.array([x]))
    except ValueError:
        return
    raise NetworkRefused(network.path, f"its circuit has no y for {x} ({exc})") from exc


__all__ = ["compare", "samples"]
