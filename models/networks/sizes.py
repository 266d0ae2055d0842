"""How large a stranger's network makes its tensors, found out before anything computes them: a file
of a kilobyte can double a tensor forty times.

The bounds are of what a circuit can hold: each number takes a cell at least, and the largest set-up
has 2^28 rows, of which no machine here proves more than 2^24. The largest networks of this project
stay below 2^20 numbers for a tensor.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from zkagent.models.networks.shapes import known_shapes

if TYPE_CHECKING:
    from onnx import ModelProto

MOST_ELEMENTS = 1 << 24  # of one tensor: 128 MiB of int64
MOST_TOGETHER = 1 << 26  # of all of them

# Exact over the integers, without a choice for the prover, and without loops.
INTEGER_OPERATORS = frozenset(
    {"Add", "Concat", "Constant", "Flatten", "Gather", "Gemm", "Identity", "MatMul", "Mul", "Neg"}
    | {"ReduceSum", "Relu", "Reshape", "Slice", "Split", "Squeeze", "Sub", "Sum"}
    | {"Transpose", "Unsqueeze"}
)


def check_sizes(model: "ModelProto") -> None:
    """Raises ValueError, in one line that names the node, for a tensor that is too large or whose
    size does not follow from the file alone."""
    _check_flat(model)
    together = 0
    for place, shape in _shapes(model):
        if shape is None:
            raise ValueError(
                f"how large {place} becomes does not follow from the file: export it with fixed "
                "shapes"
            )
        size = math.prod(shape)
        if size > MOST_ELEMENTS:
            raise ValueError(f"{place} has {size:,} numbers, at most {MOST_ELEMENTS:,} are taken")
        if (together := together + size) > MOST_TOGETHER:
            raise ValueError(
                f"its tensors up to {place} have {together:,} numbers, at most "
                f"{MOST_TOGETHER:,} are taken"
            )


def _check_flat(model: "ModelProto") -> None:
    """What lies in a graph within the graph is not measured."""
    if model.functions:
        raise ValueError("it defines operators of its own: export it with these written out")
    for node in model.graph.node:
        if any(each.HasField("g") or each.graphs for each in node.attribute):
            name = f"{node.op_type} (node {node.name or node.output[0]!r})"
            raise ValueError(f"{name} holds a graph of its own: export it without branches")


def _shapes(model: "ModelProto") -> Iterator[tuple[str, tuple[int, ...] | None]]:
    """What makes each tensor, and the tensor's shape where that is known."""
    known = known_shapes(model)
    for given in model.graph.input:
        yield f"input {given.name!r}", known.get(given.name)
    for tensor in model.graph.initializer:
        yield f"constant {tensor.name!r}", tuple(tensor.dims)
    for sparse in model.graph.sparse_initializer:
        yield f"constant {sparse.values.name!r}", tuple(sparse.dims)
    for node in model.graph.node:
        for name in filter(None, node.output):
            yield f"{node.op_type} (node {node.name or name!r})", known.get(name)


__all__ = ["INTEGER_OPERATORS", "MOST_ELEMENTS", "check_sizes"]
