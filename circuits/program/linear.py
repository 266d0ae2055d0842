"""ONNX operators that are matrix products in disguise: sums along axes.

Each hands ids to `Layers.product` as it takes them, and puts the outputs where the operator has
them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.folding import Layers
from zkagent.circuits.program.moves import flag, places_of
from zkagent.circuits.program.tensors import Tensor

Attributes = Mapping[str, Any]


def reduce_sum(layers: Layers, attributes: Attributes, data: Tensor, axes: Tensor | None) -> Tensor:
    """Raises ProgramRefused."""
    rank = data.values.ndim
    given = [] if axes is None else places_of(axes.values, rank)
    if not given and flag(attributes, "noop_with_empty_axes", 0):
        raise ProgramRefused("it sums nothing: leave it out")
    summed = given or range(rank)
    kept = [axis for axis in range(rank) if axis not in summed]
    shape = [data.values.shape[axis] for axis in kept]
    turned = np.transpose(data.values, [*kept, *summed]).reshape(1, int(np.prod(shape)), -1)
    made = layers.product(Tensor(turned, data.constant), _ones((turned.shape[2], 1)))
    if flag(attributes, "keepdims", 1):
        shape = [1 if axis in summed else data.values.shape[axis] for axis in range(rank)]
    return Tensor(made.values.reshape(shape), fresh=True)


def cumulative_sum(layers: Layers, attributes: Attributes, data: Tensor, axis: Tensor) -> Tensor:
    """Raises ProgramRefused."""
    place = int(axis.values.item())
    turned = np.moveaxis(data.values, place, -1)
    length = turned.shape[-1]
    weights = np.triu(np.ones((length, length), dtype=np.int64), flag(attributes, "exclusive", 0))
    if flag(attributes, "reverse", 0):
        weights = weights.T
    rows = Tensor(turned.reshape(1, -1, length), data.constant)
    made = layers.product(rows, Tensor(weights.astype(object), constant=True))
    return Tensor(np.moveaxis(made.values.reshape(turned.shape), -1, place), fresh=True)


def _ones(shape: Sequence[int]) -> Tensor:
    return Tensor(np.ones(shape, dtype=np.int64).astype(object), constant=True)


__all__ = ["cumulative_sum", "reduce_sum"]
