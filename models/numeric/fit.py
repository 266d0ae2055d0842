"""The network that comes nearest to given outputs: (x W1 + b1)**2 W2 + b2, by least squares.

Its hidden units are (x_i + m_i)**2, (x_i - m_i)**2 and (x_i + x_j)**2, which add up to any sum of
squares, products and multiples of the features. The normal equations are solved in fractions, so
that the same samples make the same bytes on every machine.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from zkagent.models.errors import BoundExceeded, DatasetError
from zkagent.models.networks.bounds import INT64_MAX
from zkagent.models.networks.squares import Integers, Squares

#: Integers that float32 holds exactly, which is how ezkl reads weights.
EXACT_BITS = 24


def fit_squares(x: Integers, targets: Integers, unit: int) -> Squares:
    """x [samples, features], targets [samples, outputs], integers of at most 31 bits; unit: of the
    network's outputs, so many make one of the targets. Raises DatasetError for samples that are
    none, BoundExceeded for a network that could leave 64-bit integers."""
    if x.ndim != 2 or targets.ndim != 2 or len(x) != len(targets) or not len(x):
        raise DatasetError(
            f"features {x.shape} and targets {targets.shape}: give a row of both for each sample"
        )
    peaks = [int(peak) for peak in np.abs(x).max(axis=0)]
    w1, b1 = _hidden(peaks)
    hidden = (x @ w1 + b1) ** 2
    design = np.column_stack([hidden, np.ones(len(x), np.int64)]).astype(object)
    kept = _independent(design)
    solved = _solve(design[:, kept], targets.astype(object), unit)
    if (most := max(abs(weight) for row in solved for weight in row)) > INT64_MAX:
        raise BoundExceeded(f"a weight would be {most}: give smaller targets, or a smaller unit")
    weights = np.zeros((design.shape[1], targets.shape[1]), np.int64)
    weights[kept] = solved
    network = Squares(w1, b1, weights[:-1], weights[-1])
    network.check(peaks)
    return network


def _hidden(peaks: Sequence[int]) -> tuple[Integers, Integers]:
    count = len(peaks)
    one = np.eye(count, dtype=np.int64)
    pairs = [one[i] + one[j] for i in range(count) for j in range(i)]
    w1 = np.stack([*one, *one, *pairs], axis=1)
    shifts = np.array([max(1, peak // 4) for peak in peaks], np.int64)
    b1 = np.concatenate([shifts, -shifts, np.zeros(len(pairs), np.int64)])
    return w1, b1


def _independent(design: "np.ndarray[tuple[int, int], np.dtype[np.object_]]") -> list[int]:
    """Columns of which none is a sum of others: a feature that never varies adds nothing."""
    gram = [[Fraction(int(v)) for v in row] for row in design.T @ design]
    kept: list[int] = []
    for column in range(len(gram)):
        if gram[column][column] == 0:
            continue
        kept.append(column)
        for row in range(column + 1, len(gram)):
            factor = gram[row][column] / gram[column][column]
            if factor:
                gram[row] = [a - factor * b for a, b in zip(gram[row], gram[column], strict=True)]
    return kept


def _solve(
    design: "np.ndarray[tuple[int, int], np.dtype[np.object_]]",
    targets: "np.ndarray[tuple[int, int], np.dtype[np.object_]]",
    unit: int,
) -> list[list[int]]:
    """The weights of least squares, in units, rounded to what float32 holds."""
    rows = [
        [Fraction(int(v)) for v in (*left, *right)]
        for left, right in zip(design.T @ design, design.T @ targets, strict=True)
    ]
    size = len(rows)
    for column in range(size):
        pivot = rows[column][column]
        rows[column] = [value / pivot for value in rows[column]]
        for other in range(size):
            if other != column and (factor := rows[other][column]):
                rows[other] = [
                    a - factor * b for a, b in zip(rows[other], rows[column], strict=True)
                ]
    return [[_as_ezkl_reads(value * unit) for value in row[size:]] for row in rows]


def _as_ezkl_reads(value: Fraction) -> int:
    """The nearest integer of which float32 has all bits."""
    spare = max(0, abs(round(value)).bit_length() - EXACT_BITS)
    return round(value / (1 << spare)) << spare


__all__ = ["fit_squares"]
