"""What a network is told of each parameter and each candidate for it: six small numbers a pair.

A parameter is a direction of 64 numbers of four bits, by the words of its name and description. It
meets rows of words, those inside a candidate and those around it, and rows of two kinds that stand
for no word: of what a candidate is (a date, a name) and of which short words stand around it (from,
to, at). `roles.bin` has those rows; `verifier_contracts/src/reader/Pairs.sol` makes the same
numbers.
Quotients of powers of two are rounded down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from zkagent.models.errors import ModelError
from zkagent.models.networks.filling import (
    BEFORE,
    BEHIND,
    DIRECTION,
    KINDS,
    LINK_COUNT,
    MOST,
    NUMBERS,
    PARAMETERS,
    ROLE_SHIFT,
    ROLES,
    SIZE,
    WEIGHT_BITS,
    WEIGHTS,
    WORD_SHIFT,
    sharing_place,
)
from zkagent.models.reader.candidates import MOST_CANDIDATES, Candidate
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.rows import Rows, Vector
from zkagent.models.reader.vectors import direction, summed
from zkagent.models.reader.words import word_spans, words_of

MOST_PARAMETERS = PARAMETERS
LEAST, MOST_NIBBLE = -8, 7
#: Words whose place beside a candidate has a row of its own; behind them any other, and none.
#: Looked at right before, before that, and right behind.
LINKS = tuple(
    b"from to at in on for with by of the a until around near is and called into about".split()
)
OTHER, NOTHING = LINK_COUNT - 2, LINK_COUNT - 1
ROLES_BYTES = WEIGHTS + ROLES * SIZE

Pair = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Roles:
    """content: of roles.bin: weights of words before a candidate, the nearest first, and behind it;
    rows of kinds; of links at each seat. All int8."""

    content: bytes

    def __post_init__(self) -> None:
        if len(self.content) != ROLES_BYTES:
            raise ModelError(f"the roles have {len(self.content)} bytes, not {ROLES_BYTES}")

    @cached_property
    def _numbers(self) -> Vector:
        return np.frombuffer(self.content, np.int8).astype(np.int64)

    @cached_property
    def weights(self) -> Vector:
        return self._numbers[:WEIGHTS]

    @cached_property
    def rows(self) -> Vector:
        return self._numbers[WEIGHTS:].reshape(ROLES, SIZE)


@dataclass(frozen=True, slots=True)
class Open:
    """A parameter that wants an argument: its type, direction [64], and its candidates."""

    param_type: ParamType
    direction: Vector
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """Of a candidate: places of words inside, before, behind, the nearest first; its roles."""

    inside: tuple[int, ...]
    before: tuple[int, ...]
    behind: tuple[int, ...]
    kind: int
    links: tuple[int, ...]


def of_parameter(rows: Rows, name: bytes, description: bytes) -> Vector:
    """[64], from -8 to 7."""
    words = words_of(name + b" " + description)
    return np.asarray(np.clip(direction(summed(rows, words), DIRECTION), LEAST, MOST_NIBBLE))


class Surroundings:
    """A prompt's words, as candidates stand among them."""

    def __init__(self, prompt: bytes) -> None:
        self._spans = word_spans(prompt)
        self.words = [prompt[start:end].lower() for start, end in self._spans]

    def of(self, candidate: Candidate) -> Around:
        start, end = candidate.start, candidate.end
        places = range(len(self.words))
        inside = tuple(
            i for i in places if self._spans[i].start >= start and self._spans[i].end <= end
        )
        before = [i for i in places if self._spans[i].end <= start][::-1]
        behind = [i for i in places if self._spans[i].start >= end]
        seats = (before[:1], before[1:2], behind[:1])
        links = tuple(
            KINDS + seat * LINK_COUNT + self._link(found) for seat, found in enumerate(seats)
        )
        return Around(
            inside, tuple(before[:BEFORE]), tuple(behind[:BEHIND]), int(candidate.kind), links
        )

    def _link(self, found: list[int]) -> int:
        if not found:
            return NOTHING
        word = self.words[found[0]]
        return LINKS.index(word) if word in LINKS else OTHER


def pair_numbers(rows: Rows, roles: Roles, prompt: bytes, parameters: Sequence[Open]) -> Pair:
    """[6, 8, 6] of int8; zeros where there is no such pair."""
    found = np.zeros((MOST_PARAMETERS, MOST_CANDIDATES, NUMBERS), dtype=np.int64)
    around = Surroundings(prompt)
    words = np.array([rows.of(word) for word in around.words]).reshape(-1, SIZE)
    for at, parameter in enumerate(parameters):
        likes = words @ parameter.direction
        for place, candidate in enumerate(parameter.candidates):
            seen = around.of(candidate)
            found[at, place] = _numbers(likes, roles, parameter.direction, seen, candidate)
    return found


def _numbers(
    likes: Vector, roles: Roles, wanted: Vector, seen: Around, candidate: Candidate
) -> list[int]:
    weights = roles.weights
    before = sum(int(likes[i]) * int(w) for i, w in zip(seen.before, weights, strict=False))
    behind = sum(
        int(likes[i]) * int(w) for i, w in zip(seen.behind, weights[BEFORE:], strict=False)
    )
    inside = sum(int(likes[i]) for i in seen.inside)
    return [
        _narrow(inside >> WORD_SHIFT),
        _narrow(before >> WORD_SHIFT + WEIGHT_BITS),
        _narrow(behind >> WORD_SHIFT + WEIGHT_BITS),
        _narrow(int(roles.rows[seen.kind] @ wanted) >> ROLE_SHIFT),
        _narrow(sum(int(roles.rows[role] @ wanted) for role in seen.links) >> ROLE_SHIFT),
        max(1, min(candidate.last - candidate.first, MOST)),
    ]


def _narrow(value: int) -> int:
    return max(-MOST, min(value, MOST))


def pair_features(numbers: Pair, types: Sequence[ParamType]) -> tuple[int, ...]:
    """Two numbers in each int16; then a bit for each two parameters of one type, which share their
    candidates."""
    values = numbers.ravel() & 0xFF
    packed = values[::2] << 8 | values[1::2]
    packed -= (packed >> 15) << 16
    return (*packed.tolist(), sharing(types))


def sharing(types: Sequence[ParamType]) -> int:
    """Bits of the parameters 0 and 1, 0 and 2, up to 4 and 5."""
    alike = [candidates_type(each) for each in types]
    pairs = combinations(range(len(types)), 2)
    return sum(1 << sharing_place(p, q) for p, q in pairs if alike[p] is alike[q])


def candidates_type(param_type: ParamType) -> ParamType:
    """Signed and unsigned numbers have the same candidates."""
    same = {ParamType.INT: ParamType.UINT, ParamType.INT_ARRAY: ParamType.UINT_ARRAY}
    return same.get(param_type, param_type)


__all__ = ["MOST_PARAMETERS", "NUMBERS", "Open", "Roles", "Surroundings", "candidates_type"]
__all__ += ["of_parameter", "pair_features", "pair_numbers", "sharing"]
