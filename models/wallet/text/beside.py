"""Reads asides/: words that stand in an order, and whether it is one still.

    PLACE | EFFECT | WORDS

PLACE is where they stand: front, back, inside (between any two words of the order), amount (right
before the amount), after (right behind the amount and its asset). EFFECT is `stops` where nothing
may move then, whatever the order ("In my dream:", ", no, leave it,", "x3"), and `keeps` where
nothing changes ("Morning!", "no test this time:"). asides/README.md has what their writers were
told. Words that keep have no number, no asset and no payee.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from zkagent.models.wallet.text import handwritten

FOLDER = Path(__file__).parent / "asides"
PLACES = ("front", "back", "inside", "amount", "after")
EFFECTS = {"stops": True, "keeps": False}

_MARK = re.compile(r"<\w>|\{\w+\}")
_FILLERS = {"before": "front", "after": "back"}


@dataclass(frozen=True, slots=True)
class Aside:
    """place: one of PLACES."""

    place: str
    stops: bool
    text: str


@cache
def asides() -> tuple[Aside, ...]:
    """All writers', and those of the older corpus. Raises ValueError where a line breaks the
    format."""
    read = (each for path in sorted(FOLDER.glob("*.txt")) for each in _read(path))
    return (*read, *_older())


def _read(path: Path) -> Iterator[Aside]:
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        place, effect, text = line.split(" | ") if line.count(" | ") == 2 else ("", "", "")
        if place not in PLACES or effect not in EFFECTS or not text.strip():
            raise ValueError(f"{path.name}, line {number}: {line!r} is not PLACE | EFFECT | WORDS")
        yield Aside(place, EFFECTS[effect], text)


def _older() -> Iterator[Aside]:
    for where, place in _FILLERS.items():
        for line in handwritten.fillers(where):
            text = line.replace("~", "")
            if not _MARK.search(text):
                yield Aside(place, False, text)


__all__ = ["Aside", "asides"]
