"""Proves a small network of your own and reads its outputs as the numbers that it computes.

    python own_network.py

makes a float network with numpy and onnx, fits a circuit to samples, proves one input, and compares
the proven outputs with numpy's. Public values are integers: v stands for v / 2^bits, and an output
may have other bits than the input, so `read_outputs` reads them.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

import zkagent

RNG = np.random.default_rng(1)
W = RNG.normal(size=(4, 8)).astype(np.float32)
V = RNG.normal(size=(8, 3)).astype(np.float32)


def write_network(path: str) -> None:
    """y = relu(x W) V."""
    nodes = [
        helper.make_node("MatMul", ["x", "W"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("MatMul", ["r", "V"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])
    weights = [numpy_helper.from_array(W, "W"), numpy_helper.from_array(V, "V")]
    graph = helper.make_graph(nodes, "own", [x], [y], weights)
    opset = helper.make_opsetid("", 17)
    save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)


def main() -> None:
    write_network("own.onnx")
    samples = RNG.normal(size=(64, 4)).astype(np.float32)
    circuit = zkagent.build_circuit("own.onnx", data=samples, tolerance=0.02)
    proof = zkagent.prove(circuit, samples[0])
    expected = (np.maximum(samples[0] @ W, 0) @ V).tolist()
    print("public", list(proof.outputs))
    print("proven", [round(y, 3) for y in zkagent.read_outputs(proof, circuit)])
    print("numpy ", [round(y, 3) for y in expected])
    print("valid ", bool(zkagent.verify(proof, circuit)))


if __name__ == "__main__":
    main()
