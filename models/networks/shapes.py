"""The shape of every tensor of an ONNX graph, one node after the other: as onnx infers it from the
shapes before it and from the small integers by which exporters compute shapes.

Each shape is handed over before the next node is looked at, so that whoever measures stops ahead of
what grows. Nothing is computed but small constants out of small ones, and nothing that the file
says of its own tensors is believed.
"""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TypeProto

Shape = tuple[int, ...]
Values = dict[str, "np.ndarray[Any, Any]"]

#: By which exporters compute shapes.
FOLDED = frozenset(
    """
    Abs Add And Cast Ceil Concat ConstantOfShape Div Equal Expand Floor Gather Greater Identity Less
    Max Min Mod Mul Neg NonZero Not Or Range ReduceProd Reshape ScatterND Slice Squeeze Sub
    Transpose Unsqueeze Where
    """.split()
)
#: As large as numbers say that they are given; what larger ones come to may wrap around.
SAID = frozenset("ConstantOfShape Expand Pad Reshape Resize Tile Upsample".split())
MOST_SAID = 1 << 31
MOST_FOLDED = 256  # numbers in a constant that may be part of a shape
IR_VERSION = 8
#: Whose operators are known here; others' names may be long.
ONNX_DOMAINS = ("", "ai.onnx", "ai.onnx.ml")
INT64 = 7  # of onnx's TensorProto.DataType
MOST_SHOWN = 80  # letters of a node's name


def known_shapes(model: "ModelProto") -> Mapping[str, Shape]:
    """By tensor, of a model that `check_sizes` took."""
    shapes = ((name, shape) for name, _, shape in each_shape(model))
    return {name: shape for name, shape in shapes if shape is not None}


def each_shape(model: "ModelProto") -> Iterator[tuple[str, str, Shape | None]]:
    """Tensors by name, what makes them, and their shape; none where it does not follow from the
    file. Raises ValueError for shapes that do not fit together."""
    graph, seen = model.graph, _Seen(model)
    for given in graph.input:
        yield given.name, f"input {given.name!r}", seen.take(given.name, given.type)
    for tensor in graph.initializer:
        yield tensor.name, f"constant {tensor.name!r}", tuple(tensor.dims)
        seen.keep(tensor.name, tensor)
    for sparse in graph.sparse_initializer:
        name = sparse.values.name
        yield name, f"constant {name!r}", tuple(sparse.dims)
        seen.declare(name, sparse.values.data_type, sparse.dims)
    for node in graph.node:
        for name, shape in seen.after(node):
            yield name, described(node), shape
    for made in graph.output:
        said, found = _shape(made.type), seen.shapes.get(made.name)
        if None not in (said, found) and said != found:
            raise ValueError(f"its shapes do not fit together (output {made.name!r} is {found})")


def described(node: "NodeProto") -> str:
    name = node.name or next(iter(node.output), "")
    return f"{node.op_type[:MOST_SHOWN]} (node {name[:MOST_SHOWN]!r})"


