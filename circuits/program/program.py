"""What an integer network computes: steps over single numbers, each of which has an id and a bound.

reader.py makes a program of an ONNX graph.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
#: Python integers, of any size.
Numbers = npt.NDArray[np.object_]

MOST_INPUT_BITS = 16  # features are int16 on chain


class Activation(StrEnum):
    """What a layer does with its sums: nothing, t * t, or max(t, 0)."""

    NONE = "none"
    SQUARE = "square"
    RELU = "relu"


class Operator(StrEnum):
    """Of two numbers."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    MAX = "max"


@dataclass
class Layer:
    """outputs[g, r] = activation(inputs[g, r] @ weights[g] + bias[g]).

    inputs [G, R, K] and outputs [G, R, N] are ids, weights [G, K, N], bias [G, N]. bound: largest
    magnitude of a sum. node: what in the graph it was made of, for errors.
    """

    inputs: Ids
    weights: Numbers
    outputs: Ids
    bound: int
    bias: Numbers
    activation: Activation = Activation.NONE
    node: str = ""


@dataclass(frozen=True)
class Operand:
    """Ids, or numbers if `constant`."""

    values: Ids | Numbers
    constant: bool


@dataclass(frozen=True)
class Elementwise:
    """outputs[i] = left[i] `operator` right[i]. node: as of a layer."""

    operator: Operator
    left: Operand
    right: Operand
    outputs: Ids
    node: str = ""


@dataclass(frozen=True)
class LookUp:
    """outputs[i] = table[indices[i]], for indices from 0 on; others have no result.

    indices [T], table [rows, columns], outputs [T, columns]. node: as of a layer.
    """

    indices: Ids
    table: Numbers
    outputs: Ids
    node: str = ""


@dataclass(frozen=True)
class ArgMax:
    """outputs[r] = the place of the largest of inputs[r], the first one of equals.

    inputs [R, N], outputs [R]. node: as of a layer.
    """

    inputs: Ids
    outputs: Ids
    node: str = ""


@dataclass(frozen=True)
class Sign:
    """outputs[i] = 1 where inputs[i] > 0, and else 0.

    ends [N, 2]: the least and the most that each input can be. node: as of a layer.
    """

    inputs: Ids
    ends: Numbers
    outputs: Ids
    node: str = ""


@dataclass(frozen=True)
class Mask:
    """outputs[i] = inputs[i] & masks[i], of two's complement: inputs are features, and no mask has
    more bits than they have. node: as of a layer."""

    inputs: Ids
    masks: Numbers
    outputs: Ids
    node: str = ""


@dataclass(frozen=True)
class Select:
    """outputs[i] = yes[i] where chosen[i] is 1, and no[i] where it is 0; it is nothing else. node:
    as of a layer."""

    chosen: Ids
    yes: Operand
    no: Operand
    outputs: Ids
    node: str = ""


Step = Layer | Elementwise | LookUp | ArgMax | Sign | Mask | Select


@dataclass(frozen=True)
class Program:
    """Ids 0 to inputs - 1 are the inputs, of `input_bits` bits each in two's complement.

    bounds[id] is the largest magnitude of a number.
    """

    inputs: int
    input_bits: int
    outputs: Ids
    steps: tuple[Step, ...]
    bounds: tuple[int, ...]

    @property
    def multiply_adds(self) -> int:
        """Products of weights, for every row."""
        layers = (step for step in self.steps if isinstance(step, Layer))
        return sum(step.inputs.size * step.weights.shape[2] for step in layers)


__all__ = [
    "MOST_INPUT_BITS",
    "Activation",
    "ArgMax",
    "Elementwise",
    "Ids",
    "Layer",
    "LookUp",
    "Mask",
    "Numbers",
    "Operand",
    "Operator",
    "Program",
    "Select",
    "Sign",
    "Step",
]
