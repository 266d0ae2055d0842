"""Small integer networks with random weights, for the tests of what reads and computes them."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from tests.support.models import random_weights
from tests.support.small_networks import network, node
from zkagent.models.networks.integer_graph import BITS_OPSET, IntegerGraph
from zkagent.models.networks.onnx_export import export_policy


def mlp(inputs: int = 9, hidden: int = 7, outputs: int = 3) -> bytes:
    """Squares between two dense layers; small enough for int64 at any int16 input."""
    rng = np.random.default_rng(1)
    graph = IntegerGraph("mlp", inputs)
    h = graph.add(graph.matmul("x", rng.integers(-9, 10, (inputs, hidden))), np.arange(hidden))
    y = graph.matmul(graph.square(h), rng.integers(-9, 10, (hidden, outputs)))
    return graph.finish(graph.add(y, rng.integers(-(10**6), 10**6, outputs)), outputs)


def classifier() -> bytes:
    """Blocks, permutations and a square, wired as models/classifier does, with a slot unused."""
    rng = np.random.default_rng(2)
    graph = IntegerGraph("classifier", 12)
    h = graph.blocks(graph.pick("x", rng.permutation(12)), rng.integers(-7, 8, (3, 4, 2)))
    z = graph.concat(["x", graph.square(graph.add(h, rng.integers(-99, 99, 6)))])
    picked = graph.pick(z, rng.integers(0, 18, (4, 5)))
    y = graph.add(graph.blocks(picked, rng.integers(-31, 32, (4, 5, 3))), np.arange(12) * 10**6)
    return graph.finish(graph.pick(y, rng.permutation(12)[:11]), 11)


def policy() -> bytes:
    """The wallet policy's graph: six rows share weights, and two parts are joined."""
    return export_policy(random_weights(np.random.default_rng(3), hidden=5, slots=4))


def elementwise() -> bytes:
    """Arithmetic on tensors that belongs to no layer."""
    graph = IntegerGraph("elementwise", 6)
    left, right = graph.pick("x", [0, 1, 2]), graph.pick("x", [5, 4, 3])
    total = graph.node("Add", [left, right])
    product = graph.node("Mul", [total, graph.constant([[3, -5, 7]])])
    difference = graph.node("Sub", [product, left])
    larger = graph.node("Max", [left, graph.node("Neg", [right])])
    opposite = graph.node("Sub", [graph.constant([[1, 2, 3]]), difference])
    return graph.finish(graph.node("Mul", [opposite, larger]), 3)


def relu(inputs: int = 8, hidden: int = 6, outputs: int = 3) -> bytes:
    """ReLUs between two dense layers; what they take stays below 2^21, where ezkl's decomposition
    ends by default."""
    rng = np.random.default_rng(5)
    graph = IntegerGraph("relu", inputs)
    h = graph.add(graph.matmul("x", rng.integers(-7, 8, (inputs, hidden))), np.arange(hidden))
    y = graph.matmul(graph.node("Relu", [h]), rng.integers(-9, 10, (hidden, outputs)))
    return graph.finish(graph.add(y, rng.integers(-99, 100, outputs)), outputs)


def gemm(inputs: int = 8, hidden: int = 6, outputs: int = 3) -> bytes:
    """Gemm layers, one of them transposed, and a slice that goes backwards."""
    rng = np.random.default_rng(6)
    nodes = [
        node("Gemm", ["x", "w1", "b1"], "h", transB=1),
        node("Relu", ["h"], "r"),
        node("Slice", ["r", "start", "end", "axis", "step"], "s"),
        node("Gemm", ["s", "w2", "b2"], "y"),
    ]
    constants = {
        "w1": rng.integers(-9, 10, (hidden, inputs)),
        "b1": rng.integers(-99, 100, (1, hidden)),
        "w2": rng.integers(-9, 10, (hidden, outputs)),
        "b2": rng.integers(-99, 100, (1, outputs)),
        **{"start": [-1], "end": [-hidden - 1], "axis": [1], "step": [-1]},
    }
    return network(nodes, constants, inputs=inputs, outputs=outputs)


def shared() -> bytes:
    """Products that other nodes read, too, or in part, so that nothing may change them in place."""
    rng = np.random.default_rng(7)
    graph = IntegerGraph("shared", 6)
    h = graph.matmul("x", rng.integers(-9, 10, (6, 4)))
    both = graph.concat([graph.square(h), graph.add(h, [1, -2, 3, -4])])
    part = graph.square(graph.pick(both, [4, 5, 4]))
    rows = graph.matmul(graph.reshape("x", [2, 3]), rng.integers(-9, 10, (3, 2)))
    own = graph.node("Add", [rows, graph.constant([[10, 20], [30, 40]])])
    positive = graph.node("Relu", [graph.pick(h, [3, 3, 0])])
    some = graph.add(graph.pick(graph.matmul("x", rng.integers(-9, 10, (6, 4))), [3, 1]), [5, 6])
    parts = [both, part, graph.reshape(own, [1, 4]), positive, some]
    return graph.finish(graph.concat(parts), 20)


NETWORKS: dict[str, Callable[[], bytes]] = {
    "mlp": mlp,
    "classifier": classifier,
    "policy": policy,
    "elementwise": elementwise,
    "relu": relu,
    "gemm": gemm,
    "shared": shared,
}


def infer(content: bytes, x: list[int]) -> list[int]:
    """By onnxruntime, in int64; it has no ReLU of that type before opset 18, so networks with one
    in float64."""
    session, kind = _session(content)
    (y,) = session.run(None, {"x": np.array([x], dtype=kind)})
    assert max(map(abs, y.ravel().tolist())) < 1 << 53 or kind == np.int64
    return [int(v) for v in y.ravel()]


@functools.lru_cache(maxsize=8)
def _session(content: bytes) -> tuple[onnxruntime.InferenceSession, type[np.number[Any]]]:
    """Kept: loading a network takes longer than computing it, and tests ask it a thousand times."""
    model = onnx.load_model_from_string(content)
    old = model.opset_import[0].version < BITS_OPSET
    floats = old and any(node.op_type == "Relu" for node in model.graph.node)
    if floats:
        _use_doubles(model.graph)
    serialized = model.SerializeToString()
    session = onnxruntime.InferenceSession(serialized, providers=["CPUExecutionProvider"])
    return session, np.float64 if floats else np.int64


def _use_doubles(graph: onnx.GraphProto) -> None:
    for value in (*graph.input, *graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
    for tensor in graph.initializer:
        if len(tensor.dims) > 1:  # weights and biases, not indices
            values = numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))


def samples(inputs: int, count: int = 4, bits: int = 16) -> list[list[int]]:
    """Random inputs of so many bits, zeros, both ends of the range and random choices of them."""
    rng = np.random.default_rng(4)
    ends = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    fixed = [[0] * inputs, [ends[0]] * inputs, [ends[1]] * inputs]
    extreme = rng.choice(ends, (count, inputs)).tolist()
    return [*fixed, *extreme, *rng.integers(*ends, (count, inputs)).tolist()]
