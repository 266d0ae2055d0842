"""Tensors while a graph is read: arrays of ids or of constants, and the bounds of all numbers."""

import math
from collections.abc import Sequence
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


@dataclass
class Bounds:
    """The largest magnitude of each number, by id: worst cases over all inputs."""

    peaks: list[int] = field(default_factory=list)

    def new(self, shape: Sequence[int], peak: int = 0) -> Ids:
        """Ids of new numbers."""
        first, count = len(self.peaks), math.prod(shape)
        self.peaks += [peak] * count
        return np.arange(first, first + count).reshape(shape)

    def of(self, tensor: Tensor) -> Numbers:
        if tensor.constant:
            return np.asarray(np.abs(tensor.values))
        return self.of_ids(tensor.values)

    def of_ids(self, ids: Ids) -> Numbers:
        return look_up(self.peaks, ids)

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


def look_up(table: Sequence[int] | dict[int, int], ids: Ids) -> Numbers:
    """The entry of each id, in the shape of `ids`."""
    found = np.empty(ids.size, dtype=object)
    found[:] = [table[i] for i in ids.ravel().tolist()]
    return found.reshape(ids.shape)


__all__ = ["MOST_BITS", "Bounds", "Tensor", "look_up"]
