"""Gives a network's tensors a batch axis, node by node, or says which node has no such form.

A tensor whose leading axis is 1 gets B there; any other one gets a new leading axis. So every
operator works on each row alone, weights broadcast over rows, and reshapes keep rows apart. What
this file does not know is refused, not guessed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.errors import NetworkRefused
from zkagent.models.networks.parsing import parse_model
from zkagent.models.networks.shapes import Shape, known_shapes
from zkagent.models.networks.sizes import check_sizes

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, ValueInfoProto

ELEMENTWISE = frozenset({"Add", "Identity", "Mul", "Neg", "Relu", "Sub", "Sum"})


def put_batch_first(path: Path, content: bytes, size: int) -> bytes:
    """The ONNX file for `size` rows. Raises NetworkRefused, which names `path` and the node."""
    import onnx

    try:
        model = parse_model(content)
        check_sizes(model)
        _Rewriting(path, model, size).run()
        del model.graph.value_info[:]  # of the single network
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError) as exc:
        reason = str(exc).strip().partition("\n")[0]
        raise NetworkRefused(path, f"it has no form for {size} rows ({reason})") from exc
    return bytes(model.SerializeToString(deterministic=True))


class _Rewriting:
    """One graph in the making. shapes: of the single network's tensors that depend on x."""

    def __init__(self, path: Path, model: "ModelProto", size: int) -> None:
        from onnx import numpy_helper

        self.path, self.graph, self.size = path, model.graph, size
        self.constants = {t.name: numpy_helper.to_array(t) for t in self.graph.initializer}
        self.inferred = dict(known_shapes(model))
        self.shapes: dict[str, Shape] = {}

    def run(self) -> None:
        (given,) = (v for v in self.graph.input if v.name not in self.constants)
        self.shapes[given.name] = self.inferred[given.name]
        for node in self.graph.node:
            self._rewrite(node)
        for value in (given, *self.graph.output):
            self._resize(value)
        used = {name for node in self.graph.node for name in node.input}
        kept = [tensor for tensor in self.graph.initializer if tensor.name in used]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)

    def _rewrite(self, node: "NodeProto") -> None:
        if node.op_type == "Constant":
            self._keep_constant(node)
            return
        rule = RULES.get(node.op_type)
        if rule is None:
            raise self._refused(node, "is not among those whose rows are known to stay apart")
        (output,) = node.output
        if output not in self.inferred or not all(self.inferred[output]):
            raise self._refused(node, "has an output of unknown shape")
        self.shapes[output] = self.inferred[output]
        rule(self, node)

    def _keep_constant(self, node: "NodeProto") -> None:
        from onnx import helper, numpy_helper

        (attribute,) = node.attribute
        value = helper.get_attribute_value(attribute)
        is_tensor = attribute.name == "value"
        self.constants[node.output[0]] = (
            numpy_helper.to_array(value) if is_tensor else np.asarray(value)
        )

    # Rules

    def elementwise(self, node: "NodeProto") -> None:
        """Constants need no look: one that differed between rows would give the single network's
        output another leading axis."""
        output = self.shapes[node.output[0]]
        for name in node.input:
            if name in self.shapes:
                same_rank = len(self.shapes[name]) == len(output)
                self._require(node, same_rank and self._leads_alike(node, name), "mixes shapes")

    def product(self, node: "NodeProto") -> None:
        """x W, each row alone."""
        left, right = node.input[:2]
        self._require(node, left in self.shapes and self._leads_alike(node, left), "has x behind")
        self._require(node, right in self.constants, "multiplies two values that depend on x")
        leads = self.shapes[left][0] == 1
        own = self.constants[right].ndim < len(self.shapes[left]) + (not leads)
        flat = leads and self.constants[right].ndim == 2
        self._require(node, own or flat, "has weights for each row")

    def gemm(self, node: "NodeProto") -> None:
        self._require(node, not _attribute(node, "transA", 0), "transposes x")
        self.product(node)
        for name in node.input[2:]:
            self._require(node, name in self.constants, "adds a value that depends on x")

    def gather(self, node: "NodeProto") -> None:
        data, indices = node.input
        self._require(node, data in self.shapes and indices in self.constants, "looks up by x")
        self._require(node, self._leads_alike(node, data), "picks rows")
        self._move_axis(node, data, _attribute(node, "axis", 0))

    def concat(self, node: "NodeProto") -> None:
        for name in node.input:
            self._require(node, name in self.shapes, "joins x with constants")
            self._require(node, self._leads_alike(node, name), "joins rows")
        self._move_axis(node, node.input[0], _attribute(node, "axis", 0))

    def reshape(self, node: "NodeProto") -> None:
        """Also Flatten, Squeeze and Unsqueeze: numbers keep their order within each row."""
        from onnx import numpy_helper

        self._require(node, node.input[0] in self.shapes, "reshapes a constant")
        shape = np.array(self._batched(self.shapes[node.output[0]]), dtype=np.int64)
        name = f"{node.output[0]}_batch_shape"
        self.graph.initializer.append(numpy_helper.from_array(shape, name))
        node.op_type = "Reshape"
        node.input[:] = [node.input[0], name]
        del node.attribute[:]

    # What rules share

    def _batched(self, shape: Shape) -> Shape:
        return (self.size, *(shape[1:] if shape[0] == 1 else shape))

    def _leads_alike(self, node: "NodeProto", name: str) -> bool:
        """Whether input and output have their batch axis in the same place."""
        return (self.shapes[name][0] == 1) == (self.shapes[node.output[0]][0] == 1)

    def _move_axis(self, node: "NodeProto", name: str, axis: int) -> None:
        shape = self.shapes[name]
        axis = axis + len(shape) if axis < 0 else axis
        self._require(node, axis > 0 or shape[0] != 1, "works across rows")
        for attribute in node.attribute:
            if attribute.name == "axis":
                attribute.i = axis + (shape[0] != 1)
                return
        self._require(node, False, "has no axis")

    def _resize(self, value: "ValueInfoProto") -> None:
        shape = value.type.tensor_type.shape
        sizes = self._batched(self.inferred[value.name])
        del shape.dim[:]
        for size in sizes:
            shape.dim.add().dim_value = size

    def _require(self, node: "NodeProto", holds: bool, what: str) -> None:
        if not holds:
            raise self._refused(node, what)

    def _refused(self, node: "NodeProto", what: str) -> NetworkRefused:
        name = node.name or (node.output[0] if node.output else "")
        return NetworkRefused(
            self.path, f"it has no batch form: {node.op_type} (node {name!r}) {what}"
        )


RULES: dict[str, Callable[[_Rewriting, Any], None]] = {
    **dict.fromkeys(ELEMENTWISE, _Rewriting.elementwise),
    **dict.fromkeys(("Flatten", "Reshape", "Squeeze", "Unsqueeze"), _Rewriting.reshape),
    "Concat": _Rewriting.concat,
    "Gather": _Rewriting.gather,
    "Gemm": _Rewriting.gemm,
    "MatMul": _Rewriting.product,
}


def _attribute(node: "NodeProto", name: str, default: int) -> int:
    return next((int(a.i) for a in node.attribute if a.name == name), default)


__all__ = ["put_batch_first"]
