"""Brings a graph's numbers to the two types that a circuit tells apart, beside truth values:
float32 for fractions, int64 for integers.

ezkl holds each number as an integer of the field whatever its type is, and onnxruntime has most
operators for these types only. Half and double precision lose nothing that a circuit would keep.
Integers of fewer bits may wrap around where these do not: who compares the two on samples sees it.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onnx import AttributeProto, ModelProto, NodeProto, TensorProto

BOOL, FLOAT, INT64, STRING = 9, 1, 7, 8  # of onnx's TensorProto.DataType
FRACTIONS = frozenset({10, 11, 16})  # float16, float64, bfloat16
INTEGERS = frozenset({2, 3, 4, 5, 6, 12, 13})  # of 8, 16 and 32 bits, and of 64 unsigned
COMPARISONS = frozenset(
    "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Xor".split()
)
PLACES = frozenset("ArgMax ArgMin NonZero Shape Size".split())
TYPED_BY = {"Where": 1, "OneHot": 2, "QuantizeLinear": 2, "DequantizeLinear": 1}
MOST_SHIFT = 16  # bits
EQUAL_TAKES_FRACTIONS = 11  # since this opset
#: Inputs that must stay int32, by operator.
KEPT_INPUTS = {"GRU": 4, "LSTM": 4, "RNN": 4}


def to_circuit_types(model: "ModelProto") -> tuple[str, ...]:
    """Change the model in place and return lines that say what was changed.

    Raises ValueError for integers beyond 64 bits.
    """
    graph = model.graph
    kept = {
        node.input[KEPT_INPUTS[node.op_type]]
        for node in graph.node
        if node.op_type in KEPT_INPUTS and len(node.input) > KEPT_INPUTS[node.op_type]
    }
    found: dict[str, str] = {}
    for value in (*graph.input, *graph.output):
        kind = value.type.tensor_type
        if (to := _target(kind.elem_type)) != kind.elem_type:
            found[_name(kind.elem_type)] = _name(to)
            kind.elem_type = to
    for tensor in graph.initializer:
        if tensor.name not in kept:
            _convert(tensor, found)
    for node in graph.node:
        for attribute in node.attribute:
            _convert_attribute(node, attribute, found)
    return tuple(f"{before} became {after}" for before, after in found.items())


def shifts_as_products(model: "ModelProto") -> tuple[str, ...]:
    """Write shifts by constants, which only unsigned integers have, as products and quotients."""
    from onnx import helper, numpy_helper

    graph, said = model.graph, list[str]()
    stored = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type != "BitShift" or node.domain or node.input[1] not in stored:
            continue
        bits = numpy_helper.to_array(stored[node.input[1]])
        if int(bits.max(initial=0)) > MOST_SHIFT:
            continue
        left = helper.get_attribute_value(node.attribute[0]) == b"LEFT"
        name, before = f"{node.output[0]}_factor", node.op_type
        node.op_type = "Mul" if left else "Div"
        del node.attribute[:]
        factors = np.left_shift(1, bits.astype(np.int64))
        graph.initializer.append(numpy_helper.from_array(np.asarray(factors), name))
        node.input[1] = name
        said.append(f"{before} {node.name or node.output[0]!r} became {node.op_type}")
    return tuple(said)


def equal_by_order(model: "ModelProto") -> tuple[str, ...]:
    """Write Equal between fractions as neither greater nor less, in files that are too old to have
    it, but do: exporters wrote them and onnxruntime refuses them."""
    from onnx import helper

    graph = model.graph
    opset = max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)
    if opset >= EQUAL_TAKES_FRACTIONS or not any(n.op_type == "Equal" for n in graph.node):
        return ()
    types, nodes, said = element_types(model), list[Any](), list[str]()
    for node in graph.node:
        if node.op_type != "Equal" or types.get(node.input[0]) != FLOAT:
            nodes.append(node)
            continue
        sides = [f"{node.output[0]}_{operator}" for operator in ("Greater", "Less", "Or")]
        nodes += [
            helper.make_node("Greater", node.input, sides[:1]),
            helper.make_node("Less", node.input, sides[1:2]),
            helper.make_node("Or", sides[:2], sides[2:]),
            helper.make_node("Not", sides[2:], node.output, node.name),
        ]
        said.append(f"Equal {node.name or node.output[0]!r} became Greater, Less, Or, Not")
    del graph.node[:]
    graph.node.extend(nodes)
    return tuple(said)


def element_types(model: "ModelProto") -> dict[str, int]:
    """Of each tensor, by the operators alone: nothing is inferred from what a file may say."""
    graph = model.graph
    found = {value.name: value.type.tensor_type.elem_type for value in graph.input}
    found.update((tensor.name, tensor.data_type) for tensor in graph.initializer)
    for node in graph.node:
        for index, name in enumerate(node.output):
            found[name] = _made(node, index, found)
    return found


def _made(node: "NodeProto", index: int, known: dict[str, int]) -> int:
    operator = node.op_type
    named = {each.name: each for each in node.attribute}
    if operator in COMPARISONS:
        return BOOL
    if operator in PLACES or (operator == "TopK" and index == 1):
        return INT64
    if operator == "Cast":
        return int(named["to"].i) if "to" in named else FLOAT
    if operator in ("Constant", "ConstantOfShape"):
        if "value" in named:
            return int(named["value"].t.data_type)
        whole = "value_int" in named or "value_ints" in named
        return INT64 if whole else FLOAT
    first = TYPED_BY.get(operator, 0)
    return known.get(node.input[first], FLOAT) if first < len(node.input) else FLOAT


def _target(kind: int) -> int:
    return FLOAT if kind in FRACTIONS else INT64 if kind in INTEGERS else kind


def _name(kind: int) -> str:
    from onnx import helper

    return helper.tensor_dtype_to_np_dtype(kind).name


def _convert(tensor: "TensorProto", found: dict[str, str]) -> None:
    from onnx import numpy_helper

    if (to := _target(tensor.data_type)) == tensor.data_type:
        return
    values = numpy_helper.to_array(tensor)
    if to == INT64 and values.size and int(values.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"constant {tensor.name!r} holds {int(values.max())}, more than 63 bits")
    found[_name(tensor.data_type)] = _name(to)
    kind = np.float32 if to == FLOAT else np.int64
    tensor.CopyFrom(numpy_helper.from_array(values.astype(kind), tensor.name))


def _convert_attribute(
    node: "NodeProto", attribute: "AttributeProto", found: dict[str, str]
) -> None:
    if attribute.HasField("t"):
        _convert(attribute.t, found)
    typed = (node.op_type, attribute.name) in TYPE_ATTRIBUTES
    if typed and (to := _target(attribute.i)) != attribute.i:
        found[_name(attribute.i)] = _name(to)
        attribute.i = to


TYPE_ATTRIBUTES = frozenset(
    {("Cast", "to"), ("EyeLike", "dtype"), ("SequenceEmpty", "dtype"), ("ReduceSum", "dtype")}
)


__all__ = ["element_types", "equal_by_order", "shifts_as_products", "to_circuit_types"]
