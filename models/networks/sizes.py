"""How large a stranger's network makes its tensors, found out before anything computes them: a file
of a kilobyte can double a tensor forty times, or the number of its axes.

The bounds for one tensor are of what a circuit can hold: each number takes a cell at least, and the
largest set-up has 2^28 rows, of which no machine here proves more than 2^24. The largest networks
of this project stay below 2^20 numbers for a tensor. `Limits` are of all nodes together, by what
the network is for.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zkagent.models.networks.shapes import described, each_shape
from zkagent.models.networks.windows import padded
from zkagent.models.networks.work import Known, multiply_adds, steps

if TYPE_CHECKING:
    from onnx import ModelProto, TensorProto

MOST_ELEMENTS = 1 << 24  # of one tensor: 128 MiB of int64
MOST_AXES = 32
MOST_NODES = 1 << 13
MOST_NAMES = 1 << 16  # of all nodes' inputs and outputs
MOST_OPSETS = 8
MOST_IN_BYTE = 8  # numbers, of the smallest kind

# Exact over the integers, without a choice for the prover, and without loops.
INTEGER_OPERATORS = frozenset(
    {"Add", "Concat", "Constant", "Flatten", "Gather", "Gemm", "Identity", "MatMul", "Mul", "Neg"}
    | {"ReduceSum", "Relu", "Reshape", "Slice", "Split", "Squeeze", "Sub", "Sum"}
    | {"Transpose", "Unsqueeze"}
)
# Besides these, of networks of bits: exact, too, and proven by Groth16 alone. A Cast makes truth
# values of numbers and nothing else.
BIT_OPERATORS = INTEGER_OPERATORS | {"ArgMax", "BitwiseAnd", "Cast", "Clip", "Max", "Pad", "Where"}


@dataclass(frozen=True)
class Limits:
    """Of a whole network. numbers: of all its tensors. multiply_adds: see work.py. steps: that are
    laid out one after the other."""

    numbers: int
    multiply_adds: int
    steps: int


#: Of what becomes a circuit: tens of minutes, and as much memory as a process may have, at most.
CIRCUIT = Limits(numbers=1 << 26, multiply_adds=1 << 26, steps=1 << 12)
#: Of what decides, in this process and again for each verdict: about a third of a second.
DECISION = Limits(numbers=1 << 24, multiply_adds=1 << 25, steps=0)


def check_sizes(model: "ModelProto", limits: Limits = CIRCUIT) -> None:
    """Raises ValueError, in one line that names the node, for a tensor that is too large or whose
    size does not follow from the file alone, and for more work than the limits allow."""
    check_face(model)
    together, shapes = 0, dict[str, tuple[int, ...]]()
    for name, place, shape in each_shape(model):
        if shape is None:
            raise ValueError(
                f"how large {place} becomes does not follow from the file: export it with fixed "
                "shapes"
            )
        shapes[name] = shape
        together += _checked(place, shape)
        if together > limits.numbers:
            raise ValueError(
                f"its tensors up to {place} have {together:,} numbers, at most "
                f"{limits.numbers:,} are taken"
            )
    _check_work(model, shapes, limits)


def _check_work(model: "ModelProto", shapes: Known, limits: Limits) -> None:
    work, laid_out = 0, 0
    for node in model.graph.node:
        if node.input and (worked := padded(node, shapes.get(node.input[0], ()))):
            _checked(f"what {described(node)} pads", worked)
        work += multiply_adds(node, shapes)
        laid_out += steps(node, shapes)
        if work > limits.multiply_adds:
            raise ValueError(
                f"its nodes up to {described(node)} take {work:,} multiply-adds, at most "
                f"{limits.multiply_adds:,} are taken"
            )
        if laid_out > limits.steps:
            raise ValueError(
                f"its nodes up to {described(node)} take {laid_out:,} steps one after the other, "
                f"at most {limits.steps:,} are taken"
            )


def check_face(model: "ModelProto") -> None:
    """What a file says outright: what hides in it is not measured, and what it stores is there.
    Raises ValueError."""
    nodes = model.graph.node
    if model.functions:
        raise ValueError("it defines operators of its own: export it with these written out")
    opsets = [each.domain for each in model.opset_import]
    if len(opsets) > MOST_OPSETS:
        raise ValueError(f"it names {len(opsets):,} sets of operators, at most {MOST_OPSETS}")
    if len(nodes) > MOST_NODES:
        raise ValueError(f"it has {len(nodes):,} nodes, at most {MOST_NODES:,} are taken")
    names = sum(len(node.input) + len(node.output) for node in nodes)
    if names > MOST_NAMES:
        raise ValueError(
            f"its nodes name {names:,} inputs and outputs, at most {MOST_NAMES:,} are taken"
        )
    for node in nodes:
        if any(each.HasField("g") or each.graphs for each in node.attribute):
            raise ValueError(
                f"{described(node)} holds a graph of its own: export it without branches"
            )
    for place, tensor in _stored(model):
        _check_stored(place, tensor)


def _checked(place: str, shape: tuple[int, ...]) -> int:
    """Its numbers, an axis of none counted as one: what lies along others is still a length."""
    if len(shape) > MOST_AXES:
        raise ValueError(f"{place} has {len(shape):,} axes, at most {MOST_AXES} are taken")
    size = math.prod(max(1, length) for length in shape)
    if size > MOST_ELEMENTS:
        raise ValueError(f"{place} has {size:,} numbers, at most {MOST_ELEMENTS:,} are taken")
    return size


def _stored(model: "ModelProto") -> Iterator[tuple[str, "TensorProto"]]:
    for tensor in model.graph.initializer:
        yield f"constant {tensor.name!r}", tensor
    for sparse in model.graph.sparse_initializer:
        yield from (
            (f"constant {sparse.values.name!r}", t) for t in (sparse.values, sparse.indices)
        )
    for node in model.graph.node:
        for each in node.attribute:
            sparses = [each.sparse_tensor] if each.HasField("sparse_tensor") else []
            for sparse in (*sparses, *each.sparse_tensors):
                yield from ((described(node), t) for t in (sparse.values, sparse.indices))
            for tensor in (*([each.t] if each.HasField("t") else []), *each.tensors):
                yield described(node), tensor


def _check_stored(place: str, tensor: "TensorProto") -> None:
    from onnx import numpy_helper

    if tensor.external_data or tensor.data_location:
        raise ValueError(f"{place} lies in another file: save its weights inside the ONNX file")
    if any(length < 0 for length in tensor.dims):
        raise ValueError(f"{place} has an axis of negative length")
    size = _checked(place, tuple(tensor.dims))
    if size > MOST_IN_BYTE * tensor.ByteSize():
        raise ValueError(f"{place} says it has {size:,} numbers, which are not in the file")
    try:
        numpy_helper.to_array(tensor)
    except Exception as exc:  # of numpy, onnx and protobuf, for a stranger's bytes
        reason = " ".join(str(exc).split())
        raise ValueError(f"{place} does not hold what its shape says ({reason})") from exc


__all__ = [
    "BIT_OPERATORS",
    "CIRCUIT",
    "DECISION",
    "INTEGER_OPERATORS",
    "MOST_ELEMENTS",
    "Limits",
    "check_face",
    "check_sizes",
]
