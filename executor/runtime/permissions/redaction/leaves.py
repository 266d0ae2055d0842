"""A JSON value as the texts it is made of: keys, texts and numbers, in the order of writing.

They are looked at one by one and as neighbours, changed in place, and made into a value again.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from zkagent.executor.runtime.core.json_values import Json

Part = Literal["key", "text", "number"]
#: A table of numbers is no secret in pieces; so few may be.
MOST_NUMBERS_JOINED = 8
#: Of a whole number that may be a card or a telephone number.
MOST_DIGITS = 24


@dataclass(slots=True)
class Leaf:
    """name: the key that the text stands under, also by a list; "" where there is none."""

    part: Part
    text: str
    name: str
    original: Json
    changed: bool = False

    def become(self, text: str) -> None:
        if text != self.text:
            self.text, self.changed = text, True


@dataclass(frozen=True, slots=True)
class Joined:
    """Neighbours as one text. starts: where each of `leaves` begins in it."""

    text: str
    leaves: tuple[Leaf, ...]
    starts: tuple[int, ...]

    def pieces(self, start: int, end: int) -> Iterator[tuple[Leaf, int, int]]:
        """Which part of which text text[start:end] is."""
        for leaf, at in zip(self.leaves, self.starts, strict=True):
            first, last = max(start, at), min(end, at + len(leaf.text))
            if first < last:
                yield leaf, first - at, last - at


class Document:
    """The leaves of a value. Nesting is bounded by the caller."""

    def __init__(self, value: Json) -> None:
        self._value = value
        self.leaves = tuple(_leaves(value, ""))
        self._joins = tuple(_neighbours(self.leaves))
        self.joined = len(self._joins)

    def join(self, number: int) -> Joined:
        """As the texts are now."""
        return _joined(*self._joins[number])

    def joins(self) -> Iterator[Joined]:
        """Texts together, with a blank between and without; and with keys, without."""
        return map(self.join, range(self.joined))

    def value(self) -> Json:
        """With what became of the texts."""
        made: Json = _rebuilt(self._value, iter(self.leaves))
        return made


def _leaves(value: Any, name: str) -> Iterator[Leaf]:
    if isinstance(value, str):
        yield Leaf("text", value, name, value)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield Leaf("key", key, "", key)
            yield from _leaves(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, name)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Leaf("number", _digits(value), name, value)


def _digits(value: int | float) -> str:
    """A whole number's digits, also of a float; otherwise as JSON has it."""
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(whole, int):
        return str(whole) if whole.bit_length() < 3.4 * MOST_DIGITS else ""
    return repr(whole)


def _rebuilt(value: Any, leaves: Iterator[Leaf]) -> Any:
    if isinstance(value, Mapping):
        return _object((next(leaves).text, _rebuilt(inner, leaves)) for inner in value.values())
    if isinstance(value, list | tuple):
        return [_rebuilt(inner, leaves) for inner in value]
    if isinstance(value, bool) or value is None:
        return value
    leaf = next(leaves)
    return leaf.text if leaf.changed else leaf.original


def _object(items: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    """Two keys that became one stay two."""
    made: dict[str, Any] = {}
    for key, value in items:
        name, number = key, 1
        while name in made:
            number += 1
            name = f"{key}#{number}"
        made[name] = value
    return made


def _neighbours(leaves: Sequence[Leaf]) -> Iterator[tuple[Sequence[Leaf], str]]:
    """What is read as one, and what is put between."""
    few = sum(leaf.part == "number" for leaf in leaves) <= MOST_NUMBERS_JOINED
    everything = [leaf for leaf in leaves if few or leaf.part != "number"]
    values = [leaf for leaf in everything if leaf.part != "key"]
    if len(values) > 1:
        yield values, " "
        yield values, ""
    if len(everything) > len(values) > 0:
        yield everything, ""


def _joined(leaves: Sequence[Leaf], between: str) -> Joined:
    starts: list[int] = []
    at = 0
    for leaf in leaves:
        starts.append(at)
        at += len(leaf.text) + len(between)
    return Joined(between.join(leaf.text for leaf in leaves), tuple(leaves), tuple(starts))


#: A token of ours, such as <api-key:12>.
TOKEN = re.compile(r"<([a-z]+(?:-[a-z]+)*):([1-9][0-9]{0,5})>", re.ASCII)

__all__ = ["TOKEN", "Document", "Joined", "Leaf"]
