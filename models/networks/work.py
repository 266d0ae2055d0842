"""How many multiply-adds a node takes at most: a small file of small tensors can multiply them for
hours, and what runs step by step is laid out once for each step.

Nodes that touch each of their numbers a few times are left to sizes.py.
"""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onnx import NodeProto

Shape = tuple[int, ...]
Known = Mapping[str, Shape]


def multiply_adds(node: "NodeProto", shapes: Known) -> int:
    """At most, 0 where sizes tell. shapes: of all that it reads and makes."""
    given = [shapes.get(name, ()) for name in node.input]
    made = max((math.prod(shapes.get(name, ())) for name in node.output), default=0)
    count = WORK.get(node.op_type)
    return count(node, given, made) if count and given else 0


def steps(node: "NodeProto", shapes: Known) -> int:
    """How often a node repeats a computation that is laid out each time."""
    shape = shapes.get(node.input[0], ()) if node.input else ()
    if node.op_type in RECURRENT:
        return max(shape[:2], default=1)  # one axis is of steps; which, an attribute says
    return max(shape, default=1) if node.op_type == "CumSum" else 0


def _matrix_product(node: "NodeProto", given: list[Shape], made: int) -> int:
    return made * max(given[0][-1:], default=1)


def _general_product(node: "NodeProto", given: list[Shape], made: int) -> int:
    return made * max(given[0], default=1)


def _convolution(node: "NodeProto", given: list[Shape], made: int) -> int:
    """Its filters are (M, C / group, ...)."""
    return made * math.prod(given[1][1:]) if len(given) > 1 else 0


def _turned_convolution(node: "NodeProto", given: list[Shape], made: int) -> int:
    """Its filters are (C, M / group, ...)."""
    return math.prod(given[0]) * math.prod(given[1][1:]) if len(given) > 1 else 0


def _window(node: "NodeProto", given: list[Shape], made: int) -> int:
    return made * math.prod(_attribute(node, "kernel_shape") or (1,))


def _recurrence(node: "NodeProto", given: list[Shape], made: int) -> int:
    """Steps, rows, and for each all weights: (directions, gates x hidden, input or hidden)."""
    return math.prod(given[0][:2]) * sum(math.prod(shape) for shape in given[1:3])


def _einsum(node: "NodeProto", given: list[Shape], made: int) -> int:
    """The product of the lengths of all indices; those that dots stand for by their largest."""
    terms = bytes(_attribute(node, "equation") or b"").partition(b"->")[0].decode(errors="replace")
    lengths: dict[str, int] = {}
    dots = 1
    for term, shape in zip(terms.replace(" ", "").split(","), given, strict=False):
        first, dotted, last = term.partition("...")
        tail = len(shape) - len(last)
        for index, length in (
            *zip(first, shape, strict=False),
            *zip(last, shape[tail:], strict=False),
        ):
            lengths[index] = max(lengths.get(index, 1), length)
        if dotted:
            dots = max(dots, math.prod(shape[len(first) : tail]))
    return dots * math.prod(lengths.values())


def _attribute(node: "NodeProto", name: str) -> Any:
    for each in node.attribute:
        if each.name == name:
            return each.s or tuple(each.ints)
    return None


RECURRENT = frozenset({"GRU", "LSTM", "RNN"})
WORK: Mapping[str, Callable[["NodeProto", list[Shape], int], int]] = {
    "AveragePool": _window,
    "Conv": _convolution,
    "ConvTranspose": _turned_convolution,
    "Einsum": _einsum,
    "Gemm": _general_product,
    "MatMul": _matrix_product,
    "MaxPool": _window,
    **dict.fromkeys(RECURRENT, _recurrence),
}


__all__ = ["multiply_adds", "steps"]
