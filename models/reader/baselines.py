"""What a reader is compared with: how often the first choice is right of TF-IDF, which learns
nothing and reads what the reader does of a tool: name, description, parameters and examples.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from zkagent.models.reader.labelled import Tool
from zkagent.models.reader.words import words_of


class Baseline(Protocol):
    """name: by which the report has it."""

    name: str

    def choose(self, prompt: str, places: Sequence[int]) -> int:
        """Which of the tools at these places it would choose: the first of equals."""
        ...


class TfIdf:
    """Cosines of counts, each times the logarithm of how few of the tools have the word."""

    name = "tfidf"

    def __init__(self, tools: Sequence[Tool]) -> None:
        counts = [Counter(_words_of_tool(tool)) for tool in tools]
        within = Counter(word for each in counts for word in each)
        self._weights = {word: np.log((1 + len(tools)) / (1 + n)) + 1 for word, n in within.items()}
        self._tools = [self._vector(each) for each in counts]

    def choose(self, prompt: str, places: Sequence[int]) -> int:
        asked = self._vector(Counter(words_of(prompt.encode())))
        scores = [
            sum(weight * self._tools[place].get(word, 0.0) for word, weight in asked.items())
            for place in places
        ]
        return int(np.argmax(scores))

    def _vector(self, counts: "Counter[bytes]") -> dict[bytes, float]:
        """In length 1, of words that some tool has."""
        found = {w: n * self._weights[w] for w, n in counts.items() if w in self._weights}
        length = np.sqrt(sum(value * value for value in found.values())) or 1.0
        return {word: value / length for word, value in found.items()}


def _words(text: str) -> list[bytes]:
    return list(words_of(text.encode()))


def _words_of_tool(tool: Tool) -> list[bytes]:
    said = [tool.name, tool.description, *tool.examples]
    said += [text for each in tool.parameters for text in (each.name, each.description)]
    return [word for text in said for word in _words(text)]


__all__ = ["Baseline", "TfIdf"]
