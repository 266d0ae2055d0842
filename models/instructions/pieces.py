"""Pieces of a prompt as they are looked at: what each means in an amount, and what it names.
`instructions/Reading.sol` has the same of pieces in memory.
"""

from collections.abc import Callable
from dataclasses import dataclass

from zkagent.models.instructions.grammar import CARDINAL, POWERS, UNSETTLING, WORDS, Meaning
from zkagent.models.instructions.scanner import Piece, Shape

#: Characters of names in a symbol or contact book.
NAME_LENGTHS = range(2, 12)
AND_A_HALF = (Meaning.AND, Meaning.ARTICLE, Meaning.HALF)
PARTS = frozenset({Meaning.HALF, Meaning.FRACTION})
_NONE = (Meaning.NONE, 0)


@dataclass(frozen=True, slots=True)
class Names:
    """What words and addresses (lower-cased, `0x` and 40 digits) stand for at the agent's."""

    is_symbol: Callable[[bytes], bool]
    is_contact: Callable[[bytes], bool]
    is_token: Callable[[bytes], bool]


#: What a word in lower case does in an amount, and its value.
Grammar = Callable[[bytes], tuple[Meaning, int]]


def meaning_of(word: bytes) -> tuple[Meaning, int]:
    """The grammar without mistakes; a model's table has a few (see `CodeTable.meaning`)."""
    return WORDS.get(word, _NONE)


class Pieces:
    """at: the next one to be read."""

    def __init__(self, text: bytes, pieces: list[Piece], names: Names, grammar: Grammar) -> None:
        self.text, self.pieces, self.names, self.grammar = text, pieces, names, grammar
        self.at = 0

    def end(self) -> int:
        """Where the last piece that was read ends."""
        return self.pieces[self.at - 1].end

    def has_half(self) -> bool:
        return tuple(self.meaning(self.at + i)[0] for i in range(3)) == AND_A_HALF

    def meaning(self, i: int) -> tuple[Meaning, int]:
        """What a piece does in an amount, and its value; a percent sign does what the word does."""
        word = self.lower(i)
        return (Meaning.PERCENT, 0) if word == b"%" else self.grammar(word)

    def lower(self, i: int) -> bytes:
        """A piece's text in lower case; none behind the last."""
        if not 0 <= i < len(self.pieces):
            return b""
        return self.text[self.pieces[i].start : self.pieces[i].end].lower()

    def is_symbol(self, i: int) -> bool:
        """A word, whatever a foreign book lists."""
        word = i < len(self.pieces) and self.pieces[i].shape is Shape.WORD
        return word and self.names_symbol(self.lower(i))

    def names_symbol(self, word: bytes) -> bool:
        return len(word) in NAME_LENGTHS and self.names.is_symbol(word)

    def names_contact(self, word: bytes) -> bool:
        return len(word) in NAME_LENGTHS and self.names.is_contact(word)

    def counts(self, i: int) -> bool:
        """Whether a number or a part stands there, behind "my" and the like: half of my 60."""
        while self.meaning(i)[0] is Meaning.GLUE:
            i += 1
        return self.meaning(i)[0] in CARDINAL | PARTS or self.is_run(i)

    def is_run(self, i: int) -> bool:
        """Of digits, and no address."""
        run = i < len(self.pieces) and self.pieces[i].shape is Shape.RUN
        return run and self.lower(i)[1:2] != b"x"

    def is_unsettled(self) -> bool:
        """Whether what comes next says more of the amount that ended."""
        return self.meaning(self.at)[0] in UNSETTLING or self.has_half()

    def adds_digits(self) -> bool:
        """Five hundred and 10: what in words would be one number."""
        if self.meaning(self.at)[0] is not Meaning.AND:
            return False
        behind, _ = self.meaning(self.at + 1)
        counted = behind in (Meaning.UNIT, Meaning.TEEN, Meaning.TEN) or self.is_run(self.at + 1)
        return counted and self.meaning(self.at - 1)[0] in POWERS


__all__ = ["PARTS", "Grammar", "Names", "Pieces", "meaning_of"]
