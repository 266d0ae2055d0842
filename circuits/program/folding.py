"""Matrix products as layers, which take in the bias and the activation that follow them."""

from dataclasses import replace
from math import prod

import numpy as np

from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.program import (
    Activation,
    Ids,
    Layer,
    Numbers,
    Operator,
    Step,
)
from zkagent.circuits.program.tensors import Bounds, Tensor, look_up


class Layers:
    """The steps of a graph so far. Changing a layer's outputs in place is what folding is, so it
    is done only where no other tensor and no other node sees them."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.steps: list[Step] = []
        self.node = ""  # that is being read
        self._layer_of: dict[int, Layer] = {}

    def product(self, left: Tensor, right: Tensor) -> Tensor:
        """left [..., R, K] times constant weights [..., K, N]. Raises ProgramRefused."""
        if left.constant or not right.constant:
            raise ProgramRefused("its second factor, and only that, must be constant")
        if left.values.ndim < 2 or right.values.ndim < 2:
            raise ProgramRefused("its factors must have two dimensions at least")
        inputs, weights = _grouped(left.values, right.values)
        peaks = self.bounds.of_sums(inputs, weights)
        outputs = self.bounds.new(peaks.shape)
        self.bounds.set(outputs, peaks)
        if ends := self.bounds.ends_of_sums(inputs, weights):
            self.bounds.set_ends(outputs, *ends)
            peaks = self.bounds.of_ids(outputs)
        bias = np.zeros((len(weights), weights.shape[2]), dtype=object)
        layer = Layer(inputs, weights, outputs, max(peaks.ravel()), bias, node=self.node)
        self.steps.append(layer)
        self._layer_of.update(dict.fromkeys(outputs.ravel().tolist(), layer))
        batch = np.broadcast_shapes(left.values.shape[:-2], right.values.shape[:-2])
        shape = (*batch, left.values.shape[-2], right.values.shape[-1])
        return Tensor(outputs.reshape(shape), fresh=True)

    def fold(self, operator: Operator, left: Tensor, right: Tensor) -> Tensor | None:
        """The result, if the operation became part of the layer that made `left`."""
        layer = self._layer_of.get(int(left.values.flat[0])) if left.fresh else None
        if layer is None or layer.activation is not Activation.NONE:
            return None
        if left.values.size != layer.outputs.size:
            return None
        if operator is Operator.MUL and left is right and left.readers == 2:
            layer.activation = Activation.SQUARE
            self.bounds.set(layer.outputs, self.bounds.of_ids(layer.outputs) ** 2)
            self.bounds.move_ends(layer.outputs, lambda _: None)
            return replace(left)
        if left.readers != 1 or not right.constant or not _fits(right, left):
            return None
        if operator is Operator.MAX and not right.values.any():
            layer.activation = Activation.RELU
            self.bounds.move_ends(layer.outputs, lambda ends: (max(ends[0], 0), max(ends[1], 0)))
            return replace(left)
        return self._add_bias(layer, left, right) if operator is Operator.ADD else None

    def _add_bias(self, layer: Layer, left: Tensor, right: Tensor) -> Tensor | None:
        """None where rows that share weights have biases of their own."""
        values = np.broadcast_to(right.values, left.values.shape).ravel().tolist()
        added = dict(zip(left.values.ravel().tolist(), values, strict=True))
        per_output = look_up(added, layer.outputs)
        if (per_output != per_output[:, :1]).any():
            return None
        layer.bias = layer.bias + per_output[:, 0]
        peaks = self.bounds.of_ids(layer.outputs) + np.abs(per_output)
        self.bounds.set(layer.outputs, peaks)
        self.bounds.shift_ends(added)
        layer.bound = max(self.bounds.of_ids(layer.outputs).ravel())
        return replace(left)


def _fits(right: Tensor, left: Tensor) -> bool:
    shape = left.values.shape
    return np.broadcast_shapes(shape, right.values.shape) == shape


def _grouped(left: Ids, right: Numbers) -> tuple[Ids, Numbers]:
    """Factors of a matrix product as [G, R, K] and [G, K, N]; one matrix for all rows is G = 1."""
    k, n = right.shape[-2:]
    if left.shape[-1] != k:
        raise ProgramRefused(f"{left.shape} times {right.shape} has no product")
    if prod(right.shape[:-2]) == 1:
        return left.reshape(1, -1, k), right.reshape(1, k, n)
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    inputs = np.broadcast_to(left, (*batch, *left.shape[-2:]))
    weights = np.broadcast_to(right, (*batch, k, n))
    return inputs.reshape(-1, left.shape[-2], k), weights.reshape(-1, k, n)


__all__ = ["Layers"]
