"""Makes a network as people export it ready for a circuit."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Prepared:
    """An ONNX file, and what was changed in it, a line each."""

    content: bytes
    changes: tuple[str, ...] = ()


def prepare(path: Path, content: bytes, dims: Mapping[str, int]) -> Prepared:
    """As it is."""
    return Prepared(content)
