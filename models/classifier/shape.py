"""How a classifier is wired: sizes S to XXL, and the permutations between its blocks.

    x [D] --permuted, blocks of b--> h = x W1 + b1 [H] --squared--> h * h
    (x, h * h) --picked, a group of intents each--> y = z A + b2 [slots] --permuted--> [intents]

A circuit pays for each output times its fan-in, so a group of intents reads `fan_in` of the
features and `square_fan_in` of the squares instead of all: the table is trained for exactly these
wires. Measured on CLINC150, with 24 of 64 features an intent loses 0.5 points and 60 % of the rows.
XL and XXL are for proofs in which weights cost nothing: one block, all of which each intent reads,
about 100,000 and a million weights for 150 intents.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.int64]

MOST_PADDING_GROUPS = 8


@dataclass(frozen=True)
class Shape:
    """What a size fixes.

    features: D, table columns. block: features that a hidden unit reads. hidden: H, the squares.
    fan_in, square_fan_in: features and squares that an intent reads.
    """

    table_rows: int
    features: int
    block: int
    hidden: int
    fan_in: int
    square_fan_in: int

    @property
    def blocks(self) -> int:
        return self.features // self.block

    @property
    def fan_in_of_outputs(self) -> int:
        return self.fan_in + self.square_fan_in

    def circuit_rows(self, labels: int) -> int:
        """Rows of the circuit: one for each input, output, product, square and bias."""
        slots = slot_count(labels)
        hidden = self.hidden * (self.block + 2)
        return self.features + labels + hidden + slots * (self.fan_in_of_outputs + 1)


SIZES = {
    "S": Shape(4096, 64, block=4, hidden=16, fan_in=21, square_fan_in=2),
    "M": Shape(8192, 64, block=8, hidden=32, fan_in=42, square_fan_in=4),
    "L": Shape(8192, 96, block=8, hidden=48, fan_in=80, square_fan_in=8),
    "XL": Shape(8192, 128, block=128, hidden=288, fan_in=128, square_fan_in=288),
    "XXL": Shape(8192, 256, block=256, hidden=2400, fan_in=256, square_fan_in=2400),
}


@dataclass(frozen=True)
class Wiring:
    """Which number goes where.

    hidden_inputs [blocks, block]: features that each block of hidden units reads, a permutation.
    picks [groups, fan_in + square_fan_in]: what each group of intents reads, features from 0,
    squares from D. slots [labels]: an intent's place among groups times intents per group.
    """

    hidden_inputs: Index
    picks: Index
    slots: Index

    @property
    def groups(self) -> int:
        return len(self.picks)


def wire(shape: Shape, labels: int, seed: int) -> Wiring:
    """Random wires, the same for the same seed; every feature is read about equally often."""
    rng = np.random.default_rng(seed)
    groups = group_count(labels)
    return Wiring(
        hidden_inputs=rng.permutation(shape.features).reshape(shape.blocks, shape.block),
        picks=np.concatenate(
            [
                _spread(rng, shape.features, groups, shape.fan_in),
                shape.features + _spread(rng, shape.hidden, groups, shape.square_fan_in),
            ],
            axis=1,
        ),
        slots=rng.permutation(slot_count(labels))[:labels],
    )


def group_count(labels: int) -> int:
    """Groups of at most twenty intents, as many as fill their slots best; one each when few."""
    least = max(-(-labels // 20), min(labels, MOST_PADDING_GROUPS))
    choices = range(least, min(labels, 2 * least) + 1)
    return min(choices, key=lambda groups: (-labels % groups, groups))


def slot_count(labels: int) -> int:
    """Outputs of the last layer: `labels` rounded up to whole groups."""
    groups = group_count(labels)
    return groups * -(-labels // groups)


def _spread(rng: np.random.Generator, count: int, groups: int, picked: int) -> Index:
    """`picked` different numbers below `count` for each group, each number about equally often."""
    uses = np.zeros(count)
    rows = []
    for _ in range(groups):
        order = np.lexsort((rng.random(count), uses))[:picked]
        uses[order] += 1
        rows.append(np.sort(order))
    return np.array(rows, dtype=np.int64).reshape(groups, picked)
