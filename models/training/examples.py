"""Texts to learn from as numbers: what a network is shown of each word, and what is right."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from zkagent.models.instructions.calls import Tag, slot_of
from zkagent.models.instructions.codes import parts_of, word_of
from zkagent.models.instructions.packing import TOKENS, Verdict
from zkagent.models.instructions.reader import BY_TEXT, Kind, Token
from zkagent.models.training.gated import Vocabulary

Array = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
MOST_KEYS = 4150  # with the grammar's, what two contracts of `codetable` hold
#: How often an aside's words count beside those of texts: about as often as an epoch shows it.
ASIDES_COUNT = 3


@dataclass(frozen=True)
class Example:
    """A text as it is read, and what is right. tags: one for each token."""

    text: bytes
    tokens: tuple[Token, ...]
    verdict: Verdict
    tags: tuple[Tag, ...]


class Place(StrEnum):
    """Where in an instruction an aside stands."""

    FRONT = "front"
    BACK = "back"
    INSIDE = "inside"  # between two of its words
    AMOUNT = "amount"  # right before the amount
    AFTER = "after"  # right behind the amount and its asset


@dataclass(frozen=True)
class Aside:
    """Words beside an instruction. stops: it is none with them; otherwise they change nothing, and
    no token fills a slot."""

    text: bytes
    tokens: tuple[Token, ...]
    place: Place
    stops: bool = False


@dataclass(frozen=True)
class Words:
    """What has vectors of its own, by number, from 1 on. keys: how many at most, of which words
    take what is left. starts, ends: shared by so many different words at least."""

    words: Mapping[bytes, int]
    starts: Mapping[bytes, int]
    ends: Mapping[bytes, int]
    kinds: Mapping[Kind, int]  # among the numbers of words

    @classmethod
    def of(
        cls,
        examples: Sequence[Example],
        asides: Sequence[Aside] = (),
        *,
        keys: int = MOST_KEYS,
        starts: int = 6,
        ends: int = 12,
    ) -> "Words":
        counted = Counter(word for each in examples for word in _read_by_text(each))
        for word in (word for each in asides for word in _read_by_text(each)):
            counted[word] += ASIDES_COUNT
        parts = [parts_of(word) for word in counted]
        first = _shared((first for first, _ in parts), starts)
        last = _shared((last for _, last in parts), ends)
        left = max(0, keys - len(first) - len(last))
        often = sorted(counted, key=lambda word: (-counted[word], word))[:left]
        kinds = [kind for kind in Kind if kind not in BY_TEXT]
        return cls(
            _numbered(often),
            first,
            last,
            {kind: number for number, kind in enumerate(kinds, 1 + len(often))},
        )

    @property
    def sizes(self) -> Vocabulary:
        words = 1 + len(self.words) + len(self.kinds)
        return Vocabulary(words, 1 + len(self.starts), 1 + len(self.ends))


def _read_by_text(each: Example | Aside) -> Iterator[bytes]:
    return (word_of(each.text, token) for token in each.tokens if token.kind in BY_TEXT)


def _numbered(keys: Sequence[bytes]) -> dict[bytes, int]:
    return {key: number for number, key in enumerate(keys, 1)}


def _shared(parts: Iterator[bytes], least: int) -> dict[bytes, int]:
    counted = Counter(parts)
    return _numbered(sorted(part for part, count in counted.items() if part and count >= least))


@dataclass(frozen=True)
class TextArrays:
    """Of N texts at L places; beyond a text's end all is 0."""

    words: Array
    starts: Array
    ends: Array
    present: Flags
    tags: Array
    fills: Flags
    verdict: Array

    @classmethod
    def of(cls, examples: Sequence[Example], words: Words) -> "TextArrays":
        shape = len(examples), TOKENS
        numbers, starts, ends, tags = (np.zeros(shape, np.int64) for _ in range(4))
        present, fills = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        for row, each in enumerate(examples):
            count = len(each.tokens)
            read = [_numbers(words, token, word_of(each.text, token)) for token in each.tokens]
            numbers[row, :count], starts[row, :count], ends[row, :count] = zip(*read, strict=True)
            present[row, :count], tags[row, :count] = True, each.tags
            fills[row, :count] = [slot_of(token) is not None for token in each.tokens]
        verdict = np.array([each.verdict for each in examples], np.int64)
        return cls(numbers, starts, ends, present, tags, fills, verdict)

    @property
    def lengths(self) -> Array:
        return np.asarray(self.present.sum(1), np.int64)

    def picked(self, rows: Array) -> "TextArrays":
        return TextArrays(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def cut(self) -> "TextArrays":
        """As long as the longest of them."""
        length = int(self.lengths.max())
        named = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return TextArrays(**{n: a[:, :length] if a.ndim > 1 else a for n, a in named.items()})


def _numbers(words: Words, token: Token, word: bytes) -> tuple[int, int, int]:
    if token.kind not in BY_TEXT:
        return words.kinds[token.kind], 0, 0
    start, end = parts_of(word)
    return words.words.get(word, 0), words.starts.get(start, 0), words.ends.get(end, 0)


#: Fields of `TextArrays` with something for each token.
TEXTS = ("words", "starts", "ends", "present", "tags", "fills")

__all__ = ["MOST_KEYS", "TEXTS", "Aside", "Example", "Place", "TextArrays", "Words"]
