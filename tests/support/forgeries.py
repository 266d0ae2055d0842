"""Witnesses that a dishonest prover would try: some wires as it likes, all later ones computed from
them, so that nothing but what binds those wires is broken."""

from collections.abc import Mapping, Sequence

import numpy as np

from tests.support.constraints import broken, read_r1cs
from zkagent.circuits.groth16.constraints.compiler import Compiled
from zkagent.circuits.groth16.constraints.public_words import NO_KEY, point
from zkagent.circuits.groth16.constraints.r1cs import r1cs_file
from zkagent.circuits.groth16.constraints.wires import Family
from zkagent.circuits.groth16.constraints.witness import Witness


def forged(compiled: Compiled, x: Sequence[int], chosen: Mapping[int, int]) -> Witness:
    """chosen: values of wires, as field elements where they are public words."""

    def fold_at(words: Sequence[int]) -> int:
        return point(NO_KEY, x, compiled.outputs.unpack(words, compiled.output_count))

    witness = Witness(np.zeros(compiled.wires, dtype=np.int64), {}, fold_at)
    witness.values[0] = 1
    for recipe in compiled.recipes:
        recipe.fill(witness, np.array(x, dtype=np.int64))
        for wire, value in chosen.items():
            if wire <= compiled.public or wire in witness.large:
                witness.large[wire] = value
            else:
                witness.values[wire] = value
    return witness


def broken_families(compiled: Compiled, witness: Witness) -> set[Family]:
    """By the file, where families do not show."""
    content = r1cs_file(compiled.constraints, compiled.wires, compiled.public)
    found = broken(read_r1cs(content), [witness.elements()])
    return {compiled.constraints[number].family for number in found}


def made_by(compiled: Compiled, family: Family) -> list[int]:
    """The wires on the right side of a family's constraints, where that is one wire."""
    rows = [row.c for row in compiled.constraints if row.family is family]
    return [wire for side in rows if len(side) == 1 for wire in side]


__all__ = ["broken_families", "forged", "made_by"]
