"""Reads the samples that a user brings along with a network: inputs as the network takes them.

Circuits are calibrated on them and compared with onnxruntime on them, so a file that is not what it
should be must be refused here: a NaN or a transposed array would give a circuit that fits nothing.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.errors import SamplesRefused
from zkagent.circuits.networks.network import Network
from zkagent.models.files import open_regular

Array = npt.NDArray[Any]

# Beyond, float32 cannot tell neighbouring integers apart, and no circuit of use reaches so far.
MOST_FLOAT = 2.0**24


@dataclass(frozen=True)
class Samples:
    """Inputs of one network: values [n, *input shape] in the network's own type, n >= 1.

    sha256: of the file's bytes.
    """

    path: Path
    sha256: str
    values: Array

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Array]:
        """Each sample in the shape of the network's input."""
        return iter(self.values)

    def first(self, count: int) -> "Samples":
        """At most `count` of them, the first ones."""
        return Samples(self.path, self.sha256, self.values[:count])


def load_samples(path: Path, network: Network) -> Samples:
    """The inputs in an .npz file: its only array, or the one named like the network's input.

    The array is [n, *input shape]; where the input's first size is 1, it may be left out. Raises
    SamplesRefused for anything else, and for values that the network's type cannot hold.
    """
    content = _read(path)
    given = _array(path, content, network.input_name)
    values = _shaped(path, _typed(path, given, network), network.input_shape)
    return Samples(path, hashlib.sha256(content).hexdigest(), values)


def _read(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            return file.read()
    except OSError as exc:
        raise SamplesRefused(path, f"it cannot be read ({exc.strerror})") from exc


def _array(path: Path, content: bytes, name: str) -> Array:
    """Never unpickles: object arrays could run code."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise SamplesRefused(path, "it is not an .npz file: write it with numpy.savez")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            chosen = _choose(path, list(arrays.files), name)
            return np.asarray(arrays[chosen])
    except SamplesRefused:
        raise
    except ValueError as exc:
        if "allow_pickle" in str(exc):
            raise SamplesRefused(path, "it holds Python objects, expected numbers") from exc
        raise SamplesRefused(path, f"it is damaged ({_line(exc)})") from exc
    except Exception as exc:  # zipfile, zlib and numpy's parser share no other root
        raise SamplesRefused(path, f"it is damaged ({_line(exc)})") from exc


def _choose(path: Path, names: list[str], wanted: str) -> str:
    if wanted in names:
        return wanted
    if len(names) == 1:
        return names[0]
    found = ", ".join(names[:5]) or "none"
    raise SamplesRefused(path, f"it has the arrays {found}, expected one named {wanted!r}")


def _typed(path: Path, given: Array, network: Network) -> Array:
    """As the network's type, every value unharmed."""
    if given.dtype.kind not in "iuf":
        raise SamplesRefused(path, f"its array is {given.dtype}, expected {network.input_type}")
    if given.size == 0:
        raise SamplesRefused(path, f"its array is empty (shape {list(given.shape)})")
    if network.input_type == "int64":
        return _integers(path, given)
    return _floats(path, given).astype(network.input_type)


def _integers(path: Path, given: Array) -> Array:
    if given.dtype.kind == "f":
        raise SamplesRefused(path, f"its array is {given.dtype}, the network takes int64")
    if given.dtype.kind == "u" and int(given.max()) > np.iinfo(np.int64).max:
        raise SamplesRefused(path, f"it holds {int(given.max())}, expected at most 64 bits, signed")
    return given.astype(np.int64)


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


def _shaped(path: Path, values: Array, shape: tuple[int, ...]) -> Array:
    each = values.shape[1:]
    if values.ndim and each == shape:
        return values
    if values.ndim and shape[:1] == (1,) and each == shape[1:]:
        return values.reshape(-1, *shape)
    expected = ", ".join(["n", *map(str, shape)])
    raise SamplesRefused(path, f"its array has shape {list(values.shape)}, expected [{expected}]")


def _line(exc: Exception) -> str:
    return " ".join(str(exc).split()) or type(exc).__name__


__all__ = ["Samples", "load_samples"]
