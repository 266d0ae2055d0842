"""Which words have rows in the table, and texts as numbers of rows."""

import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from zkagent.models.errors import DatasetError
from zkagent.models.files import open_regular
from zkagent.models.reader.labelled import Tool
from zkagent.models.reader.words import MOST_WORDS, words_of

UNKNOWN, NUMBER, FIRST = 1, 2, 3
BETWEEN = "\0"  # of texts, in a file of vectors
#: How often a word occurs in training before it has a row in any case.
OFTEN = 3
#: Words in front of the list that are about as frequent as each other.
FIRST_PLACES = 10
_WORD = re.compile(r"[a-z][a-z']*")


@dataclass(frozen=True)
class Given:
    """Vectors [n, k] of words, the most frequent one first, and [m, j] of texts, of length 1."""

    words: tuple[str, ...]
    vectors: npt.NDArray[np.float32]
    texts: tuple[str, ...]
    taught: npt.NDArray[np.float32]


def load_vectors(path: Path) -> Given:
    """Raises DatasetError."""
    try:
        with open_regular(path) as opened, np.load(opened, allow_pickle=False) as file:
            words = tuple(str(word) for word in file["words"])
            vectors = file["vectors"].astype(np.float32)
            texts = tuple(str(file["texts"][0]).split(BETWEEN))
            taught = file["taught"].astype(np.float32)
    except (OSError, ValueError, EOFError, LookupError, TypeError, zipfile.BadZipFile) as exc:
        raise DatasetError(
            f"{path} holds no word vectors ({exc}): make it as docs/reader.md says, by "
            "`python -m zkagent.models.reader.distil`"
        ) from exc
    for count, found in ((len(words), vectors), (len(texts), taught)):
        if found.ndim != 2 or count != len(found) or not np.isfinite(found).all():
            raise DatasetError(f"{path}: {count} texts, vectors {found.shape}: make it again")
    return Given(words, vectors, texts, taught)


class Lexis:
    """words: those with a row of their own, in order of the rows."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._rows: Mapping[bytes, int] = {
            word.encode(): row for row, word in enumerate(words, start=FIRST)
        }

    def row(self, word: bytes) -> int:
        """word: in lower case."""
        if word.isdigit():
            return NUMBER
        return self._rows.get(word, UNKNOWN)

    def rows(self, text: str) -> list[int]:
        return [self.row(word) for word in words_of(text.encode())]

    def parameters(self, tool: Tool) -> list[int]:
        """Of all, names and descriptions, as many words as count."""
        found: list[int] = []
        for parameter in tool.parameters:
            found += self.rows(parameter.name) + self.rows(parameter.description)
        return found[:MOST_WORDS]


def chosen(given: Given, texts: Iterable[str], count: int) -> list[int]:
    """Places of `count` of the given words: those that occur often in the texts, then the most
    frequent ones."""
    seen = _seen(texts)
    fitting = [place for place, word in enumerate(given.words) if _WORD.fullmatch(word)]
    fitting.sort(key=lambda place: (seen[given.words[place]] < OFTEN, place))
    return sorted(fitting[:count])


def by_use(given: Given, places: Iterable[int], texts: Iterable[str]) -> list[str]:
    """The words of these places, those first that prompts are likely to have: that occur often in
    the texts and, less so, in the language."""
    seen = _seen(texts)

    def used(place: int) -> float:
        often: float = 1 + seen[given.words[place]]
        return often / math.pow(place + FIRST_PLACES, 0.7)

    return [given.words[place] for place in sorted(places, key=used, reverse=True)]


def _seen(texts: Iterable[str]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update(word.decode() for word in words_of(text.encode()))
    return seen


__all__ = ["BETWEEN", "FIRST", "NUMBER", "UNKNOWN", "Given", "Lexis", "by_use", "chosen"]
__all__ += ["load_vectors"]
