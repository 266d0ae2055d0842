"""Builds ONNX graphs over float32, node by node, as an export of a trained model would be.

Each constant is an initializer of its own (ezkl range-checks shared ones). Byte-identical for
identical graphs. Opset and form as in `zkagent.models.networks.onnx_export`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from zkagent.models.networks.inference import open_session
from zkagent.models.networks.onnx_export import IR_VERSION, OPSET

Floats = npt.NDArray[np.float32]
# Fitted weights are multiples of this, so that another machine's last bits do not matter.
WEIGHT_UNIT = 2.0**-12
RIDGE = 1e-2


class FloatGraph:
    """A graph with one float32 input "x" of the given shape. Methods return tensors' names."""

    def __init__(self, name: str, shape: Sequence[int]) -> None:
        self.name, self.shape = name, tuple(shape)
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def node(self, operator: str, *sources: str, **attributes: Any) -> str:
        name = f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(
            helper.make_node(operator, list(sources), [name], name=name, **attributes)
        )
        return name

    def constant(self, values: npt.ArrayLike) -> str:
        """Floats become float32, integers int64."""
        array = np.asarray(values)
        kind = np.int64 if np.issubdtype(array.dtype, np.integer) else np.float32
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array, kind), name))
        return name

    def linear(self, source: str, weights: npt.ArrayLike, bias: npt.ArrayLike) -> str:
        """`source` [..., k] times `weights` [k, n] plus `bias` [n]."""
        product = self.node("MatMul", source, self.constant(weights))
        return self.node("Add", product, self.constant(bias))

    def fitted(self, features: str, x: Floats, labels: npt.NDArray[np.int64]) -> str:
        """Scores of each class from `features` [1, k]: ridge regression on inputs x [n, ...]."""
        known = self.evaluate(features, x)
        known = np.hstack([known, np.ones((len(x), 1))])
        targets = np.eye(labels.max() + 1)[labels]
        gram = known.T @ known + RIDGE * len(x) * np.eye(known.shape[1])
        weights = np.linalg.solve(gram, known.T @ targets)
        weights = np.rint(weights / WEIGHT_UNIT) * WEIGHT_UNIT
        return self.linear(features, weights[:-1], weights[-1])

    def evaluate(self, output: str, x: Floats) -> npt.NDArray[np.float64]:
        """The tensor `output`, flattened, for each of the inputs x [n, ...]: [n, k]."""
        content = self._model(helper.make_tensor_value_info(output, TensorProto.FLOAT, None))
        session = open_session(content)
        rows = (session.run(None, {"x": each.reshape(self.shape)})[0].reshape(-1) for each in x)
        return np.stack(list(rows)).astype(np.float64)

    def finish(self, output: str, outputs: int) -> bytes:
        """The serialized model whose "y" [1, outputs] is the tensor `output`, the last one made."""
        assert self._nodes[-1].output[0] == output
        self._nodes[-1].output[0] = "y"
        content = self._model(helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, outputs]))
        onnx.checker.check_model(onnx.load_model_from_string(content), full_check=True)
        return content

    def _model(self, output: onnx.ValueInfoProto) -> bytes:
        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)
        graph = helper.make_graph(self._nodes, self.name, [given], [output], self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        model.producer_name, model.producer_version = "zkagent", ""
        return bytes(model.SerializeToString(deterministic=True))
