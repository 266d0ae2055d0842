"""One network has one reading: operators at the edges of what ONNX says, as onnxruntime has it."""

from typing import Any

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from tests.support.integer_networks import infer
from tests.support.small_networks import network, node
from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.evaluation import evaluate
from zkagent.circuits.program.reader import read_program

NONE: Any = np.zeros(0, dtype=np.int64)
X = [[1, 2, 3, 4], [-5, 0, 5, -5], [32767, -32768, 32767, -32768], [7, 7, 7, 7]]


def of(nodes: list[NodeProto], outputs: int, **constants: Any) -> bytes:
    """Nodes from x [1, 4] to y [1, outputs]."""
    return network(nodes, constants, outputs=outputs)


def sliced(start: int, end: int, step: int, axis: int = 1) -> bytes:
    cut = range(4)[slice(start, end, step)]
    constants = {"a": [start], "b": [end], "c": [axis], "d": [step]}
    nodes = [node("Slice", ["x", "a", "b", "c", "d"], "s"), node("Neg", ["s"], "y")]
    return of(nodes, len(cut), **constants)


def summed(axes: Any, **attributes: Any) -> bytes:
    """y = x plus what the sum is."""
    nodes = [node("ReduceSum", ["x", "a"], "s", **attributes), node("Add", ["x", "s"], "y")]
    return of(nodes, 4, a=axes)


SAME = {
    "the last place first": of([node("Gather", ["x", "p"], "y", axis=-1)], 3, p=[-1, -4, 0]),
    "all of no axes": summed(NONE, keepdims=1),
    "all without axes": of([node("ReduceSum", ["x"], "s"), node("Add", ["x", "s"], "y")], 4),
    "a negative axis": summed([-1]),
    "both axes, from behind": summed([-1, -2]),
    "none that is left": summed([1], keepdims=0),
    "sums backwards": of([node("CumSum", ["x", "a"], "y", reverse=1)], 4, a=-1),
    "sums before": of([node("CumSum", ["x", "a"], "y", exclusive=1)], 4, a=[1]),
    "sums after": of([node("CumSum", ["x", "a"], "y", exclusive=1, reverse=1)], 4, a=1),
    "a kept size": of([node("Reshape", ["x", "s"], "r"), node("Neg", ["r"], "y")], 4, s=[0, -1]),
    "flat from 0": of([node("Flatten", ["x"], "f", axis=0), node("Neg", ["f"], "y")], 4),
    "flat from -1": of([node("Flatten", ["x"], "f", axis=-1), node("Neg", ["f"], "y")], 4),
    "the first of equals": of(
        [node("ArgMax", ["x"], "a", axis=-1), node("Add", ["x", "a"], "y")], 4
    ),
    "turned": of(
        [
            node("Reshape", ["x", "s"], "r"),
            node("Transpose", ["r"], "t"),
            node("Reshape", ["t", "f"], "y"),
        ], 4, s=[2, 2], f=[1, 4],
    ),
    "a bias for each row": of(
        [
            node("Reshape", ["x", "s"], "r"),
            node("MatMul", ["r", "w"], "m"),
            node("Add", ["m", "b"], "n"),
            node("Reshape", ["n", "f"], "y"),
        ], 4, s=[2, 2], w=[[1, 2], [3, 4]], b=[[1], [2]], f=[1, 4],
    ),
}  # fmt: skip
SAME |= {
    f"cut by {cut}": sliced(*cut)
    for cut in [(-1, -100, -1), (-9, 9, 1), (100, -100, -1), (1, -1, 2), (-2, 2**63 - 1, 1)]
}


@pytest.mark.parametrize("name", SAME)
def test_what_is_read_is_what_onnxruntime_computes(name: str) -> None:
    assert evaluate(read_program(SAME[name]), X).tolist() == [infer(SAME[name], x) for x in X]


REFUSED = {
    "squeezed by no axes": (
        of([node("Reshape", ["x", "t"], "r"), node("Squeeze", ["r", "a"], "s"),
            node("Reshape", ["s", "f"], "y")], 4, t=[4, 1], a=NONE, f=[1, 4]),
        "it has no axes",
    ),
    "an axis that is not there": (summed([2]), "axis must be in"),
    "an axis twice": (summed([1, -1]), "twice"),
    "cut twice": (
        of([node("Slice", ["x", "a", "b", "c"], "y")], 4, a=[0, 0], b=[4, 4], c=[1, -1]),
        "more than once",
    ),
    "nothing summed": (summed(NONE, noop_with_empty_axes=1), "sums nothing"),
    "keepdims of 2": (summed([1], keepdims=2), "keepdims is 2, expected 0 or 1"),
    "exclusive of 2": (
        of([node("CumSum", ["x", "a"], "y", exclusive=2)], 4, a=1),
        "exclusive is 2, expected 0 or 1",
    ),
    "a larger bias": (
        of(
            [node("Gemm", ["x", "w", "b"], "g"), node("Neg", ["g"], "y")],
            2, w=np.ones((4, 2), dtype=np.int64), b=[[1, 2], [3, 4]],
        ),
        "bias|not a valid",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_one_meaning_is_refused(name: str) -> None:
    onnx, reason = REFUSED[name]
    with pytest.raises(ProgramRefused, match=reason):
        read_program(onnx)


NARROW = [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("as_node", [False, True])
def test_tables_of_other_integers_are_refused(kind: Any, as_node: bool) -> None:
    """onnxruntime wraps what is computed of their rows."""
    values = np.array([[0], [np.iinfo(kind).max]], dtype=kind)
    tensor = numpy_helper.from_array(values, "t")
    nodes = [node("Gather", ["t", "x"], "g"), node("Reshape", ["g", "s"], "r")]
    nodes.append(node("Add", ["r", "r"], "y"))
    if as_node:
        nodes.insert(0, helper.make_node("Constant", [], ["t"], value=tensor))
    shape = numpy_helper.from_array(np.array([1, 1]), "s")
    graph = helper.make_graph(
        nodes,
        "narrow",
        [helper.make_tensor_value_info("x", TensorProto.INT64, [1, 1])],
        [helper.make_tensor_value_info("y", tensor.data_type, [1, 1])],
        [shape] if as_node else [tensor, shape],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with pytest.raises(ProgramRefused, match=f"is {np.dtype(kind)}, expected int64"):
        read_program(model.SerializeToString())
