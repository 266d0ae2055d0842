"""Reads the samples that a user brings along with a network: inputs as the network takes them.

Circuits are calibrated on them and compared with onnxruntime on them, so a file that is not what it
should be must be refused here: a NaN or a transposed array would give a circuit that fits nothing.
What the files look like is in `sample_files.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.errors import SamplesRefused
from zkagent.circuits.faces import Face
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.sample_files import read_arrays

Array = npt.NDArray[Any]
Sample = tuple[Array, ...]

# Beyond, float32 cannot tell neighbouring integers apart, and no circuit of use reaches so far.
MOST_FLOAT = 2.0**24


@dataclass(frozen=True)
class Samples:
    """Inputs of one network: for each of its inputs an array [n, *shape] in the network's own type,
    n >= 1. labels: the right answers, [n], where the file has some.

    sha256: of the file's bytes.
    """

    path: Path
    sha256: str
    values: tuple[Array, ...]
    labels: Array | None = None

    def __len__(self) -> int:
        return len(self.values[0])

    def __iter__(self) -> Iterator[Sample]:
        """Each sample: an array in the shape of each of the network's inputs."""
        return zip(*self.values, strict=True)

    def first(self, count: int) -> "Samples":
        """At most `count` of them, the first ones."""
        labels = None if self.labels is None else self.labels[:count]
        return replace(self, values=tuple(each[:count] for each in self.values), labels=labels)


def load_samples(path: Path, network: Network) -> Samples:
    """The inputs in a file, for a network with one input its only array.

    An array is [n, *shape], or [n, numbers] in a flat row; where the input's first size is 1, it
    may be left out. Raises SamplesRefused for anything else, and for values that the network's type
    cannot hold.
    """
    found = read_arrays(path, [(each.name, each.shape) for each in network.inputs])
    values = tuple(
        _shaped(path, _typed(path, array, tensor), tensor)
        for array, tensor in zip(found.arrays, network.inputs, strict=True)
    )
    count = len(values[0])
    for tensor, each in zip(network.inputs, values, strict=True):
        if len(each) != count:
            name = network.inputs[0].name
            raise SamplesRefused(
                path,
                f"it has {len(each)} samples of {tensor.name!r} and {count} of {name!r}, expected "
                "as many of each",
            )
    if found.labels is not None and found.labels.shape != (count,):
        shape = list(found.labels.shape)
        raise SamplesRefused(path, f"its labels have shape {shape}, expected [{count}]")
    return Samples(path, found.sha256, values, found.labels)


def _typed(path: Path, given: Array, tensor: Face) -> Array:
    """As the network's type, every value unharmed."""
    if given.dtype.kind not in ("iuf" if tensor.fractions else "iufb"):
        raise SamplesRefused(path, f"its array is {given.dtype}, expected {tensor.type}")
    if given.size == 0:
        raise SamplesRefused(path, f"its array is empty (shape {list(given.shape)})")
    if tensor.fractions:
        return _floats(path, given).astype(tensor.type)
    return _integers(path, given, tensor)


def _integers(path: Path, given: Array, tensor: Face) -> Array:
    if given.dtype.kind == "f":
        raise SamplesRefused(path, f"its array is {given.dtype}, the network takes {tensor.type}")
    least, most = (0, 1) if tensor.type == "bool" else _ends(tensor.type)
    for value in (int(given.min()), int(given.max())):
        if not least <= value <= most:
            raise SamplesRefused(
                path, f"it holds {value}, which {tensor.type} cannot: from {least} to {most}"
            )
    return given.astype(tensor.type)


def _ends(name: str) -> tuple[int, int]:
    """Of a type, within the 64 signed bits that a circuit's numbers have."""
    ends = np.iinfo(name)
    return int(ends.min), min(int(ends.max), int(np.iinfo(np.int64).max))


def _floats(path: Path, given: Array) -> Array:
    values = given.astype(np.float64)
    if not np.isfinite(values).all():
        where, value = _first(values, ~np.isfinite(values))
        raise SamplesRefused(path, f"it holds {value} at {where}, expected finite numbers")
    if np.abs(values).max() > MOST_FLOAT:
        where, value = _first(values, np.abs(values) > MOST_FLOAT)
        raise SamplesRefused(
            path, f"it holds {value:g} at {where}, expected at most 2^24: scale that feature down"
        )
    return values


def _first(values: Array, where: Array) -> tuple[list[int], float]:
    index = np.argwhere(where)[0]
    return index.tolist(), float(values[tuple(index)])


def _shaped(path: Path, values: Array, tensor: Face) -> Array:
    shape, each = tensor.shape, values.shape[1:]
    if values.ndim and each == shape:
        return values
    if values.ndim and shape[:1] == (1,) and each == shape[1:]:
        return values.reshape(-1, *shape)
    if values.ndim == 2 and values.shape[1] == tensor.size:
        return values.reshape(-1, *shape)
    expected = ", ".join(["n", *map(str, shape)])
    raise SamplesRefused(
        path,
        f"its array has shape {list(values.shape)}, expected [{expected}] or [n, {tensor.size}]",
    )


__all__ = ["Sample", "Samples", "load_samples"]
