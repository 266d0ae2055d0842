"""A program evaluated by its definition, for many inputs at once: what back-ends must compute."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from zkagent.circuits.program.program import (
    Activation,
    ArgMax,
    Layer,
    LookUp,
    Operand,
    Operator,
    Program,
)

Values = npt.NDArray[np.int64]

ACTIVATIONS: dict[Activation, Callable[[Values], Values]] = {
    Activation.NONE: lambda totals: totals,
    Activation.SQUARE: lambda totals: totals * totals,
    Activation.RELU: lambda totals: np.maximum(totals, 0),
}
OPERATIONS: dict[Operator, Callable[[Values, Values], Values]] = {
    Operator.ADD: np.add,
    Operator.SUB: np.subtract,
    Operator.MUL: np.multiply,
    Operator.MAX: np.maximum,
}


def evaluate(program: Program, inputs: npt.ArrayLike) -> Values:
    """y [N, outputs] of x [N, inputs], each of the program's bits: exact, since no number leaves
    int64. Raises ValueError where a look-up leaves its table."""
    x = np.asarray(inputs, dtype=np.int64)
    numbers = np.zeros((len(program.bounds), len(x)), dtype=np.int64)
    numbers[: program.inputs] = x.T
    for step in program.steps:
        if isinstance(step, Layer):
            totals = _totals(step, numbers)
            numbers[step.outputs] = ACTIVATIONS[step.activation](totals)
        elif isinstance(step, LookUp):
            numbers[step.outputs] = _looked_up(step, numbers)
        elif isinstance(step, ArgMax):
            numbers[step.outputs] = np.argmax(numbers[step.inputs], axis=1)
        else:
            left, right = _operand(step.left, numbers), _operand(step.right, numbers)
            numbers[step.outputs] = OPERATIONS[step.operator](left, right)
    return numbers[program.outputs].T


def _totals(layer: Layer, numbers: Values) -> Values:
    """[G, R, columns, N]."""
    weights, bias = layer.weights.astype(np.int64), layer.bias.astype(np.int64)
    products = np.einsum("gkc,grkn->grcn", weights, numbers[layer.inputs])
    return np.asarray(products + bias[:, None, :, None], dtype=np.int64)


def _looked_up(step: LookUp, numbers: Values) -> Values:
    """[T, columns, N]."""
    places = numbers[step.indices]
    if ((places < 0) | (places >= len(step.table))).any():
        raise ValueError(f"{step.node}: a place outside of its table")
    return np.moveaxis(step.table.astype(np.int64)[places], -1, 1)


def _operand(operand: Operand, numbers: Values) -> Values:
    if operand.constant:
        return np.asarray(operand.values.astype(np.int64)[:, None])
    return numbers[operand.values]


__all__ = ["evaluate"]
