"""Tensors while a graph is read: arrays of ids or of constants, and the bounds of all numbers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.program import Ids, Numbers

#: Magnitudes stay below 2^63: beyond, onnxruntime's int64 wraps where a circuit's numbers do not.
MOST_BITS = 63


@dataclass(frozen=True)
class Tensor:
    """Ids, or numbers if `constant`.

    fresh: no other tensor shows these ids. readers: operands that it is in the whole graph.
    """

    values: npt.NDArray[Any]
    constant: bool = False
    fresh: bool = False
    readers: int = 1


@dataclass(frozen=True)
class Row:
    """Where a number was looked up: `column` of a row that all numbers with its `place` are of."""

    table: Numbers
    place: int
    column: int


Ends = tuple[int, int]


@dataclass
class Bounds:
    """The largest magnitude of each number, by id: worst cases over all inputs.

    rows: of the numbers that are looked up, which are as large as they get in few rows at once.
    ends: the least and the most, of numbers that are not as far on either side of 0: bits, and what
    is made of them.
    """

    peaks: list[int] = field(default_factory=list)
    rows: dict[int, Row] = field(default_factory=dict)
    ends: dict[int, Ends] = field(default_factory=dict)

    def new(self, shape: Sequence[int], peak: int = 0) -> Ids:
        """Ids of new numbers."""
        first, count = len(self.peaks), math.prod(shape)
        self.peaks += [peak] * count
        return np.arange(first, first + count).reshape(shape)

    def ends_of(self, number: int) -> Ends:
        return self.ends.get(number, (-self.peaks[number], self.peaks[number]))

    def set_ends(self, ids: Ids, least: Numbers, most: Numbers) -> None:
        """And with them the magnitudes. Raises ProgramRefused for numbers that might not fit."""
        self.set(ids, np.maximum(np.abs(least), np.abs(most)))
        found = zip(least.ravel().tolist(), most.ravel().tolist(), strict=True)
        self.ends.update(zip(ids.ravel().tolist(), found, strict=True))

    def move_ends(self, ids: Ids, to: Callable[[Ends], Ends | None]) -> None:
        """Of the numbers that have any; magnitudes stay."""
        for number in ids.ravel().tolist():
            if (ends := self.ends.pop(number, None)) and (moved := to(ends)):
                self.ends[number] = moved

    def shift_ends(self, added: Mapping[int, int]) -> None:
        """Numbers grew by so much: those that have ends are as large as these, then."""
        for number, more in added.items():
            if number in self.ends:
                least, most = (end + more for end in self.ends[number])
                self.ends[number] = least, most
                self.peaks[number] = max(-least, most)

    def ends_of_sums(self, inputs: Ids, weights: Numbers) -> tuple[Numbers, Numbers] | None:
        """Least and most of inputs [G, R, K] times weights [G, K, N]; None where nothing is known
        of any input but how large it is."""
        if not self.ends or self.ends.keys().isdisjoint(inputs.ravel().tolist()):
            return None
        pairs = [self.ends_of(number) for number in inputs.ravel().tolist()]
        least, most = (
            np.array(side, dtype=object).reshape(inputs.shape) for side in zip(*pairs, strict=True)
        )
        up, down = np.maximum(weights, 0), np.maximum(-weights, 0)
        return least @ up - most @ down, most @ up - least @ down

    def of(self, tensor: Tensor) -> Numbers:
        if tensor.constant:
            return np.asarray(np.abs(tensor.values))
        return self.of_ids(tensor.values)

    def of_ids(self, ids: Ids) -> Numbers:
        return look_up(self.peaks, ids)

    def note_rows(self, ids: Ids, table: Numbers, places: Ids) -> None:
        """ids [P, C] are the rows of the table at P places."""
        for row, place in zip(ids.tolist(), places.tolist(), strict=True):
            self.rows.update({n: Row(table, place, c) for c, n in enumerate(row)})

    def of_sums(self, inputs: Ids, weights: Numbers) -> Numbers:
        """inputs [G, R, K] times weights [G, K, N]: of sums over rows of tables, what the rows have
        in them; of all else, the sum of magnitudes."""
        found = np.asarray(self.of_ids(inputs) @ np.abs(weights))
        seen: dict[tuple[object, ...], Numbers] = {}
        for group, rows in enumerate(inputs.tolist()):
            for at, row in enumerate(rows):
                for columns, places in self._looked_up(row):
                    table = self.rows[row[places[0]]].table
                    key = id(table), group, columns, places
                    if key not in seen:
                        factors = weights[group][list(places)]
                        part = table[:, list(columns)]
                        apart = np.abs(part).max(axis=0) @ np.abs(factors)
                        seen[key] = apart - np.abs(_product(part, factors)).max(axis=0)
                    found[group, at] -= seen[key]
        return found

    def _looked_up(self, row: list[int]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """For each place of a table that is read here: columns, and where in `row` they are."""
        found: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for at, number in enumerate(row):
            if (known := self.rows.get(number)) is not None:
                found.setdefault((id(known.table), known.place), []).append((known.column, at))
        return [tuple(zip(*pairs, strict=True)) for pairs in found.values()]  # type: ignore[misc]

    def set(self, ids: Ids, peaks: Numbers) -> None:
        """Raises ProgramRefused for numbers that might not fit."""
        bits = max(peaks.ravel()).bit_length()
        if bits > MOST_BITS:
            raise ProgramRefused(
                f"its result could need {bits + 1} bits with the sign, int64 has {MOST_BITS + 1}: "
                "use smaller weights, or narrower inputs if x is never that large"
            )
        for number, peak in zip(ids.flat, peaks.flat, strict=True):
            self.peaks[number] = int(peak)


def _product(left: Numbers, right: Numbers) -> Numbers:
    """In machine words where they hold every sum."""
    largest = int(np.abs(left).max(initial=0)) * int(np.abs(right).max(initial=0)) * left.shape[1]
    if largest.bit_length() > MOST_BITS:
        return np.asarray(left @ right)
    return (left.astype(np.int64) @ right.astype(np.int64)).astype(object)


def look_up(table: Sequence[int] | dict[int, int], ids: Ids) -> Numbers:
    """The entry of each id, in the shape of `ids`."""
    found = np.empty(ids.size, dtype=object)
    found[:] = [table[i] for i in ids.ravel().tolist()]
    return found.reshape(ids.shape)


__all__ = ["MOST_BITS", "Bounds", "Tensor", "look_up"]
