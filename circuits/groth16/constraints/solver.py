"""What a prover needs of a circuit beside its key: how x becomes a witness, and words numbers.

It has no constraints: what it computes wrongly, no key proves. So its file needs no trust, and is
read without the libraries that read networks.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from zkagent.circuits.errors import ArtifactCorrupted, InputRefused
from zkagent.circuits.groth16.constraints.packing import Form
from zkagent.circuits.groth16.constraints.public_words import (
    NO_KEY,
    output_words,
    point,
    public_words,
)
from zkagent.circuits.groth16.constraints.witness import RECIPES, Recipe, Rows, Witness, compute
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json

Arrays = Mapping[str, npt.NDArray[Any]]
FORMAT = "zkagent-solver-2"
MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class Solver:
    """Wire 0 is one; then come the public words, of the features and of the outputs.

    inputs: how many x has, of input_bits bits each. features, outputs: how they are packed.
    """

    inputs: int
    input_bits: int
    output_count: int
    features: Form
    outputs: Form
    wires: int
    recipes: tuple[Recipe, ...]

    @property
    def public(self) -> int:
        """The number of public words."""
        return self.features.words(self.inputs) + output_words(self.outputs, self.output_count)

    def witness(self, x: Sequence[int], key: bytes = NO_KEY) -> Witness:
        """All wires' values, for a key whose code has this Keccak-256. Raises InputRefused."""
        half = 1 << (self.input_bits - 1)
        if len(x) != self.inputs:
            raise InputRefused(f"x has {len(x)} numbers, expected {self.inputs}")
        for place, number in enumerate(x):
            if not -half <= number < half:
                raise InputRefused(
                    f"x[{place}] is {number}, expected {self.input_bits} bits with the sign"
                )

        def fold_at(words: Sequence[int]) -> int:
            return point(key, x, self.outputs.unpack(words, self.output_count))

        return compute(self.recipes, self.wires, np.array(x, dtype=np.int64), fold_at)

    def words(self, x: Sequence[int], y: Sequence[int], key: bytes = NO_KEY) -> list[int]:
        """The public words of these features and outputs. Raises ValueError."""
        return public_words(self.features, self.outputs, key, x, y)

    def outputs_of(self, witness: Witness) -> list[int]:
        """y, from a witness's words."""
        return self.outputs.unpack(witness.outputs, self.output_count)

    def to_bytes(self) -> bytes:
        """An .npz file."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        recipes = [
            {
                "recipe": type(recipe).__name__,
                **{
                    each.name: _stored(getattr(recipe, each.name), f"{number}.{each.name}", arrays)
                    for each in fields(recipe)
                },
            }
            for number, recipe in enumerate(self.recipes)
        ]
        sizes = (self.inputs, self.input_bits, self.output_count, self.wires)
        forms = (self.features.bits, self.outputs.bits)
        header = {"format": FORMAT, "sizes": sizes, "forms": forms, "recipes": recipes}
        content = io.BytesIO()
        text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        np.savez(content, header=text, **arrays)  # type: ignore[arg-type]
        return content.getvalue()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises ArtifactCorrupted for what `to_bytes` did not make."""
        try:
            content = io.BytesIO(read_limited(path, MOST_BYTES))
            with np.load(content, allow_pickle=False) as arrays:
                if len({*arrays.files}) != len(arrays.files):
                    raise ValueError("one array twice")
                header = load_json(arrays["header"].tobytes())
                if header["format"] != FORMAT:
                    raise ValueError("another format")
                inputs, bits, outputs, wires = header["sizes"]
                features, results = (Form(size) for size in header["forms"])
                recipes = tuple(_recipe(fields, arrays) for fields in header["recipes"])
                return cls(inputs, bits, outputs, features, results, wires, recipes)
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as exc:
            raise ArtifactCorrupted(path, f"it cannot be read: {type(exc).__name__}") from exc


def _stored(value: Any, name: str, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """A field of a recipe in JSON; its arrays go into `arrays`."""
    match value:
        case range():
            return {"range": [value.start, value.stop]}
        case Rows():
            parts = {each.name: getattr(value, each.name) for each in fields(value)}
            arrays.update({f"{name}.{part}": array for part, array in parts.items()})
            return {"rows": name}
        case np.ndarray():
            arrays[name] = value.astype(np.int64)
            return {"array": name}
        case tuple():
            return {"sums": [list(total.items()) for total in value]}
    return value


def _recipe(stored: dict[str, Any], arrays: Arrays) -> Recipe:
    kind: Callable[..., Recipe] = RECIPES[stored.pop("recipe")]
    return kind(**{name: _field(value, arrays) for name, value in stored.items()})


def _field(stored: Any, arrays: Arrays) -> Any:
    match stored:
        case {"range": [start, stop]}:
            return range(start, stop)
        case {"rows": name}:
            return Rows(**{each.name: arrays[f"{name}.{each.name}"] for each in fields(Rows)})
        case {"array": name}:
            return arrays[name]
        case {"sums": totals}:
            return tuple(dict(total) for total in totals)
    return stored


__all__ = ["Solver"]
