"""A program evaluated by its definition, for many inputs at once: what back-ends must compute."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from zkagent.circuits.program.program import (
    Activation,
    ArgMax,
    Elementwise,
    Layer,
    LookUp,
    Mask,
    Operand,
    Operator,
    Program,
    Select,
    Sign,
    Step,
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
        numbers[step.outputs] = _results(step, numbers)
    return numbers[program.outputs].T


def _results(step: Step, numbers: Values) -> Values:
    """Of one step, in the shape of its outputs and N."""
    match step:
        case Layer():
            found = ACTIVATIONS[step.activation](_totals(step, numbers))
        case LookUp():
            found = _looked_up(step, numbers)
        case ArgMax():
            found = np.argmax(numbers[step.inputs], axis=1)
        case Mask():
            found = numbers[step.inputs] & step.masks.astype(np.int64)[:, None]
        case Sign():
            found = (numbers[step.inputs] > 0).astype(np.int64)
        case Select():
            sides = [_operand(side, numbers) for side in (step.yes, step.no)]
            found = np.where(numbers[step.chosen] == 1, *sides)
        case Elementwise():
            sides = [_operand(side, numbers) for side in (step.left, step.right)]
            found = OPERATIONS[step.operator](*sides)
    return found


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
