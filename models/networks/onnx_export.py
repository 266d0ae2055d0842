"""Integer weights to ONNX: a graph of int64 tensors that onnxruntime and ezkl both evaluate
exactly.

Built node by node, without torch, so that each weight is its own initializer (ezkl range-checks
shared ones) and inputs are split by Gather (ezkl copies all of x for a Slice). Byte-identical for
identical weights.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from zkagent.models.encoding.encoder import MAX_CANDIDATES
from zkagent.models.networks.policy import PolicyWeights, Weights

OPSET, IR_VERSION = 17, 8


def export_policy(weights: PolicyWeights) -> bytes:
    """The serialized ONNX model: input "x" int64 [1, N], output "y" int64 [1, M]."""
    t, n = weights.trunk_inputs, weights.input_count
    local = weights.c1.shape[0]
    slots = weights.c2.shape[1]
    outputs = weights.w2.shape[1] + MAX_CANDIDATES * slots
    trunk = _square_network("trunk", "trunk_x", (weights.w1, weights.b1, weights.w2, weights.b2))
    slot = _square_network("slot", "rows", (weights.c1, weights.d1, weights.c2, weights.d2))
    constants = {
        "trunk_index": np.arange(t),
        "local_index": np.arange(t, n),
        "rows_shape": np.array([MAX_CANDIDATES, local]),
        "flat_shape": np.array([1, MAX_CANDIDATES * slots]),
    }
    nodes = [
        helper.make_node("Gather", ["x", "trunk_index"], ["trunk_x"], axis=1),
        *trunk[0],
        helper.make_node("Gather", ["x", "local_index"], ["local_x"], axis=1),
        helper.make_node("Reshape", ["local_x", "rows_shape"], ["rows"]),
        *slot[0],
        helper.make_node("Reshape", ["slot_y", "flat_shape"], ["flat_y"]),
        helper.make_node("Concat", ["trunk_y", "flat_y"], ["y"], axis=1),
    ]
    initializers = {**constants, **trunk[1], **slot[1]}
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info("x", TensorProto.INT64, [1, n])],
        [helper.make_tensor_value_info("y", TensorProto.INT64, [1, outputs])],
        [
            numpy_helper.from_array(np.asarray(v, dtype=np.int64), k)
            for k, v in initializers.items()
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    model.producer_name, model.producer_version = "zkagent", ""
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString(deterministic=True))


def _square_network(
    name: str, source: str, layers: tuple[Weights, Weights, Weights, Weights]
) -> tuple[list[onnx.NodeProto], dict[str, Weights]]:
    """Nodes and initializers of ``(source W + b)**2 V + c``, ending in tensor `name`_y."""
    w, b, v, c = layers
    weights = {f"{name}_w": w, f"{name}_b": b[None, :], f"{name}_v": v, f"{name}_c": c[None, :]}
    nodes = [
        helper.make_node("MatMul", [source, f"{name}_w"], [f"{name}_wx"]),
        helper.make_node("Add", [f"{name}_wx", f"{name}_b"], [f"{name}_h"]),
        helper.make_node("Mul", [f"{name}_h", f"{name}_h"], [f"{name}_hh"]),
        helper.make_node("MatMul", [f"{name}_hh", f"{name}_v"], [f"{name}_vh"]),
        helper.make_node("Add", [f"{name}_vh", f"{name}_c"], [f"{name}_y"]),
    ]
    return nodes, weights
