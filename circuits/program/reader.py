"""Reads an ONNX graph of integer arithmetic as a program, or says which node cannot be done.

What only moves numbers (Gather, Reshape, Concat, ...) leaves no step: tensors here are arrays of
ids, and moving them is moving ids. What follows a matrix product (bias, square, ReLU) becomes part
of its layer where nothing else reads the product.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.folding import Layers
from zkagent.circuits.program.linear import cumulative_sum, reduce_sum
from zkagent.circuits.program.moves import MOVES, flag, places_of
from zkagent.circuits.program.program import (
    MOST_INPUT_BITS,
    ArgMax,
    Elementwise,
    Ids,
    LookUp,
    Mask,
    Numbers,
    Operand,
    Operator,
    Program,
    Select,
    Sign,
)
from zkagent.circuits.program.tensors import Bounds, Tensor
from zkagent.models.networks.parsing import parse_model
from zkagent.models.networks.sizes import Limits, check_sizes

OPERATORS = {"Add": Operator.ADD, "Sub": Operator.SUB, "Mul": Operator.MUL, "Max": Operator.MAX}
#: Each number takes some hundred bytes here and gas there: no chain evaluates what comes near.
#: Steps are places along which numbers are added up, as a product with a triangle of ones.
EVALUATED = Limits(numbers=1 << 21, multiply_adds=1 << 22, steps=1 << 9)
OLDEST_OPSET = 13  # from here on, Squeeze and Unsqueeze have axes as an input
ZERO = Tensor(np.array(0, dtype=object), constant=True)


def read_program(content: bytes, input_bits: int = MOST_INPUT_BITS) -> Program:
    """The steps of an ONNX file for inputs of so many bits. Raises ProgramRefused."""
    if not 2 <= input_bits <= MOST_INPUT_BITS:
        raise ProgramRefused(f"inputs of {input_bits} bits: expected 2 to {MOST_INPUT_BITS}")
    try:
        model = parse_model(content)
        onnx.checker.check_model(model)
        _measure(model)
        onnx.checker.check_model(model, full_check=True)
    except ProgramRefused:
        raise
    except Exception as exc:  # protobuf and onnx share no root
        raise ProgramRefused(f"not a valid ONNX model ({str(exc).partition(chr(10))[0]})") from exc
    _check_opset(model)
    return _Reader(model.graph, input_bits).read()


def _measure(model: onnx.ModelProto) -> None:
    """Before onnx or we follow its tensors."""
    try:
        check_sizes(model, EVALUATED)
    except ValueError as exc:
        raise ProgramRefused(str(exc)) from exc


@dataclass
class _Reader:
    graph: onnx.GraphProto
    input_bits: int
    tensors: dict[str, Tensor] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=Bounds)
    inputs: int = 0

    def read(self) -> Program:
        inputs = self.read_input()
        for tensor in self.graph.initializer:
            self.tensors[tensor.name] = _constant(tensor)
        self.layers = Layers(self.bounds)
        readers = Counter(name for node in self.graph.node for name in node.input)
        readers.update(value.name for value in self.graph.output)
        for node in self.graph.node:
            (name,) = node.output[:1]
            self.layers.node = f"node {node.name or name!r} ({node.op_type})"
            try:
                self.tensors[name] = replace(self.read_node(node), readers=readers[name])
            except (ProgramRefused, ValueError) as exc:  # numpy's, for shapes that do not fit
                raise ProgramRefused(f"{self.layers.node}: {exc}") from exc
        steps, peaks = tuple(self.layers.steps), tuple(self.bounds.peaks)
        return Program(inputs, self.input_bits, self.read_output(), steps, peaks)

    def read_input(self) -> int:
        weights = {tensor.name for tensor in self.graph.initializer}
        given = [value for value in self.graph.input if value.name not in weights]
        if len(given) != 1:
            raise ProgramRefused(f"the model has {len(given)} inputs, expected one")
        (value,), kind = given, given[0].type.tensor_type.elem_type
        if kind != TensorProto.INT64:
            raise ProgramRefused(
                f"input {value.name!r} is {TensorProto.DataType.Name(kind)}, expected INT64: only "
                "integer networks can be evaluated exactly"
            )
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        if not all(shape):
            raise ProgramRefused(f"the shape of {value.name!r} is open: fix the batch size")
        ids = self.bounds.new(shape, 1 << (self.input_bits - 1))
        self.tensors[value.name], self.inputs = Tensor(ids), ids.size
        return ids.size

    def read_output(self) -> Ids:
        if len(self.graph.output) != 1:
            raise ProgramRefused(f"the model has {len(self.graph.output)} outputs, expected one")
        tensor = self.tensors[self.graph.output[0].name]
        if tensor.constant:
            raise ProgramRefused("the model's output does not depend on its input")
        return tensor.values.ravel()

    def read_node(self, node: onnx.NodeProto) -> Tensor:
        if node.domain:
            raise ProgramRefused(f"operators of {node.domain!r} are not known")
        if node.op_type == "Constant":
            return _constant_node(node)
        if node.op_type == "Gather" and self.looks_up(node):
            return self.look_up(node)
        if node.op_type in MOVES:
            return self.move(node)
        operands = [self.tensors[name] for name in node.input if name]
        if node.op_type in OPERATORS:
            return self.elementwise(node, operands)
        others: dict[str, Callable[..., Tensor]] = {
            "ArgMax": self.arg_max,
            "BitwiseAnd": self.mask,
            "Cast": self.truth,
            "Clip": self.sign,
            "CumSum": self.linear(cumulative_sum),
            "Gemm": self.gemm,
            "MatMul": lambda node, left, right: self.layers.product(left, right),
            "Neg": lambda node, x: self.arithmetic(Operator.SUB, ZERO, x),
            "Pad": self.pad,
            "ReduceSum": self.linear(reduce_sum),
            "Relu": lambda node, x: self.elementwise(node, [x, ZERO]),
            "Where": self.select,
        }
        if node.op_type not in others:
            known = ", ".join(sorted([*others, *MOVES, *OPERATORS, "Constant"]))
            raise ProgramRefused(f"not one of {known}")
        return others[node.op_type](node, *operands)

    def linear(self, operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
        """An operator of linear.py; what it takes after its first operand must be constant."""

        def read(node: onnx.NodeProto, data: Tensor, *more: Tensor) -> Tensor:
            if data.constant or not all(each.constant for each in more):
                raise ProgramRefused("its first operand, and only that, must be computed")
            given = more or ((None,) if operator is reduce_sum else ())
            try:
                return operator(self.layers, _attributes(node), data, *given)
            except (TypeError, IndexError) as exc:
                raise ProgramRefused(str(exc)) from exc

        return read

    def pad(
        self,
        node: onnx.NodeProto,
        data: Tensor,
        pads: Tensor,
        *more: Tensor,
    ) -> Tensor:
        """With zeros, which windows of convolutions read at the ends."""
        attributes, given = _attributes(node), [name for name in node.input[2:] if name]
        named = dict(zip(given, more, strict=True))
        value, axes = (named.get(name) for name in [*node.input[2:], "", ""][:2])
        if attributes.get("mode", b"constant") != b"constant" or (value and value.values.any()):
            raise ProgramRefused("it pads with something else than 0")
        if data.constant or not all(each.constant for each in (pads, *more)):
            raise ProgramRefused("its first operand, and only that, must be computed")
        rank = data.values.ndim
        widths = [(0, 0)] * rank
        padded = range(rank) if axes is None else places_of(axes.values, rank)
        before, after = pads.values.reshape(2, -1).tolist()
        for axis, *width in zip(padded, before, after, strict=True):
            widths[axis] = (width[0], width[1])
        zero = int(self.zero(int(data.values.flat[0])).flat[0])
        return Tensor(np.pad(data.values, widths, constant_values=zero))

    def zero(self, number: int) -> Ids:
        """A number that is 0: another one less itself."""
        operand, output = Operand(np.array([number]), False), self.bounds.new([1])
        step = Elementwise(Operator.SUB, operand, operand, output, self.layers.node)
        self.layers.steps.append(step)
        return output

    def looks_up(self, node: onnx.NodeProto) -> bool:
        """Whether it takes rows of a constant at computed places."""
        data, places = (self.tensors[name] for name in node.input)
        return data.constant and not places.constant

    def look_up(self, node: onnx.NodeProto) -> Tensor:
        data, places = (self.tensors[name] for name in node.input)
        axis = _attributes(node).get("axis", 0)
        turned = np.moveaxis(data.values, axis, 0)
        table = turned.reshape(len(turned), -1)
        outputs = self.bounds.new((places.values.size, table.shape[1]))
        self.bounds.set(outputs, np.broadcast_to(np.abs(table).max(axis=0), outputs.shape))
        self.bounds.note_rows(outputs, table, places.values.ravel())
        step = LookUp(places.values.ravel(), table, outputs, self.layers.node)
        self.layers.steps.append(step)
        axis %= data.values.ndim
        made = outputs.reshape(*places.values.shape, *turned.shape[1:])
        first = list(range(places.values.ndim))
        rest = list(range(len(first), made.ndim))
        return Tensor(made.transpose(*rest[:axis], *first, *rest[axis:]))

    def arg_max(self, node: onnx.NodeProto, data: Tensor) -> Tensor:
        attributes = _attributes(node)
        if flag(attributes, "select_last_index", 0):
            raise ProgramRefused("of equals it takes the last one: only the first one is known")
        if data.constant:
            raise ProgramRefused("its operand is constant: fold it into the weights")
        axis = attributes.get("axis", 0)
        turned = np.moveaxis(data.values, axis, -1)
        inputs = turned.reshape(-1, turned.shape[-1])
        outputs = self.bounds.new([len(inputs)], inputs.shape[1] - 1)
        self.layers.steps.append(ArgMax(inputs, outputs, self.layers.node))
        made = outputs.reshape(turned.shape[:-1])
        return Tensor(np.expand_dims(made, axis) if flag(attributes, "keepdims", 1) else made)

    def mask(self, node: onnx.NodeProto, left: Tensor, right: Tensor) -> Tensor:
        """Some bits of features, which constraints know; nobody knows those of other numbers."""
        data, masks = (right, left) if left.constant else (left, right)
        if data.constant or not masks.constant or data.values.max() >= self.inputs:
            raise ProgramRefused("it masks something else than features by a constant")
        shape = np.broadcast_shapes(data.values.shape, masks.values.shape)
        inputs = np.broadcast_to(data.values, shape).ravel()
        bits = np.broadcast_to(masks.values, shape).ravel()
        if min(bits) < 0 or max(bits) >= 1 << self.input_bits:
            raise ProgramRefused(f"a mask is none of {self.input_bits} bits, as features have")
        outputs = self.bounds.new(shape)
        self.bounds.set_ends(outputs, np.zeros_like(bits), bits)
        self.layers.steps.append(Mask(inputs, bits, outputs.ravel(), self.layers.node))
        return Tensor(outputs)

    def sign(self, node: onnx.NodeProto, data: Tensor, *ends: Tensor) -> Tensor:
        """Cut to 0 and 1: whether it is more than 0."""
        limits = [[int(value) for value in end.values.ravel()] for end in ends]
        if data.constant or not all(e.constant for e in ends) or limits != [[0], [1]]:
            raise ProgramRefused("it clips to something else than 0 and 1")
        inputs, outputs = data.values.ravel(), self.bounds.new(data.values.shape)
        found = np.array([self.bounds.ends_of(i) for i in inputs.tolist()], dtype=object)
        self.bounds.set_ends(outputs, *(np.clip(side, 0, 1) for side in found.T))
        self.layers.steps.append(Sign(inputs, found, outputs.ravel(), self.layers.node))
        return Tensor(outputs)

    def truth(self, node: onnx.NodeProto, data: Tensor) -> Tensor:
        """A number that is 0 or 1 as a truth value, or back: the same number."""
        if _attributes(node).get("to") not in (TensorProto.BOOL, TensorProto.INT64):
            raise ProgramRefused("it casts to something else than BOOL and INT64")
        if data.constant or not self.is_bit(data):
            raise ProgramRefused("it casts what is not 0 or 1: Clip it to these")
        return replace(data, fresh=False)

    def is_bit(self, tensor: Tensor) -> bool:
        ends = (self.bounds.ends_of(number) for number in tensor.values.ravel().tolist())
        return all(least >= 0 and most <= 1 for least, most in ends)

    def select(self, node: onnx.NodeProto, chosen: Tensor, yes: Tensor, no: Tensor) -> Tensor:
        if chosen.constant or not self.is_bit(chosen):
            raise ProgramRefused("its condition is constant, or no truth value")
        shape = np.broadcast_shapes(*(each.values.shape for each in (chosen, yes, no)))
        which, a, b = (np.broadcast_to(t.values, shape).ravel() for t in (chosen, yes, no))
        ends = np.array([self.operand_ends(t, v) for t, v in ((yes, a), (no, b))], dtype=object)
        outputs = self.bounds.new(shape)
        least, most = ends[..., 0].min(axis=0), ends[..., 1].max(axis=0)
        self.bounds.set_ends(outputs, least, most)
        operands = Operand(a, yes.constant), Operand(b, no.constant)
        self.layers.steps.append(Select(which, *operands, outputs.ravel(), self.layers.node))
        return Tensor(outputs)

    def operand_ends(self, tensor: Tensor, values: Numbers) -> list[tuple[int, int]]:
        values = values.tolist()
        return [(v, v) if tensor.constant else self.bounds.ends_of(v) for v in values]

    def move(self, node: onnx.NodeProto) -> Tensor:
        given = [self.tensors[name] if name else None for name in node.input]
        sources = given if node.op_type == "Concat" else given[:1]
        if any(source is None or source.constant for source in sources):
            raise ProgramRefused("it moves constants: fold them into the weights")
        if any(extra is not None and not extra.constant for extra in given[len(sources) :]):
            raise ProgramRefused("where it moves numbers to depends on the input")
        values = [None if tensor is None else tensor.values for tensor in given]
        try:
            moved = MOVES[node.op_type](_attributes(node), *values)
        except (TypeError, ValueError, IndexError, KeyError) as exc:
            raise ProgramRefused(str(exc)) from exc
        if not moved.size:
            raise ProgramRefused("it leaves no numbers")
        (source, *more) = sources
        alone = source is not None and source.fresh and source.readers == 1 and not more
        return Tensor(moved, fresh=alone and len(np.unique(moved)) == moved.size)

    def gemm(
        self, node: onnx.NodeProto, left: Tensor, right: Tensor, bias: Tensor | None = None
    ) -> Tensor:
        attributes = _attributes(node)
        if attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0:
            raise ProgramRefused("its factors alpha and beta must be 1")
        if flag(attributes, "transA", 0):
            left = Tensor(left.values.T, left.constant)
        if flag(attributes, "transB", 0):
            right = Tensor(right.values.T, right.constant)
        product = self.layers.product(left, right)
        if bias is None:
            return product
        shape = product.values.shape
        if np.broadcast_shapes(shape, bias.values.shape) != shape:
            raise ProgramRefused(f"its bias has shape {bias.values.shape}, its product {shape}")
        folded = self.layers.fold(Operator.ADD, product, bias)
        return folded or self.arithmetic(Operator.ADD, product, bias)

    def elementwise(self, node: onnx.NodeProto, operands: list[Tensor]) -> Tensor:
        if len(operands) != 2:
            raise ProgramRefused(f"it has {len(operands)} operands, expected two")
        left, right = operands
        operator = OPERATORS.get(node.op_type, Operator.MAX)
        if left.constant and operator is not Operator.SUB:
            left, right = right, left
        folded = self.layers.fold(operator, left, right)
        return folded or self.arithmetic(operator, left, right)

    def arithmetic(self, operator: Operator, left: Tensor, right: Tensor) -> Tensor:
        """A step of its own."""
        if left.constant and right.constant:
            raise ProgramRefused("both operands are constant: fold them into the weights")
        shape = np.broadcast_shapes(left.values.shape, right.values.shape)
        a, b = (Tensor(np.broadcast_to(t.values, shape), t.constant) for t in (left, right))
        outputs = self.bounds.new(shape)
        pa, pb = self.bounds.of(a), self.bounds.of(b)
        peaks = {Operator.MUL: pa * pb, Operator.MAX: np.maximum(pa, pb)}.get(operator, pa + pb)
        self.bounds.set(outputs, peaks)
        first, second = (Operand(t.values.ravel(), t.constant) for t in (a, b))
        step = Elementwise(operator, first, second, outputs.ravel(), self.layers.node)
        self.layers.steps.append(step)
        return Tensor(outputs)


def _check_opset(model: onnx.ModelProto) -> None:
    """Older operators take as attributes (axes, broadcast) what is read from inputs here."""
    versions = [entry.version for entry in model.opset_import if not entry.domain]
    if min(versions, default=0) < OLDEST_OPSET:
        raise ProgramRefused(
            f"its operators are those of opset {min(versions, default=0)}: "
            f"export it with opset {OLDEST_OPSET} or later"
        )


def _constant(tensor: onnx.TensorProto) -> Tensor:
    """Narrower ones are refused: what they are added to or multiplied with wraps in onnxruntime,
    where numbers here do not."""
    values = numpy_helper.to_array(tensor)
    if values.dtype != np.int64:
        raise ProgramRefused(f"constant {tensor.name!r} is {values.dtype}, expected int64")
    return Tensor(values.astype(object), constant=True)


def _constant_node(node: onnx.NodeProto) -> Tensor:
    (attribute,) = node.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.type == onnx.AttributeProto.SPARSE_TENSOR:
        raise ProgramRefused("its constant is sparse: write it as a plain tensor")
    if not isinstance(value, TensorProto):
        value = numpy_helper.from_array(np.asarray(value))
    value.name = node.output[0]
    return _constant(value)


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


__all__ = ["read_program"]
