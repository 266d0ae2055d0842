"""Tables as sums of few products: how a row of constants is found by the bits of its number.

The products of all sets of an index's bits make every function of it a linear combination
(multilinear extension). For long tables that is too many, and the bits are split in two halves: a
column, as a matrix of the high half by the low half, is a sum of as many products of two functions
as its rank says, and trained tables can be made of low rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from zkagent.circuits.program.program import Numbers

PRIME = (1 << 31) - 1  # products of residues fit int64
MOST_RANK = 8
MOST_BITS = 62  # of a product, in a witness


@dataclass(frozen=True)
class Factors:
    """factor * column[high, low] = sum over i of left[high, i] * right[i, low], in integers."""

    factor: int
    left: Numbers
    right: Numbers

    @property
    def rank(self) -> int:
        return int(self.left.shape[1])


@dataclass(frozen=True)
class Split:
    """A table by the lower `low` bits of a row's number and the others: the factors of each column.
    low = bits: no split, each column is a sum of products of sets of bits. last: the last row."""

    last: int
    low: int
    columns: tuple[Factors, ...] = ()

    @property
    def bits(self) -> int:
        return self.last.bit_length()

    @property
    def products(self) -> int:
        """How many a look-up takes."""
        halves = (self.last >> self.low, (1 << self.low) - 1) if self.columns else (self.last,)
        sets = sum(last - last.bit_length() for last in halves)
        return sets + sum(column.rank for column in self.columns)


def moebius(values: Sequence[int]) -> list[int]:
    """The coefficients of the products of sets of bits, by set as a mask, for a function of 2^n
    numbers."""
    found, step = list(values), 1
    while step < len(found):
        for at in range(len(found)):
            if at & step:
                found[at] -= found[at ^ step]
        step *= 2
    return found


def cheapest_split(table: Numbers) -> Split:
    """table [rows, columns]; rows beyond are never looked up."""
    bits = max(len(table) - 1, 0).bit_length()
    padded = np.zeros((1 << bits, table.shape[1]), dtype=object)
    padded[: len(table)] = table
    best = Split(len(table) - 1, bits)
    for low in range(max(1, bits // 2 - 1), min(bits, bits // 2 + 3)):
        made = _split(padded, len(table) - 1, low)
        if made and made.products < best.products:
            best = made
    return best


def _split(table: Numbers, last: int, low: int) -> Split | None:
    columns = []
    for column in table.T:
        if (factors := factored(column.reshape(-1, 1 << low))) is None:
            return None
        columns.append(factors)
    return Split(last, low, tuple(columns))


def factored(matrix: Numbers) -> Factors | None:
    """Of a matrix of low rank whose products fit a witness; None of any other. Pivots are found
    modulo a prime, and what they give is checked in integers."""
    pivots = _pivots((matrix % PRIME).astype(np.int64))
    if pivots is None:
        return None
    rows, columns = ([pair[side] for pair in pivots] for side in (0, 1))
    factor, inverse = _scaled_inverse(matrix[np.ix_(rows, columns)].tolist())
    left, right = matrix[:, columns] @ inverse, matrix[rows, :]
    if not factor or (left @ right != factor * matrix).any():
        return None
    largest = np.abs(left).max(initial=0) * np.abs(right).max(initial=0) * max(1, len(rows))
    return Factors(factor, left, right) if largest.bit_length() <= MOST_BITS else None


def _pivots(matrix: npt.NDArray[np.int64]) -> list[tuple[int, int]] | None:
    """Rows and columns of a largest part with an inverse; None where that is too large."""
    found: list[tuple[int, int]] = []
    while matrix.any():
        if len(found) == MOST_RANK:
            return None
        row, column = (int(place) for place in np.argwhere(matrix)[0])
        found.append((row, column))
        inverse = pow(int(matrix[row, column]), -1, PRIME)
        factors = matrix[:, column] * inverse % PRIME
        matrix = (matrix - factors[:, None] * matrix[row][None, :] % PRIME) % PRIME
    return found


def _scaled_inverse(matrix: list[list[int]]) -> tuple[int, Numbers]:
    """A factor and factor / matrix, in integers; 0 where there is no inverse."""
    size = len(matrix)
    rows = [
        [Fraction(v) for v in row] + [Fraction(int(i == at)) for i in range(size)]
        for at, row in enumerate(matrix)
    ]
    for at in range(size):
        pivot = next((i for i in range(at, size) if rows[i][at]), None)
        if pivot is None:
            return 0, np.zeros((size, size), dtype=object)
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for i in range(size):
            if i != at:
                rows[i] = [a - rows[i][at] * b for a, b in zip(rows[i], rows[at], strict=True)]
    inverse = [row[size:] for row in rows]
    factor = lcm(*(value.denominator for row in inverse for value in row), 1)
    scaled = np.empty((size, size), dtype=object)
    for i, row in enumerate(inverse):
        for j, value in enumerate(row):
            scaled[i, j] = int(value * factor)
    return factor, scaled


__all__ = ["Factors", "Split", "cheapest_split", "factored", "moebius"]
