"""The files that samples come in, as arrays: .npz, .npy, .csv with a header, and JSON, ezkl's form
of it included.

None of them runs code: arrays of Python objects are refused. Which array is which input's is told
by its name, or by there being one only.
"""

import csv
import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.errors import SamplesRefused
from zkagent.circuits.networks.inputs import EZKL
from zkagent.models.files import open_regular
from zkagent.models.strict_json import load_json

Array = npt.NDArray[Any]
#: Of the arrays or columns that are no input: the right answers.
LABELS = ("labels", "label", "y", "target", "class")
MOST_BYTES = 1 << 31
#: What a network takes: name and shape of each input.
Faces = Sequence[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class Found:
    """arrays: of each input, in their order. labels: None where the file has none. sha256: of the
    file's bytes."""

    arrays: list[Array]
    labels: Array | None
    sha256: str


def read_arrays(path: Path, faces: Faces) -> Found:
    """Read the file by what its name ends with, or else by what it begins with.

    Raises SamplesRefused, which says what was found and what was expected.
    """
    content = _read(path)
    named = _form(path, content)(path, content, faces)
    chosen = [_choose(path, named, name, alone=len(faces) == 1) for name, _ in faces]
    inputs = {name for name, _ in faces}
    rest = [named[name] for name in LABELS if name in named and name not in inputs]
    taken = {id(each) for each in chosen}
    labels = next((np.asarray(each) for each in rest if id(each) not in taken), None)
    return Found(chosen, labels, hashlib.sha256(content).hexdigest())


def _form(path: Path, content: bytes) -> "Callable[[Path, bytes, Faces], dict[str, Array]]":
    forms = {".npz": _npz, ".npy": _npy, ".csv": _csv, ".json": _json}
    if found := forms.get(path.suffix.lower()):
        return found
    if zipfile.is_zipfile(io.BytesIO(content)):
        return _npz
    if content.startswith(b"\x93NUMPY"):
        return _npy
    raise SamplesRefused(
        path, "its name ends with none of .npz, .npy, .csv and .json, which samples come in"
    )


def _read(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as exc:
        raise SamplesRefused(path, f"it cannot be read ({exc.strerror})") from exc
    if len(content) > MOST_BYTES:
        raise SamplesRefused(path, f"it is longer than {MOST_BYTES:,} bytes: give fewer samples")
    return content


def _npz(path: Path, content: bytes, faces: Faces) -> dict[str, Array]:
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise SamplesRefused(path, "it is not an .npz file: write it with numpy.savez")

    def load() -> dict[str, Array]:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            inputs = {name for name, _ in faces}
            names = arrays.files
            wanted = [name for name in names if name in inputs or name in LABELS]
            return {name: np.asarray(arrays[name]) for name in wanted or names}

    return _loaded(path, load)


def _npy(path: Path, content: bytes, faces: Faces) -> dict[str, Array]:
    def load() -> dict[str, Array]:
        return {faces[0][0]: np.asarray(np.load(io.BytesIO(content), allow_pickle=False))}

    return _loaded(path, load)


def _loaded(path: Path, load: "Callable[[], dict[str, Array]]") -> dict[str, Array]:
    """Never unpickles: object arrays could run code."""
    try:
        return load()
    except ValueError as exc:
        if "allow_pickle" in str(exc):
            raise SamplesRefused(path, "it holds Python objects, expected numbers") from exc
        raise SamplesRefused(path, f"it is damaged ({_line(exc)})") from exc
    except Exception as exc:  # zipfile, zlib and numpy's parser share no other root
        raise SamplesRefused(path, f"it is damaged ({_line(exc)})") from exc


def _csv(path: Path, content: bytes, faces: Faces) -> dict[str, Array]:
    """A column for each number, in the order of the inputs; labels may stand anywhere."""
    try:
        header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig")))
    except (UnicodeDecodeError, ValueError, csv.Error) as exc:
        raise SamplesRefused(path, f"it is no table with a header ({_line(exc)})") from exc
    rows = [row for row in rows if row]
    names = [name.strip() for name in header]
    if names and all(_is_number(name) for name in names):
        raise SamplesRefused(
            path, "its first line has numbers, expected a header: name the columns"
        )
    sizes = [(name, int(np.prod(shape, dtype=np.int64))) for name, shape in faces]
    numbers = sum(size for _, size in sizes)
    labels = [name for name in names if name.lower() in LABELS]
    columns = [at for at, name in enumerate(names) if not labels or name != labels[-1]]
    if len(columns) != numbers and len(names) == numbers:
        columns, labels = list(range(numbers)), []
    if len(columns) != numbers:
        raise SamplesRefused(
            path, f"it has {len(columns)} columns of inputs, the network takes {numbers} numbers"
        )
    table = np.array([_row(path, names, line, row) for line, row in enumerate(rows, start=2)])
    table = table.reshape(len(rows), len(names))
    found, at = dict[str, Array](), 0
    for name, size in sizes:
        found[name] = _whole(table[:, columns[at : at + size]])
        at += size
    if labels:
        found[LABELS[0]] = _whole(table[:, names.index(labels[-1])])
    return found


def _row(path: Path, names: Sequence[str], line: int, row: Sequence[str]) -> list[float]:
    if len(row) != len(names):
        raise SamplesRefused(path, f"line {line} has {len(row)} values, its header {len(names)}")
    for name, text in zip(names, row, strict=True):
        if not _is_number(text):
            raise SamplesRefused(
                path, f"line {line} has {text[:40]!r} under {name[:40]!r}, expected a number"
            )
    return [float(text) for text in row]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _whole(values: Array) -> Array:
    """As integers where all are, exactly."""
    if not (np.isfinite(values).all() and (np.abs(values) <= 2.0**53).all()):
        return values
    return values.astype(np.int64) if (values == np.rint(values)).all() else values


def _json(path: Path, content: bytes, faces: Faces) -> dict[str, Array]:
    """`[sample, ...]`, `{"input": [sample, ...], ...}`, or ezkl's `{"input_data": [[number, ...],
    ...]}`, a flat list for each input."""
    try:
        given = load_json(content)
    except ValueError as exc:
        raise SamplesRefused(path, f"it is not JSON ({_line(exc)})") from exc
    if isinstance(given, dict) and EZKL in given:
        return _ezkl(path, given[EZKL], faces)
    if isinstance(given, Mapping):
        return {str(name): _array(path, values) for name, values in given.items()}
    if not isinstance(given, list):
        raise SamplesRefused(path, f"it holds {type(given).__name__}, expected a list of samples")
    return {faces[0][0]: _array(path, given)}


def _ezkl(path: Path, given: object, faces: Faces) -> dict[str, Array]:
    if not isinstance(given, list) or len(given) != len(faces):
        many = len(given) if isinstance(given, list) else type(given).__name__
        why = f"its {EZKL} has {many} lists, the network {len(faces)} inputs: give a list for each"
        raise SamplesRefused(path, why)
    found = {}
    for (name, shape), values in zip(faces, given, strict=True):
        array, size = _array(path, values), int(np.prod(shape, dtype=np.int64))
        if array.size == 0 or array.size % size:
            raise SamplesRefused(
                path, f"its {EZKL} has {array.size} numbers for {name!r}, which takes {size}"
            )
        found[name] = array.reshape(-1, *shape)
    return found


def _array(path: Path, values: object) -> Array:
    try:
        array = np.array(values)
        return _whole(array) if array.dtype.kind == "f" else array
    except (ValueError, OverflowError) as exc:
        raise SamplesRefused(path, f"its lists are not of one length ({_line(exc)})") from exc


def _choose(path: Path, named: Mapping[str, Array], wanted: str, *, alone: bool) -> Array:
    if wanted in named:
        return named[wanted]
    if alone and len(named) == 1:
        return next(iter(named.values()))
    found = ", ".join(list(named)[:5]) or "none"
    raise SamplesRefused(path, f"it has the arrays {found}, expected one named {wanted!r}")


def _line(exc: Exception) -> str:
    return " ".join(str(exc).split()) or type(exc).__name__


__all__ = ["Found", "read_arrays"]
