"""Small networks for the tests, made node by node."""

from pathlib import Path
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from zkagent.circuits.networks.network import Network, read_network

INPUTS, OUTPUTS = 4, 2
W1 = [[1, -2, 3], [4, 5, -6], [-7, 8, 9], [2, -3, 1]]
B1 = [[10, -20, 30]]
W2 = [[1, -1], [2, 3], [-5, 4]]


def node(operator: str, inputs: list[str], output: str, **attributes: Any) -> NodeProto:
    return helper.make_node(operator, inputs, [output], **attributes)


def network(
    nodes: list[NodeProto],
    constants: dict[str, Any],
    *,
    inputs: int = INPUTS,
    outputs: int = OUTPUTS,
    kind: int = TensorProto.INT64,
) -> bytes:
    """An ONNX file with input "x" [1, inputs] and output "y" [1, outputs]."""
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info("x", kind, [1, inputs])],
        [helper.make_tensor_value_info("y", kind, [1, outputs])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString(deterministic=True))


def read_back(folder: Path, content: bytes) -> Network:
    """The network as circuits read it, from a file in `folder`."""
    path = folder / "network.onnx"
    path.write_bytes(content)
    return read_network(path)


def saved_samples(folder: Path, rows: object) -> Path:
    """samples.npz in `folder`."""
    path = folder / "samples.npz"
    np.savez(path, np.array(rows))
    return path


def square_network() -> bytes:
    """y = (x W1 + B1)^2 W2 over int64."""
    nodes = [
        node("MatMul", ["x", "w1"], "m"),
        node("Add", ["m", "b1"], "h"),
        node("Mul", ["h", "h"], "hh"),
        node("MatMul", ["hh", "w2"], "y"),
    ]
    return network(nodes, {"w1": W1, "b1": B1, "w2": W2})


def squares(x: list[int]) -> tuple[int, ...]:
    """What `square_network` computes, in Python integers."""
    hidden = [sum(v * row[j] for v, row in zip(x, W1, strict=True)) + B1[0][j] for j in range(3)]
    return tuple(sum(h * h * row[k] for h, row in zip(hidden, W2, strict=True)) for k in range(2))


def gathering_network(indices: list[int]) -> bytes:
    """y = the inputs at two `indices`, weighted 1 and 10, in two outputs."""
    nodes = [node("Gather", ["x", "i"], "g", axis=1), node("MatMul", ["g", "w"], "y")]
    return network(nodes, {"i": indices, "w": [[1, 0], [0, 10]]})


def relu_network() -> bytes:
    """y = relu(x W) V in float32, as users bring it."""
    return activation_network("Relu")


def activation_network(operator: str) -> bytes:
    """y = f(x W) V in float32, f an ONNX operator without attributes."""
    nodes = [
        node("MatMul", ["x", "w"], "m"),
        node(operator, ["m"], "r"),
        node("MatMul", ["r", "v"], "y"),
    ]
    w = np.array(W1, dtype=np.float32) / 8
    v = np.array(W2, dtype=np.float32) / 4
    return network(nodes, {"w": w, "v": v}, kind=TensorProto.FLOAT)


def write_tunable(folder: Path) -> None:
    """relu.onnx with relu.npz, and square.onnx."""
    (folder / "relu.onnx").write_bytes(relu_network())
    (folder / "square.onnx").write_bytes(square_network())
    x = np.random.default_rng(1).normal(size=(40, 1, 4)).astype(np.float32)
    np.savez(folder / "relu.npz", x=x)
