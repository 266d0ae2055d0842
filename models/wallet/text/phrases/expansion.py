"""A small phrase language, so that training text can be written down as plain strings.

[a|b|]     one of the alternatives, which may nest and may be empty
{name}     an expansion of one of the phrases that the grammar lists under `name`
~word      a word whose meaning must not matter: training replaces it often
<A>        the amount of the instruction; <S> or <X> its asset by symbol or address, <R> its
           recipient
<n> <s> <a>  a number, symbol or address that must not become an argument
"""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

Phrases = Sequence[str]


class Rule(NamedTuple):
    """Stands in a parsed template where {name} stood."""

    name: str


class Choice(NamedTuple):
    """Stands in a parsed template where [a|b] stood."""

    options: tuple["Template", ...]


Template = tuple["str | Rule | Choice", ...]


class Grammar:
    """Expands templates by rules: lists of phrases, or functions that make one."""

    def __init__(
        self,
        rng: random.Random,
        rules: Mapping[str, Phrases],
        functions: Mapping[str, Callable[[], str]],
    ) -> None:
        self.rng, self.rules, self.functions = rng, rules, functions

    def expand(self, template: str) -> str:
        """One random expansion. Raises KeyError for a name without a rule."""
        found: list[str] = []
        self._expand(parse_template(template), found)
        return "".join(found)

    def one_of(self, phrases: Phrases) -> str:
        """A random expansion of a random phrase of the list."""
        return self.expand(self.rng.choice(phrases))

    def _expand(self, template: Template, found: list[str]) -> None:
        for part in template:
            if isinstance(part, str):
                found.append(part)
            elif isinstance(part, Choice):
                self._expand(self.rng.choice(part.options), found)
            elif part.name in self.functions:
                found.append(self.functions[part.name]())
            else:
                self._expand(parse_template(self.rng.choice(self.rules[part.name])), found)


@cache
def parse_template(text: str) -> Template:
    """`text` as literals, rules and choices. Raises ValueError for an unclosed bracket."""
    template, rest = _sequence(text, 0, "")
    if rest != len(text):
        raise ValueError(f"stray {text[rest]!r} in {text!r}")
    return template


def _sequence(text: str, at: int, stop: str) -> tuple[Template, int]:
    parts: list[str | Rule | Choice] = []
    while at < len(text) and text[at] not in stop:
        if text[at] == "[":
            choice, at = _choice(text, at + 1)
            parts.append(choice)
        elif text[at] == "{":
            close = text.index("}", at)
            parts.append(Rule(text[at + 1 : close]))
            at = close + 1
        else:
            end = at
            while end < len(text) and text[end] not in "[{" + stop:
                end += 1
            parts.append(text[at:end])
            at = end
    return tuple(parts), at


def _choice(text: str, at: int) -> tuple[Choice, int]:
    options: list[Template] = []
    while True:
        option, at = _sequence(text, at, "|]")
        options.append(option)
        if at >= len(text):
            raise ValueError(f"unclosed [ in {text!r}")
        at += 1
        if text[at - 1] == "]":
            return Choice(tuple(options)), at