class _Seen:
    """What is known ahead of a node. values: of the constants that are small."""

    def __init__(self, model: "ModelProto") -> None:
        self.opsets = [each for each in model.opset_import if each.domain in ONNX_DOMAINS]
        self.kinds: dict[str, TypeProto] = {}
        self.shapes: dict[str, Shape] = {}
        self.values: Values = {}

    def take(self, name: str, kind: "TypeProto") -> Shape | None:
        """Of a type only what measuring takes: not the message, which keeps all of its model alive,
        nor what else stands in it."""
        if (shape := _shape(kind)) is not None:
            self.declare(name, kind.tensor_type.elem_type, shape)
        return shape

    def declare(self, name: str, element: int, dims: Any) -> None:
        from onnx import helper

        self.shapes[name] = tuple(dims)
        self.kinds[name] = helper.make_tensor_type_proto(element, list(dims))

    def keep(self, name: str, tensor: Any) -> None:
        from onnx import numpy_helper

        self.declare(name, tensor.data_type, tensor.dims)
        if len(tensor.dims) <= 1 and math.prod(tensor.dims) <= MOST_FOLDED:
            self.know(name, numpy_helper.to_array(tensor))

    def know(self, name: str, value: "np.ndarray[Any, Any]") -> None:
        if value.size <= MOST_FOLDED and value.dtype.kind in "biuf":
            self.values[name] = value

    def after(self, node: "NodeProto") -> Iterator[tuple[str, Shape | None]]:
        """The results' shapes; then, when those have been looked at, small values."""
        kinds = self._inferred(node)
        if node.op_type in ("GroupNormalization", "NonZero"):
            self._find(node)
        for name in filter(None, node.output):
            found = self.take(name, kinds[name]) if name in kinds else None
            yield name, self.shapes.get(name) if found is None else found
        value = self._value(node)
        if value is not None:
            self.know(node.output[0], value)

    def _find(self, node: "NodeProto") -> None:
        """What onnx does not infer. A NonZero has a place for each number that is not 0."""
        if node.op_type == "GroupNormalization":
            if node.input[0] in self.shapes:
                element = self.kinds[node.input[0]].tensor_type.elem_type
                self.declare(node.output[0], element, self.shapes[node.input[0]])
            return
        found = _computed(
            node, {n: self.values[n] for n in node.input if n in self.values}, self.opsets
        )
        if found is not None:
            self.declare(node.output[0], INT64, found.shape)

    def _inferred(self, node: "NodeProto") -> dict[str, "TypeProto"]:
        from onnx import helper, numpy_helper, shape_inference

        given = dict.fromkeys(filter(None, node.input))
        self._check_said(node)
        small = [numpy_helper.from_array(self.values[n], n) for n in given if n in self.values]
        others = [n for n in given if n in self.kinds and n not in self.values]
        inputs = [helper.make_value_info(name, self.kinds[name]) for name in others]
        graph = helper.make_graph([node], "alone", inputs, [], small)
        alone = helper.make_model(graph, opset_imports=self.opsets, ir_version=IR_VERSION)
        try:
            found = shape_inference.infer_shapes(alone, check_type=True, strict_mode=True).graph
        except (shape_inference.InferenceError, ValueError, RuntimeError) as exc:
            reason = " ".join(str(exc).split())
            raise ValueError(f"its shapes do not fit together ({reason})") from exc
        kinds = {each.name: each.type for each in found.value_info}
        return {} if node.op_type == "Range" and not self._counts(node, kinds) else kinds

    def _check_said(self, node: "NodeProto") -> None:
        """The first input is what has a length, but where only numbers say it."""
        first = 0 if node.op_type == "ConstantOfShape" else 1
        for name in node.input[first:] if node.op_type in SAID else ():
            for value in self.values[name].reshape(-1).tolist() if name in self.values else ():
                if isinstance(value, int) and abs(value) > MOST_SAID:
                    raise ValueError(f"{described(node)} says {value}, which is no length")

    def _counts(self, node: "NodeProto", kinds: dict[str, "TypeProto"]) -> bool:
        """Whether a Range is as long as inferred: onnx's difference of its ends may wrap."""
        said = _shape(kinds[node.output[0]]) if node.output[0] in kinds else None
        if said is None or not all(name in self.values for name in node.input):
            return False
        start, limit, delta = (self.values[name].item() for name in node.input)
        try:
            steps = (limit - start) / delta
            return bool(abs(max(0, math.ceil(steps)) - said[0]) <= 1)
        except (ArithmeticError, ValueError):  # by 0, to infinity, of what is no number
            return False

    def _value(self, node: "NodeProto") -> "np.ndarray[Any, Any] | None":
        """Nothing for what is large, depends on the input, or is not computed here."""
        sizes = [math.prod(self.shapes[name]) for name in node.output if name in self.shapes]
        if node.domain or len(sizes) != 1 or sizes[0] > MOST_FOLDED:
            return None
        if node.op_type == "Constant":
            return _constant(node)
        if node.op_type in ("Shape", "Size"):
            return _counted(node, self.shapes[node.input[0]])
        given = {name: self.values[name] for name in node.input if name in self.values}
        if node.op_type not in FOLDED or not all(name in given for name in node.input if name):
            return None
        return _computed(node, given, self.opsets)


def _shape(kind: "TypeProto") -> Shape | None:
    """Raises ValueError for text, whose size no shape tells."""
    from onnx import TensorProto

    tensor = kind.tensor_type
    if tensor.elem_type == TensorProto.STRING:
        raise ValueError("it holds text, of which no circuit is made: export it with numbers alone")
    sizes = tuple(each.dim_value if each.HasField("dim_value") else -1 for each in tensor.shape.dim)
    return sizes if tensor.HasField("shape") and all(size >= 0 for size in sizes) else None


def _constant(node: "NodeProto") -> "np.ndarray[Any, Any] | None":
    from onnx import numpy_helper

    for attribute in node.attribute:
        if attribute.name == "value":
            return numpy_helper.to_array(attribute.t)
        if attribute.name in ("value_int", "value_ints"):
            named = attribute.i if attribute.name == "value_int" else attribute.ints
            return np.array(named, dtype=np.int64)
        if attribute.name in ("value_float", "value_floats"):
            named = attribute.f if attribute.name == "value_float" else attribute.floats
            return np.array(named, dtype=np.float32)
    return None


def _counted(node: "NodeProto", shape: Shape) -> "np.ndarray[Any, Any]":
    if node.op_type == "Size":
        return np.array(math.prod(shape), dtype=np.int64)
    named = {each.name: each.i for each in node.attribute}
    return np.array(shape[named.get("start", 0) : named.get("end")], dtype=np.int64)


def _computed(node: "NodeProto", given: Values, opsets: Any) -> "np.ndarray[Any, Any] | None":
    """Nothing where it fails: then what depends on it stays unknown."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), None)
        for name, value in given.items()
    ]
    outputs = [helper.make_empty_tensor_value_info(node.output[0])]
    graph = helper.make_graph([node], "folded", inputs, outputs)
    alone = helper.make_model(graph, opset_imports=opsets)
    try:
        (found,) = ReferenceEvaluator(alone).run(None, given)
    except Exception:  # whatever numpy makes of a stranger's node
        return None
    return np.asarray(found)


__all__ = ["Shape", "described", "each_shape", "known_shapes"]
