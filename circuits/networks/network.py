"""Reads an ONNX file far enough to know whether a circuit would compute the same numbers.

What people export is first made ready (`prepare.py`): open axes bound, constants folded, operators
rewritten that circuits lack. Two things go wrong silently otherwise: ezkl passes every constant
through float32, so an integer above 2^24 may change, and operators like Div leave the prover a
choice between floor and ceiling. A network of int64 inputs and exact operators claims to be
exact integer arithmetic and is held to it. Tensors without measure are refused before anything
computes them.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.faces import Face
from zkagent.circuits.networks.operators import check_known, check_operators, constants
from zkagent.circuits.networks.prepare import graph_inputs, is_exact, prepare
from zkagent.circuits.visibility import OPEN, Visibility
from zkagent.models.files import read_limited
from zkagent.models.networks.parsing import parse_model
from zkagent.models.networks.sizes import check_face, check_sizes

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, ValueInfoProto

MOST_BYTES = 1 << 28  # a file's: as many weights as a circuit can hold, and more
#: What a network may take and give, as numpy names it.
TYPES = frozenset(
    "bool float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
)


@dataclass(frozen=True)
class Network:
    """A readable ONNX file, made ready for a circuit.

    content: the prepared file, which a circuit is made of; the user's own one, `source`, where
    nothing had to change. reference: what onnxruntime is to run beside it. sha256: of `source`.
    changes: what preparing changed, a line each.
    integer: its inputs are int64 and every operator exact.
    nothing had to change. sha256: of `source`. changes: what preparing changed, a line each.
    integer: its one input is int64 and every operator exact. visibility: what its circuits show.
    """

    path: Path
    content: bytes = field(repr=False)
    source: bytes = field(repr=False)
    reference: bytes = field(repr=False)
    sha256: str
    integer: bool
    inputs: tuple[Face, ...]
    outputs: tuple[Face, ...]
    changes: tuple[str, ...] = ()
    visibility: Visibility = OPEN

    @property
    def input_count(self) -> int:
        """Numbers in all inputs together."""
        return sum(each.size for each in self.inputs)

    @property
    def output_count(self) -> int:
        """Numbers in all outputs together."""
        return sum(each.size for each in self.outputs)

    @property
    def prepared_sha256(self) -> str:
        """Of `content`."""
        return hashlib.sha256(self.content).hexdigest()


def read_network(
    path: Path, *, any_integers: bool = False, dims: Mapping[str, int] | None = None
) -> Network:
    """Parse, prepare and check `path`. any_integers: networks over integers whatever their
    operators and constants, for who reads them by `circuits/program`, and not by ezkl. dims: sizes
    of open axes by name, 1 where not given. Raises NetworkRefused."""
    source = _read(path)
    if any_integers and _is_integer(given := _parse(path, source)):
        return _as_it_is(path, source, given)
    ready = prepare(path, source, dims or {})
    model = _parse(path, ready.content)
    exact = is_exact(model.graph)
    if not exact:
        check_known(path, model.graph)
    _measure(path, check_sizes, model)  # before anything looks into its tensors
    if exact:
        _check_constants(path, model.graph)
    else:
        check_operators(path, model)
    return Network(
        path,
        ready.content,
        source,
        ready.reference,
        hashlib.sha256(source).hexdigest(),
        exact,
        *_faces(path, model.graph, _parse(path, source).graph),
        ready.changes,
    )


def _as_it_is(path: Path, source: bytes, model: "ModelProto") -> Network:
    """A network over integers, for circuits that read any operators of those."""
    if len(given := graph_inputs(model.graph)) != 1:
        raise NetworkRefused(path, f"it has {len(given)} inputs, expected one: concatenate them")
    _measure(path, check_sizes, model)
    faces = _faces(path, model.graph, model.graph)
    return Network(path, source, source, source, hashlib.sha256(source).hexdigest(), True, *faces)


def _is_integer(model: "ModelProto") -> bool:
    from onnx import TensorProto

    given = graph_inputs(model.graph)
    return all(each.type.tensor_type.elem_type == TensorProto.INT64 for each in given)


def _faces(
    path: Path, graph: "GraphProto", own: "GraphProto"
) -> tuple[tuple[Face, ...], tuple[Face, ...]]:
    """Inputs and outputs, with the types that the user's `own` graph gives them."""
    theirs = {value.name: value for value in (*own.input, *own.output)}
    given, made = (
        tuple(_tensor(path, value, theirs[value.name]) for value in values)
        for values in (graph_inputs(graph), graph.output)
    )
    return given, made


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
        why = f"it is not a valid ONNX model ({reason}): export it again, or fetch the whole file"
        raise NetworkRefused(path, why) from exc
    _measure(path, check_face, model)
    return model


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


def _tensor(path: Path, value: "ValueInfoProto", own: "ValueInfoProto") -> Face:
    """own: the same in the user's file, whose type it keeps."""
    from onnx import helper

    try:
        name = helper.tensor_dtype_to_np_dtype(own.type.tensor_type.elem_type).name
    except KeyError:
        name = "no tensor"
    if name not in TYPES:
        raise NetworkRefused(
            path, f"{value.name!r} is {name}, expected numbers or truth values: convert it"
        )
    return Face(value.name, name, _shape(path, value))


def _shape(path: Path, value: "ValueInfoProto") -> tuple[int, ...]:
    """Sizes of one input or output, which must be known."""
    sizes = tuple(dimension.dim_value for dimension in value.type.tensor_type.shape.dim)
    if not all(size > 0 for size in sizes):
        raise NetworkRefused(
            path, f"the shape of {value.name!r} is open: export it with a fixed batch size"
        )
    return sizes


__all__ = ["TYPES", "Network", "read_network"]
