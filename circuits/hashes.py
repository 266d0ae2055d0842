"""What a proof shows of numbers that it hides: their Poseidon hashes, as ezkl computes them.

A hash is an element of BN254's scalar field, written as the 32 bytes of a number, 0x before them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import ProofMalformed

INPUTS, OUTPUTS, WEIGHTS = "input_hashes", "output_hashes", "weights_hash"
MOST_HASHES = 1 << 10  # of the inputs or the outputs
HASH = re.compile("0x[0-9a-f]{64}")


@dataclass(frozen=True)
class Hashes:
    """inputs, outputs: one of each tensor, in the network's order; none where they are shown, or
    private. weights: one of all, or None. private: whether inputs have neither numbers nor hashes.
    """

    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    weights: int | None = None
    private: bool = False

    def __bool__(self) -> bool:
        """Whether anything is hidden."""
        return bool(self.inputs or self.outputs or self.private) or self.weights is not None

    @property
    def before(self) -> tuple[int, ...]:
        """Those that stand before all shown numbers in a proof's public values."""
        return self.inputs if self.weights is None else (*self.inputs, self.weights)

    def to_json(self) -> dict[str, Any]:
        """The fields of a proof file; none for what is not hashed."""
        return dict(self._fields())

    def _fields(self) -> Iterator[tuple[str, Any]]:
        for name, hashes in ((INPUTS, self.inputs), (OUTPUTS, self.outputs)):
            if hashes:
                yield name, [written(each) for each in hashes]
        if self.weights is not None:
            yield WEIGHTS, written(self.weights)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Of a proof file's fields, others left aside. Raises ProofMalformed."""
        weights = read(WEIGHTS, fields[WEIGHTS]) if WEIGHTS in fields else None
        private = "inputs" not in fields and INPUTS not in fields
        return cls(_several(INPUTS, fields), _several(OUTPUTS, fields), weights, private)


def written(value: int) -> str:
    return f"0x{value:064x}"


def read(name: str, text: object) -> int:
    """What `written` made. Raises ProofMalformed, also for numbers that are no element."""
    if isinstance(text, str) and HASH.fullmatch(text) and (value := int(text, 16)) < R:
        return value
    raise ProofMalformed(f"{name} is no hash: 0x and 64 hex digits of an element of the field")


def _several(name: str, fields: Mapping[str, Any]) -> tuple[int, ...]:
    if name not in fields:
        return ()
    given = fields[name]
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_HASHES:
        raise ProofMalformed(f"{name} is no list of 1 to {MOST_HASHES} hashes")
    return tuple(read(name, each) for each in given)


NO_HASHES = Hashes()

__all__ = ["INPUTS", "NO_HASHES", "OUTPUTS", "WEIGHTS", "Hashes", "read", "written"]
