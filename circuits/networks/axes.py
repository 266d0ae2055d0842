"""Gives the open axes of a network their lengths, and forgets what it says of its own tensors.

Exporters leave the batch axis open and name it; a circuit has one size. An axis is bound to 1 where
nobody says another length.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, TensorShapeProto, ValueInfoProto

MOST_LENGTH = 1 << 24  # of one axis: as many numbers as a tensor may have


def bind_axes(model: "ModelProto", dims: Mapping[str, int]) -> tuple[str, ...]:
    """Change the model in place and return a line for each axis that was open.

    dims: lengths by the axis's name, or as INPUT.AXIS (counted from 0) where it has none. Shapes of
    outputs and of what lies between the nodes are forgotten: they would still be open. Raises
    ValueError for a name that no open axis has, and for lengths that none can have.
    """
    graph, used = model.graph, set[str]()
    for name, length in dims.items():
        if not 1 <= length <= MOST_LENGTH:
            raise ValueError(f"the axis {name!r} cannot be {length}: from 1 to {MOST_LENGTH:,}")
    said = list[str]()
    for value in _inputs(graph):
        for place, axis in _open_axes(value):
            names = [axis.dim_param] if axis.dim_param else []
            names.append(f"{value.name}.{place}")
            name = next((each for each in names if each in dims), names[0])
            used.update(each for each in names if each in dims)
            length = dims.get(name, 1)
            axis.Clear()
            axis.dim_value = length
            said.append(f"axis {place} of input {value.name!r} ({names[0]}) became {length}")
    if unknown := [name for name in dims if name not in used]:
        raise ValueError(f"it has no open axis {unknown[0]!r}: {_choices(said)}")
    del graph.value_info[:]
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")
    return tuple(said)


def lengths_of(model: "ModelProto", shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """The dims that bind the model's open axes to inputs of these shapes, as INPUT.AXIS."""
    return {
        f"{value.name}.{place}": shapes[value.name][place]
        for value in _inputs(model.graph)
        for place, _ in _open_axes(value)
        if place < len(shapes.get(value.name, ()))
    }


def _inputs(graph: "GraphProto") -> "Iterator[ValueInfoProto]":
    weights = {tensor.name for tensor in graph.initializer}
    return (value for value in graph.input if value.name not in weights)


def _open_axes(value: "ValueInfoProto") -> "Iterator[tuple[int, TensorShapeProto.Dimension]]":
    kind = value.type.tensor_type
    if not kind.HasField("shape"):
        raise ValueError(f"the input {value.name!r} has no shape: export it with one")
    for place, axis in enumerate(kind.shape.dim):
        if axis.dim_value <= 0:
            yield place, axis


def _choices(said: list[str]) -> str:
    names = [line.partition("(")[2].partition(")")[0] for line in said]
    return f"open are {', '.join(dict.fromkeys(names))}" if names else "all its axes have lengths"


__all__ = ["bind_axes", "lengths_of"]
