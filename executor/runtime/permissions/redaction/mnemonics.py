"""Seed phrases (BIP 39): words of one list in a row, with the checksum that is in them."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from eth_account.hdaccount.mnemonic import Mnemonic
from eth_account.types import Language

from zkagent.executor.runtime.permissions.redaction.spans import Detector

#: Accents may stand by themselves.
WORD = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f\u3099\u309a])+")
#: Between words of one phrase: blanks, commas, quotes, "12. ".
MOST_BETWEEN = 8
LENGTHS = (24, 21, 18, 15, 12)
LEAST = 12 + 11  # characters of twelve words, of a character each, and what parts them
Found = tuple[int, int, str]  # start, end, word


@cache
def _lists() -> Mapping[str, Mapping[str, int]]:
    """Language to word to index."""
    return {
        each.value: {_plain(word): at for at, word in enumerate(Mnemonic(each).wordlist)}
        for each in Language
    }


@cache
def _languages() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for language, words in _lists().items():
        for word in words:
            found.setdefault(word, set()).add(language)
    return {word: frozenset(of) for word, of in found.items()}


def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", word).lower()


def phrases(text: str) -> Iterator[tuple[int, int]]:
    if len(text) < LEAST:
        return
    for run, languages in _runs(text):
        for language in sorted(languages):
            yield from _valid(run, _lists()[language])


def _runs(text: str) -> Iterator[tuple[Sequence[Found], frozenset[str]]]:
    """Twelve words and more that stand in one list, close together."""
    run: list[Found] = []
    languages: frozenset[str] = frozenset()
    for found in WORD.finditer(text):
        of = _languages().get(_plain(found.group()), frozenset())
        near = bool(run) and found.start() - run[-1][1] <= MOST_BETWEEN
        if run and not (near and of & languages):
            if len(run) >= LENGTHS[-1]:
                yield run, languages
            run = []
        languages = of & languages if run else of
        if of:
            run.append((found.start(), found.end(), _plain(found.group())))
    if len(run) >= LENGTHS[-1]:
        yield run, languages


def _valid(run: Sequence[Found], words: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    indices = [words[word] for _, _, word in run]
    first = 0
    while first <= len(run) - LENGTHS[-1]:
        length = next((n for n in LENGTHS if _is_phrase(indices[first : first + n], n)), 0)
        if length:
            yield run[first][0], run[first + length - 1][1]
        first += length or 1


def _is_phrase(indices: Sequence[int], length: int) -> bool:
    """A list of words itself is in order, and no phrase."""
    if len(indices) != length:
        return False
    bits = 0
    for index in indices:
        bits = bits << 11 | index
    check = length // 3  # bits
    raw = (bits >> check).to_bytes(length * 4 // 3, "big")
    good = hashlib.sha256(raw).digest()[0] >> (8 - check) == bits & ((1 << check) - 1)
    return good and list(indices) != sorted(set(indices))


PHRASE = Detector("mnemonic", phrases)

__all__ = ["PHRASE", "phrases"]
