"""Texts as training puts them together from what is written: instructions joined, with asides
beside and within them.

A network learns each writer's words by heart, together with the order beside them: so that it sees
what the words do by themselves, they are shown with many orders.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zkagent.models.instructions.calls import MOST_CALLS, Slot, Tag, slot_of
from zkagent.models.instructions.packing import TOKENS, Verdict
from zkagent.models.instructions.reader import Kind
from zkagent.models.training.examples import (
    TEXTS,
    Array,
    Aside,
    Example,
    Flags,
    Place,
    TextArrays,
    Words,
)

#: What may stand between two instructions.
JOINTS = tuple(
    tuple(joint.encode().split())
    for joint in (
        "and", "and then", ", then", ".", ";", ",", "then", ". then", ". also", "and also",
        "after that", ". next",
    )
)  # fmt: skip
NUMBERS = (Kind.DIGITS, Kind.CARDINAL)
NOWHERE = -1


@dataclass(frozen=True)
class Composing:
    """joined: how often two instructions are joined into one text, with some words of `joints`
    between them, of so many tokens each at most. stopped: how often an instruction with an aside
    that stops it takes a text's place. besides: how often a text gets an aside that does not."""

    joined: float = 0.15
    stopped: float = 0.06
    besides: float = 0.16
    joints: tuple[tuple[bytes, ...], ...] = JOINTS
    longest_joined: int = 14


class Composer:
    """Draws texts. All of them have TOKENS places."""

    def __init__(
        self,
        examples: Sequence[Example],
        asides: Sequence[Aside],
        words: Words,
        how: Composing,
        rng: np.random.Generator,
    ) -> None:
        self.how, self.rng = how, rng
        self.data = TextArrays.of(examples, words)
        self.lengths = self.data.lengths
        self.calls = (self.data.tags > Tag.ARGUMENT).sum(1)
        known = [[words.words.get(word, 0) for word in joint] for joint in how.joints]
        self.joints = [np.array(joint) for joint in known if all(joint)]
        acting = self.data.verdict == Verdict.ACT
        short = (self.lengths <= how.longest_joined) & (self.calls <= MOST_CALLS // 2)
        self.joinable = np.flatnonzero(acting & short)
        self.single: Flags = acting & (self.calls == 1)
        self.orders = np.flatnonzero(self.single)
        self.amounts = np.array([_amount(each) for each in examples], np.int64)
        self.stopping = _Asides.of([each for each in asides if each.stops], words)
        self.keeping = _Asides.of([each for each in asides if not each.stops], words)

    def drawn(self, rows: Array) -> TextArrays:
        """The texts of these numbers, some of them with asides, and others in place of some."""
        picked, sources = self.data.picked(rows), rows.copy()
        for row in self.chosen(len(rows), self.how.joined):
            if self.join(picked, row):
                sources[row] = NOWHERE
        if self.stopping.places and len(self.orders):
            for row in self.chosen(len(rows), self.how.stopped):
                self.stop(picked, row)
                sources[row] = NOWHERE
        if self.keeping.places:
            for row in self.chosen(len(rows), self.how.besides):
                self.add(picked, row, int(sources[row]))
        return picked

    def chosen(self, among: int, share: float) -> list[int]:
        return [int(row) for row in np.flatnonzero(self.rng.random(among) < share)]

    def join(self, into: TextArrays, row: int) -> bool:
        """Two instructions with a joint between them, in the place of a text; nothing where they
        are too long together."""
        if not self.joints or not len(self.joinable):
            return False
        first, second = self.rng.choice(self.joinable, 2)
        joint = self.joints[self.rng.integers(len(self.joints))]
        begin, ahead = self.lengths[first] + len(joint), self.lengths[first]
        end = begin + self.lengths[second]
        if end > TOKENS or self.calls[first] + self.calls[second] > MOST_CALLS:
            return False
        for name in TEXTS:
            target, source = getattr(into, name)[row], getattr(self.data, name)
            target[:] = 0
            target[:ahead], target[begin:end] = source[first, :ahead], source[second, : end - begin]
        into.words[row, ahead:begin], into.present[row, ahead:begin] = joint, True
        into.verdict[row] = Verdict.ACT
        return True

    def stop(self, into: TextArrays, row: int) -> None:
        """An order that an aside stops, in the place of a text; the order alone, as it is, where
        they are too long together."""
        source = int(self.rng.choice(self.orders))
        for name in (*TEXTS, "verdict"):
            getattr(into, name)[row] = getattr(self.data, name)[source]
        if self.put(self.stopping, into, row, source):
            into.tags[row], into.verdict[row] = Tag.NONE, Verdict.DECLINE

    def add(self, into: TextArrays, row: int, source: int) -> None:
        """source: the number of the text that is there, NOWHERE for one put together."""
        self.put(self.keeping, into, row, source)

    def put(self, asides: "_Asides", into: TextArrays, row: int, source: int) -> bool:
        """One of them, where it belongs; nothing where the text has no such place, or is too long
        for it."""
        which = int(self.rng.integers(len(asides.places)))
        there, more = int(into.present[row].sum()), int(asides.lengths[which])
        at = self.place(asides.places[which], into, row, source)
        if at == NOWHERE or there + more > TOKENS:
            return False
        for name in TEXTS:
            target, aside = getattr(into, name)[row], getattr(asides.texts, name)[which]
            target[at + more : there + more] = target[at:there].copy()
            target[at : at + more] = aside[:more]
        return True

    def place(self, place: Place, into: TextArrays, row: int, source: int) -> int:
        """The token before which it is, NOWHERE where there is none."""
        length, fills = int(into.present[row].sum()), into.fills[row]
        if place is Place.FRONT:
            return 0
        if place is Place.BACK:
            return length
        if source == NOWHERE or not self.single[source]:
            return NOWHERE
        amount = int(self.amounts[source])
        if place is Place.INSIDE:
            between = np.flatnonzero(~(fills[: length - 1] & fills[1:length])) + 1
            return int(self.rng.choice(between)) if len(between) else NOWHERE
        if amount == NOWHERE or place is Place.AMOUNT:
            return amount
        return amount + (2 if amount + 1 < length and fills[amount + 1] else 1)


@dataclass(frozen=True)
class _Asides:
    texts: TextArrays
    lengths: Array
    places: tuple[Place, ...]

    @classmethod
    def of(cls, asides: Sequence[Aside], words: Words) -> "_Asides":
        read = [
            Example(each.text, each.tokens, Verdict.DECLINE, (Tag.NONE,) * len(each.tokens))
            for each in asides
        ]
        texts = TextArrays.of(read, words)
        return cls(texts, texts.lengths, tuple(each.place for each in asides))


def _amount(each: Example) -> int:
    """Where the only number is; NOWHERE where there is none, or are more."""
    tagged = zip(each.tokens, each.tags, strict=True)
    found = [
        at
        for at, (token, tag) in enumerate(tagged)
        if tag is not Tag.NONE and slot_of(token) is Slot.AMOUNT and token.kind in NUMBERS
    ]
    return found[0] if len(found) == 1 else NOWHERE


__all__ = ["JOINTS", "Composer", "Composing"]
