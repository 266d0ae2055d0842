"""The words by which a value is found: one way of reading text for all stores.

Engines split text each in its own way, and have a language for queries in which a stranger's text
could say something. Here a value, and a query, becomes a list of words of letters and digits alone;
an engine gets these and nothing else. Case and accents do not count. Characters of scripts that put
no blanks between words are a word each. Names of fields are not searched.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

MOST_LETTERS = 64  # of a word; what follows is not compared
MOST_BYTES = 400_000  # of a value's words; what follows is not searched
MOST_ASKED = 32  # words of a query; what follows is not asked for
#: Han, kana and the like; then runs of letters and digits.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


def words_of(value: Any) -> list[str]:
    """Of all texts and numbers in a value of JSON, in order."""
    found: list[str] = []
    size = 0
    for text in _texts(value):
        for word in _split(text):
            size += len(word.encode()) + 1
            if size > MOST_BYTES:
                return found
            found.append(word)
    return found


def asked_words(query: str) -> list[str]:
    """Of a query, each once; none when it has no letter and no digit: then nothing is found."""
    return list(dict.fromkeys(_split(query)))[:MOST_ASKED]


def _split(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(mark for mark in folded if not unicodedata.combining(mark))
    for found in _WORD.finditer(bare):
        yield found[0][:MOST_LETTERS]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


__all__ = ["MOST_ASKED", "MOST_BYTES", "MOST_LETTERS", "asked_words", "words_of"]
