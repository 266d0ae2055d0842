"""Reads an ONNX file far enough to know whether a circuit would compute the same numbers.

Two things go wrong silently otherwise: ezkl passes every constant through float32, so an integer
above 2^24 may change, and operators like Div leave the prover a choice between floor and ceiling.
A network whose inputs are int64 claims to be exact integer arithmetic and is held to it. Tensors
without measure are refused before anything computes them.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.networks.operators import check_known, check_operators, constants
from zkagent.models.files import read_limited
from zkagent.models.networks.parsing import parse_model
from zkagent.models.networks.sizes import INTEGER_OPERATORS, check_face, check_sizes

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, ValueInfoProto

MOST_BYTES = 1 << 28  # a file's: as many weights as a circuit can hold, and more
# What a circuit's public values can stand for: fractions, or integers as they are.
INPUT_TYPES = ("float32", "float64", "int64")


@dataclass(frozen=True)
class Network:
    """A readable ONNX file.

    integer: its input is int64 and every operator exact. input_type: of its one input, as numpy
    names it. sha256: of the file's bytes.
    """

    path: Path
    content: bytes
    sha256: str
    integer: bool
    input_name: str
    input_type: str
    input_shape: tuple[int, ...]
    output_shapes: tuple[tuple[int, ...], ...]

    @property
    def input_count(self) -> int:
        """Numbers in its one input."""
        return math.prod(self.input_shape)

    @property
    def output_count(self) -> int:
        """Numbers in all outputs together."""
        return sum(math.prod(shape) for shape in self.output_shapes)


def read_network(path: Path, *, any_integers: bool = False) -> Network:
    """Parse and check `path`. any_integers: networks over integers whatever their operators and
    constants, for who reads them by `circuits/program`, and not by ezkl. Raises NetworkRefused."""
    content = _read(path)
    model = _parse(path, content)
    graph = model.graph
    integer = _is_integer(graph)
    (given,) = graph_inputs(graph)
    checked = not (integer and any_integers)
    if integer and checked:
        _check_integer_operators(path, graph)
    elif checked:
        check_known(path, graph)
    found = Network(
        path,
        content,
        hashlib.sha256(content).hexdigest(),
        integer,
        given.name,
        _input_type(path, given),
        _shape(path, given),
        tuple(_shape(path, value) for value in graph.output),
    )
    _measure(path, check_sizes, model)  # before anything looks into its tensors
    if integer and checked:
        _check_constants(path, graph)
    elif checked:
        check_operators(path, model)
    return found


def graph_inputs(graph: "GraphProto") -> list["ValueInfoProto"]:
    """The inputs that a caller must give: old files list the weights among them, too."""
    weights = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in weights]


def _measure(path: Path, check: Callable[["ModelProto"], None], model: "ModelProto") -> None:
    try:
        check(model)
    except ValueError as exc:
        raise NetworkRefused(path, str(exc)) from exc


def _read(path: Path) -> bytes:
    try:
        return read_limited(path, MOST_BYTES)
    except OSError as exc:
        raise NetworkRefused(path, f"it cannot be read ({exc.strerror})") from exc


def _parse(path: Path, content: bytes) -> "ModelProto":
    import onnx

    try:
        model = parse_model(content)
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError) as exc:
        reason = str(exc).strip().partition("\n")[0]
        raise NetworkRefused(path, f"it is not a valid ONNX model ({reason})") from exc
    _measure(path, check_face, model)
    if (inputs := len(graph_inputs(model.graph))) != 1:
        raise NetworkRefused(path, f"it has {inputs} inputs, expected one: concatenate them")
    return model


def _is_integer(graph: "GraphProto") -> bool:
    from onnx import TensorProto

    (value,) = graph_inputs(graph)
    return bool(value.type.tensor_type.elem_type == TensorProto.INT64)


def _check_integer_operators(path: Path, graph: "GraphProto") -> None:
    for node in graph.node:
        if node.op_type not in INTEGER_OPERATORS or node.domain:
            raise NetworkRefused(
                path,
                f"its inputs are int64, but {node.op_type} (node {node.name or node.output[0]!r}) "
                "is not exact integer arithmetic; "
                "use sums and products, or float inputs for a model that may be rounded",
            )


def _check_constants(path: Path, graph: "GraphProto") -> None:
    for name, values in constants(graph):
        if not np.issubdtype(values.dtype, np.integer):
            raise NetworkRefused(path, f"constant {name!r} is {values.dtype}, expected int64")
        for value in values.reshape(-1).tolist():
            if int(np.float32(value)) != value:
                raise NetworkRefused(
                    path,
                    f"constant {name!r} holds {value}, which ezkl would round to float32: "
                    "keep integers within 2^24, or multiples of a power of two",
                )


def _input_type(path: Path, given: "ValueInfoProto") -> str:
    from onnx import helper

    try:
        name = helper.tensor_dtype_to_np_dtype(given.type.tensor_type.elem_type).name
    except KeyError:
        name = "no tensor"
    if name not in INPUT_TYPES:
        raise NetworkRefused(
            path, f"its input {given.name!r} is {name}, expected {' or '.join(INPUT_TYPES)}"
        )
    return name


def _shape(path: Path, value: "ValueInfoProto") -> tuple[int, ...]:
    """Sizes of one input or output, which must be known."""
    sizes = tuple(dimension.dim_value for dimension in value.type.tensor_type.shape.dim)
    if not all(size > 0 for size in sizes):
        raise NetworkRefused(
            path, f"the shape of {value.name!r} is open: export it with a fixed batch size"
        )
    return sizes


__all__ = ["INPUT_TYPES", "INTEGER_OPERATORS", "Network", "graph_inputs", "read_network"]
