"""The shape of every tensor of an ONNX graph, as far as it follows from the file: what onnx infers,
after the small integers by which exporters compute shapes are put in as constants.

Nothing large is evaluated, and nothing that the file says of its own tensors is believed.
"""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, ValueInfoProto

Shape = tuple[int, ...]
Values = dict[str, "np.ndarray[Any, Any]"]

#: By which exporters compute shapes. None makes more numbers than it is given, but by broadcasting.
FOLDED = frozenset(
    """
    Abs Add Cast Ceil Concat Div Equal Floor Gather Greater Identity Less Max Min Mod Mul Neg Not
    ReduceProd Reshape Slice Squeeze Sub Unsqueeze Where
    """.split()
)
FILLED = frozenset({"ConstantOfShape", "Expand", "Range"})  # as large as a number in them says
MOST_FOLDED = 64  # numbers in a constant that may be part of a shape
MOST_ROUNDS = 64  # each finds at least one shape


def known_shapes(model: "ModelProto") -> Mapping[str, Shape]:
    """By tensor; those that do not follow from the file are missing. Raises ValueError for shapes
    that do not fit together."""
    from onnx import ModelProto

    copied = ModelProto()
    copied.CopyFrom(model)
    del copied.graph.value_info[:]  # the file's own word
    for _ in range(MOST_ROUNDS):
        known = _inferred(copied)
        made = {name for node in copied.graph.node for name in node.output if name}
        if made <= known.keys() or not _fold(copied, known):
            break
    return known


def _inferred(model: "ModelProto") -> dict[str, Shape]:
    from onnx import shape_inference

    try:
        graph = shape_inference.infer_shapes(
            model, check_type=True, strict_mode=True, data_prop=True
        ).graph
    except (shape_inference.InferenceError, ValueError, RuntimeError) as exc:
        raise ValueError(f"its shapes do not fit together ({' '.join(str(exc).split())})") from exc
    found = {each.name: _shape(each) for each in (*graph.input, *graph.value_info, *graph.output)}
    return {name: shape for name, shape in found.items() if shape is not None}


def _shape(value: "ValueInfoProto") -> Shape | None:
    tensor = value.type.tensor_type
    sizes = tuple(each.dim_value if each.HasField("dim_value") else -1 for each in tensor.shape.dim)
    return sizes if tensor.HasField("shape") and all(size >= 0 for size in sizes) else None


def _fold(model: "ModelProto", shapes: Mapping[str, Shape]) -> bool:
    """Put in constants for nodes that compute a few integers; whether there were any."""
    from onnx import helper, numpy_helper

    values, found = dict(_constants(model)), False
    for node in model.graph.node:
        value = _value(node, values, shapes, model)
        if value is None or value.size > MOST_FOLDED:
            continue
        (name,) = node.output
        values[name], found = value, True
        tensor = numpy_helper.from_array(value, name)
        node.CopyFrom(helper.make_node("Constant", [], [name], name=node.name, value=tensor))
    return found


def _constants(model: "ModelProto") -> Iterator[tuple[str, "np.ndarray[Any, Any]"]]:
    from onnx import numpy_helper

    tensors = [(each.name, each) for each in model.graph.initializer]
    for node in model.graph.node:
        for attribute in node.attribute if node.op_type == "Constant" else ():
            if attribute.name == "value":
                tensors.append((node.output[0], attribute.t))
            elif attribute.name == "value_int":
                yield node.output[0], np.array(attribute.i)
            elif attribute.name == "value_ints" and len(attribute.ints) <= MOST_FOLDED:
                yield node.output[0], np.array(attribute.ints)
    for name, tensor in tensors:
        if len(tensor.dims) <= 1 and all(0 <= size <= MOST_FOLDED for size in tensor.dims):
            yield name, numpy_helper.to_array(tensor)


def _value(
    node: "NodeProto", values: Values, shapes: Mapping[str, Shape], model: "ModelProto"
) -> "np.ndarray[Any, Any] | None":
    if node.op_type == "Shape" and not node.attribute and node.input[0] in shapes:
        return np.array(shapes[node.input[0]], dtype=np.int64)
    given = [name for name in node.input if name]
    small = math.prod(shapes.get(node.output[0], (MOST_FOLDED + 1,))) <= MOST_FOLDED
    if not (node.op_type in FOLDED or (small and node.op_type in FILLED)):
        return None
    if node.domain or len(node.output) != 1 or not all(name in values for name in given):
        return None
    return _computed(node, [(name, values[name]) for name in given], model)


def _computed(
    node: "NodeProto", given: list[tuple[str, "np.ndarray[Any, Any]"]], model: "ModelProto"
) -> "np.ndarray[Any, Any] | None":
    """Nothing where it fails: then the shape stays unknown."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), None)
        for name, value in dict(given).items()
    ]
    outputs = [helper.make_empty_tensor_value_info(node.output[0])]
    graph = helper.make_graph([node], "folded", inputs, outputs)
    alone = helper.make_model(graph, opset_imports=model.opset_import)
    try:
        (found,) = ReferenceEvaluator(alone).run(None, dict(given))
    except Exception:  # whatever numpy makes of a stranger's node
        return None
    return np.asarray(found)


__all__ = ["known_shapes"]
