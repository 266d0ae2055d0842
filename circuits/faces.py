"""What a circuit takes and gives, by the network's own names."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, Self

FLOATS = frozenset({"float16", "float32", "float64"})


class Sizes(Protocol):
    """Of a circuit: its facts."""

    @property
    def input_count(self) -> int: ...

    @property
    def output_count(self) -> int: ...

    @property
    def exact(self) -> bool: ...


@dataclass(frozen=True)
class Face:
    """An input or output of a network by its name; type: as numpy names it."""

    name: str
    type: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    @property
    def fractions(self) -> bool:
        """Whether its numbers are scaled in a circuit; integers and truth values are not."""
        return self.type in FLOATS

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Raises ValueError."""
        if not isinstance(fields, dict) or set(fields) != {"name", "type", "shape"}:
            raise ValueError("it has other fields than name, type and shape")
        name, kind, shape = fields["name"], fields["type"], fields["shape"]
        if not (isinstance(name, str) and isinstance(kind, str) and isinstance(shape, list)):
            raise ValueError("it names no tensor")
        if any(type(each) is not int or each < 1 for each in shape):
            raise ValueError("a shape is no list of sizes")
        return cls(name, kind, tuple(shape))


@dataclass(frozen=True)
class Faces:
    """What a circuit takes and gives, each in the order of its proofs' numbers."""

    inputs: tuple[Face, ...]
    outputs: tuple[Face, ...]

    @classmethod
    def of(cls, facts: Sizes) -> Self:
        """Of a circuit of which nothing more is known."""
        kind = "int64" if facts.exact else "float32"
        given, made = (facts.input_count,), (facts.output_count,)
        return cls((Face("x", kind, given),), (Face("y", kind, made),))

    @classmethod
    def from_json(cls, fields: Mapping[str, Any], facts: Sizes) -> Self:
        """Read `to_json`'s form. Raises ValueError, KeyError."""
        inputs, outputs = (
            tuple(Face.from_json(each) for each in fields[side]) for side in ("inputs", "outputs")
        )
        counts = sum(each.size for each in inputs), sum(each.size for each in outputs)
        if counts != (facts.input_count, facts.output_count):
            raise ValueError("its inputs and outputs have other sizes than the circuit")
        return cls(inputs, outputs)

    @property
    def plain(self) -> bool:
        """Whether there is one input and one output, which need no names."""
        return len(self.inputs) == len(self.outputs) == 1

    def to_json(self) -> dict[str, Any]:
        return {
            side: [{**asdict(each), "shape": list(each.shape)} for each in faces]
            for side, faces in (("inputs", self.inputs), ("outputs", self.outputs))
        }

    def split_inputs(self, values: Sequence[int]) -> Iterator[Sequence[int]]:
        """A flat list's part for each input."""
        return _split(self.inputs, values)

    def split_outputs(self, values: Sequence[float]) -> Iterator[Sequence[float]]:
        """A flat list's part for each output."""
        return _split(self.outputs, values)


def _split(faces: Sequence[Face], values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    at = 0
    for face in faces:
        yield values[at : at + face.size]
        at += face.size


__all__ = ["Face", "Faces"]
