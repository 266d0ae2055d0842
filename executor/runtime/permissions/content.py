"""What values may say and how large they may be. Proposal: "contentFilter".

Categories are patterns that an owner disallows. They are looked for in each text of a value and
across neighbouring ones, without invisible characters and in one form of each character; whoever
means to hide words from patterns can still word them otherwise: this is a filter, no proof.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.json_values import Json, is_text
from zkagent.executor.runtime.core.permissions import Asked, Place
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.permissions.engine import Opinion, Rule, Stage
from zkagent.executor.runtime.permissions.places import PLACES, checked_places
from zkagent.executor.runtime.permissions.redaction.leaves import Document
from zkagent.executor.runtime.permissions.redaction.views import views

#: By default; a megabyte is five thousand pages of a planner's context. Then what an owner may set.
MOST_CHARACTERS, MOST_LEVELS, MOST_PARTS = 1 << 20, 32, 50_000
BOUNDS = {"characters": 1 << 26, "levels": 64, "parts": 1 << 21}

#: Ready to be disallowed by name: what tools write to whoever reads them, and what wipes disks.
ORDERS = (
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your)\b"
    r".{0,40}\b(?:instruction|prompt|rule|direction|guideline)s?\b",
    r"<\|?(?:im_start|system|/?instructions?)\|?>|\[/?(?:SYSTEM|INST)\]",
    r"\b(?:new|updated) system (?:prompt|message|instructions?)\b",
)
WIPING = (
    # Possessive, and of 64 options on each side at most: text of a megabyte is searched once.
    r"\brm\s++(?:-[^\Wrf]++\s++){0,64}+-[^\Wrf]*+[rf]\w*+\s++(?:-\w++\s++){0,64}+[/~*]",
    r"\b(?:mkfs(?:\.\w+)?|wipefs|shred)\s+\S*/dev/|\bdd\b.{0,80}\bof=/dev/",
    r"\b(?:drop|truncate)\s+(?:table|database|schema)\b",
)


class Content(Rule):
    """Values at these places in which a pattern of a category is found are refused.

    categories: name to regular expressions, or to plain phrases with `phrases`; case does not
    count. Raises AgentConfigRefused.
    """

    name = "content"

    def __init__(
        self,
        categories: Mapping[str, Sequence[str]],
        *,
        phrases: Mapping[str, Sequence[str]] | None = None,
        places: Collection[Place] = PLACES,
    ) -> None:
        for name, of in (*categories.items(), *(phrases or {}).items()):
            if isinstance(of, str) or not of or not all(of):
                raise AgentConfigRefused(f"category {name!r}: give a list of patterns, none empty")
        plain = {name: [re.escape(each) for each in of] for name, of in (phrases or {}).items()}
        names = dict.fromkeys((*categories, *plain))
        self._patterns = {
            name: _compiled(name, (*categories.get(name, ()), *plain.get(name, ())))
            for name in names
        }
        self._places = checked_places("places", places)

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        return self._judged("plan", step.to_json())

    async def value(self, asked: Asked, value: Json) -> Opinion | None:
        return self._judged(asked.place, value)

    def _judged(self, place: Place, value: Json) -> Opinion | None:
        if place not in self._places:
            return None
        texts = tuple(_texts(value))
        found = [
            name
            for name, pattern in self._patterns.items()
            if any(pattern.search(text) for text in texts)
        ]
        names = tuple(f"{self.name}.{name}" for name in found)
        return (
            Opinion("refuse", f"disallowed content: {', '.join(found)}", None, names)
            if found
            else None
        )


def _compiled(name: str, patterns: Sequence[str]) -> re.Pattern[str]:
    try:
        return re.compile("|".join(f"(?:{each})" for each in patterns), re.IGNORECASE | re.DOTALL)
    except re.error as exc:
        raise AgentConfigRefused(f"category {name!r}: no regular expression: {exc}") from exc


def _texts(value: Json) -> Iterator[str]:
    document = Document(value)
    for leaf in document.leaves:
        for view in views(leaf.text):
            yield view.text
    for joined in document.joins():
        yield next(iter(views(joined.text))).text


class Size(Rule):
    """What is too long, too deep, of too many parts or no JSON is refused before others look."""

    name = "size"
    stage: Stage = "guard"

    def __init__(
        self,
        *,
        characters: int = MOST_CHARACTERS,
        levels: int = MOST_LEVELS,
        parts: int = MOST_PARTS,
    ) -> None:
        """characters: of all texts and keys together. Raises AgentConfigRefused."""
        self._most = {"characters": characters, "levels": levels, "parts": parts}
        for name, most in self._most.items():
            if not 1 <= most <= BOUNDS[name]:
                raise AgentConfigRefused(f"{name} = {most}: take 1 to {BOUNDS[name]:,}")

    async def value(self, asked: Asked, value: Json) -> Opinion | None:
        why = self._too_much(value)
        return Opinion("refuse", f"the value at {asked.place} {why}") if why else None

    def _too_much(self, value: Any) -> str | None:
        most = self._most
        characters, levels, parts = 0, 0, 1
        level = [value]
        while level:
            levels += 1
            below: list[Any] = []
            for each in level:
                length, children = _length(each), _children(each)
                if length is None:
                    return "is no JSON"
                parts += len(children)
                characters += length
                if characters > most["characters"]:
                    return f"has more than {most['characters']:,} characters"
                if levels > most["levels"]:
                    return f"has more than {most['levels']:,} levels"
                if parts > most["parts"]:
                    return f"has more than {most['parts']:,} parts"
                below.extend(children)
            level = below
        return None


def _length(value: Any) -> int | None:
    """Of a text and of an object's keys; None for what is no JSON."""
    if isinstance(value, str):
        return len(value) if is_text(value) else None
    if isinstance(value, Mapping):
        keys = list(value)
        if not all(isinstance(key, str) and is_text(key) for key in keys):
            return None
        return sum(map(len, keys))
    if isinstance(value, float):
        return 0 if math.isfinite(value) else None
    if isinstance(value, int):  # truth values as well
        return value.bit_length() // 3
    return 0 if value is None or isinstance(value, list | tuple) else None


def _children(value: Any) -> Collection[Any]:
    if isinstance(value, str | int | float) or value is None:
        return ()
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


__all__ = ["BOUNDS", "ORDERS", "WIPING", "Content", "Size"]
