"""Codes to the features x that a network reads, and its numbers y to what it says, which
`instructions/Verdicts.sol` mirrors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from zkagent.models.errors import OutputOutOfRange
from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.codes import CODE_BITS
from zkagent.models.instructions.reader import MAX_TOKENS

#: Tokens that a network reads, and int16 of each.
TOKENS, FEATURES = MAX_TOKENS, 3
FEATURE_BITS = CODE_BITS // FEATURES
TAG_BITS, TAGS_PER_NUMBER = 3, 15
#: Of a number that is full of tags; above them stands the verdict.
TAGS_BITS = TAG_BITS * TAGS_PER_NUMBER
OUTPUTS = 3
_LIMIT = 1 << 63
_FEATURE_BYTES = FEATURE_BITS // 8


class Verdict(IntEnum):
    """What is to be done about a prompt. The numbers are the places of the network's scores, of
    which acting is the last."""

    DECLINE = 0
    ASK = 1
    HELP = 2
    VIEW = 3
    ACT = 4


@dataclass(frozen=True, slots=True)
class Said:
    """margin: by how much acting scores more than the best other verdict, which is `other`. tags:
    one for each token."""

    margin: int
    other: Verdict
    tags: tuple[Tag, ...]


def features_of(codes: Sequence[int]) -> tuple[int, ...]:
    """The 90 features of 1 to 30 codes: each one's bits from the highest on, zeros behind the
    last."""
    content = b"".join(code.to_bytes(CODE_BITS // 8, "big") for code in codes)
    content += bytes(CODE_BITS // 8 * (TOKENS - len(codes)))
    parts = range(0, len(content), _FEATURE_BYTES)
    return tuple(
        int.from_bytes(content[at : at + _FEATURE_BYTES], "big", signed=True) for at in parts
    )


def said(y: Sequence[int], tokens: int) -> Said:
    """What three numbers say of so many tokens. Raises OutputOutOfRange for others than a network
    gives."""
    if len(y) != OUTPUTS or not -_LIMIT <= y[0] < _LIMIT:
        raise OutputOutOfRange(f"expected {OUTPUTS} outputs of 64 bits, got {len(y)} values")
    margin, first, second = y
    other, first = divmod(first, 1 << TAGS_BITS)
    if not 0 <= other < Verdict.ACT or not 0 <= second < 1 << TAGS_BITS:
        raise OutputOutOfRange(f"y[1] is {y[1]} and y[2] is {second}, which are no tags")
    packed = first << TAGS_BITS | second
    places = range(TAG_BITS * (TOKENS - 1), -1, -TAG_BITS)
    numbers = [packed >> place & ((1 << TAG_BITS) - 1) for place in places]
    if max(numbers) > max(Tag):
        raise OutputOutOfRange(f"{max(numbers)} is the number of no tag")
    return Said(margin, Verdict(other), tuple(map(Tag, numbers[:tokens])))


__all__ = [
    "FEATURES",
    "FEATURE_BITS",
    "OUTPUTS",
    "TAGS_BITS",
    "TAGS_PER_NUMBER",
    "TAG_BITS",
    "TOKENS",
    "Said",
]
__all__ += ["Verdict", "features_of", "said"]
