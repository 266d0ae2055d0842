"""When a circuit's outputs count as the network's own: by what each output is.

Labels, which are integers or truth values, must be the same. Probabilities, rows of numbers from 0
to 1 that sum to 1, must have the same largest one and be near. Other numbers must be near: within a
part of the largest one that the network gives on the samples. Scores of which only the largest
matters look like any other numbers, so who brings some says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

RELATIVE_TOLERANCE = 0.01
SUMS_TO_ONE = 1e-3  # float16 comes no nearer


class Kind(StrEnum):
    """What an output is judged by."""

    LABELS = "labels"
    PROBABILITIES = "probabilities"
    NUMBERS = "numbers"
    DECISIONS = "decisions"


@dataclass(frozen=True)
class Criterion:
    """tolerance: every number of every output within it, in the network's units, and nothing else.
    decisions: the arg-max of every row, the lowest index on ties, and nothing else. By default each
    output by what it is, numbers and probabilities within `share` of the largest one."""

    tolerance: float | None = None
    decisions: bool = False
    share: float = RELATIVE_TOLERANCE


USUAL = Criterion()


@dataclass(frozen=True)
class Judged:
    """One output, as onnxruntime computes it on all samples. peak: its largest magnitude."""

    kind: Kind
    peak: float

    @classmethod
    def of(cls, outputs: Sequence[Array], criterion: Criterion) -> "Judged":
        """outputs: of each sample."""
        peak = max((float(np.abs(_floats(each)).max()) for each in outputs if each.size), default=0)
        return cls(_kind(outputs, criterion), peak)

    def agrees(self, theirs: Array, ours: Array, deviation: float, criterion: Criterion) -> bool:
        """Whether one sample's output counts as equal. theirs: onnxruntime's; ours: the circuit's
        integers, whose scale does not change which is the largest. deviation: the largest of any
        number, in the network's units."""
        if criterion.tolerance is not None:
            return deviation <= criterion.tolerance
        if self.kind is Kind.LABELS:
            return deviation == 0
        near = self.relative(deviation) <= criterion.share
        if self.kind is Kind.NUMBERS:
            return near
        same = np.array_equal(theirs.argmax(axis=-1), ours.argmax(axis=-1))
        return same if self.kind is Kind.DECISIONS else same and near

    def relative(self, deviation: float) -> float:
        """A deviation as a part of the output's largest magnitude; itself where that is 0."""
        return deviation / self.peak if self.peak else deviation


def _kind(outputs: Sequence[Array], criterion: Criterion) -> Kind:
    if criterion.decisions and any(each.ndim and each.shape[-1] > 1 for each in outputs):
        return Kind.DECISIONS
    if all(each.dtype.kind in "iub" for each in outputs):
        return Kind.LABELS
    return Kind.PROBABILITIES if all(_sums_to_one(each) for each in outputs) else Kind.NUMBERS


def _sums_to_one(output: Array) -> bool:
    if not output.ndim or output.shape[-1] < 2:
        return False
    values = _floats(output)
    inside = (values >= 0).all() and (values <= 1 + SUMS_TO_ONE).all()
    return bool(inside and np.abs(values.sum(axis=-1) - 1).max() <= SUMS_TO_ONE)


def _floats(values: Array) -> Array:
    return values.astype(np.float64)


__all__ = ["RELATIVE_TOLERANCE", "USUAL", "Criterion", "Judged", "Kind"]
