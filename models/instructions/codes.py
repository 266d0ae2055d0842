"""What a network reads of a token: 48 bits, by its text or by its kind alone.

A word is looked up whole, then by its first letters, then by its last ones; then it is like any
other unknown word. So whoever trains a network chooses what its words are to it, and the contract
looks each one up once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zkagent.models.instructions.grammar import WORDS, Meaning
from zkagent.models.instructions.reader import AMOUNTS, BY_TEXT, PAYEES, Kind, Token
from zkagent.models.instructions.scanner import LETTERS

CODE_BITS = 48
#: Of every code: there is a token.
PRESENT = 1 << (CODE_BITS - 1)
#: Of the codes of tokens that can fill a slot, and of no others: the network looks at their tags.
FILLING = PRESENT >> 1
FILLERS = frozenset({*AMOUNTS, *PAYEES, Kind.SYMBOL})
#: Words that fill a slot wherever they are known by their text.
FILLING_MEANINGS = frozenset({Meaning.HALF, Meaning.FRACTION, Meaning.ALL, Meaning.OWNER})
FILLING_WORDS = frozenset(word for word, meant in WORDS.items() if meant[0] in FILLING_MEANINGS)
#: Letters by which words are looked up that are not known, of words of `STARTED` letters on.
FIRST, LAST, STARTED = 4, 3, 4


@dataclass(frozen=True)
class Codebook:
    """Codes of 48 bits, the highest of which is 1. words: whole ones, in lower case. starts: by
    their first four letters. ends: by their last three. unknown: all others. kinds: of tokens that
    are not known by their text."""

    words: Mapping[bytes, int]
    starts: Mapping[bytes, int]
    ends: Mapping[bytes, int]
    unknown: int
    kinds: Mapping[Kind, int]

    def codes(self, text: bytes, tokens: Sequence[Token]) -> tuple[int, ...]:
        return tuple(self.code(token.kind, word_of(text, token)) for token in tokens)

    def code(self, kind: Kind, word: bytes) -> int:
        """word: in lower case."""
        if kind not in BY_TEXT:
            return self.kinds[kind]
        if (found := self.words.get(word)) is not None:
            return found
        start, end = parts_of(word)
        found = self.starts.get(start)
        return self.ends.get(end, self.unknown) if found is None else found


def word_of(text: bytes, token: Token) -> bytes:
    return text[token.start : token.end].lower()


def parts_of(word: bytes) -> tuple[bytes, bytes]:
    """The first and the last letters by which a word is looked up; none of short ones and marks."""
    if len(word) < STARTED or word[0] not in LETTERS:
        return b"", b""
    return word[:FIRST], word[-LAST:]


__all__ = ["CODE_BITS", "FILLERS", "FILLING", "FILLING_WORDS", "PRESENT", "Codebook", "parts_of"]
__all__ += ["FILLING_MEANINGS", "word_of"]
