"""A prompt as the rules of this package look at it: pieces, each in lower case, with its classes.

Places are numbers of pieces; behind the last one and before the first stands nothing. A minus sign
right before a number is read as a blank and remembered, so that the number is one.
"""

from functools import cached_property

from zkagent.models.errors import TooManyTokens
from zkagent.models.instructions.grammar import Meaning
from zkagent.models.instructions.pieces import NAME_LENGTHS, Names
from zkagent.models.instructions.reader import Token, all_tokens
from zkagent.models.instructions.scanner import ALNUM, DIGITS, Shape, scan
from zkagent.models.reader.lexicon import Class, classes_of, lexicon

MAX_PIECES = 64
#: Digits of a day, an hour or a minute at most; those of a year.
_SHORT, _YEAR = 2, 4
_NTH = (b"st", b"nd", b"rd", b"th")
_COUNTED = frozenset({Meaning.UNIT, Meaning.TEEN, Meaning.TEN})
_POWERS = frozenset({Meaning.HUNDRED, Meaning.SCALE})
#: Words of other meanings are what they are, whatever a book lists.
_NAMEABLE = frozenset(
    {
        Meaning.NONE,
        Meaning.SCALE,
        Meaning.DOZEN,
        Meaning.PERCENT,
        Meaning.EXCEPT,
        Meaning.GLUE,
        Meaning.ARTICLE,
        Meaning.AND,
        Meaning.OWNER,
        Meaning.PER,
        Meaning.UNREAD,
    }
)
_CAPITALS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
#: May stand before the minus sign of a number.
_BEFORE_SIGN = frozenset(b" (,;:[=")
_MINUS, _POINT, _BLANK = b"-. "


class View:
    """prompt: as it is. text: without minus signs of numbers. lower: each piece in lower case.
    classes: of words, NONE of all else."""

    def __init__(self, prompt: bytes, names: Names) -> None:
        """Raises PromptTooLong, PromptNotAscii or TooManyTokens."""
        self.prompt, self.names = prompt, names
        self.text = without_signs(prompt)
        self.pieces = scan(self.text)
        if len(self.pieces) > MAX_PIECES:
            raise TooManyTokens(MAX_PIECES)
        self.lower = [self.text[piece.start : piece.end].lower() for piece in self.pieces]
        self.meanings = [self._meaning(at) for at in range(len(self.pieces))]
        self.classes = [self._classes(at) for at in range(len(self.pieces))]

    @cached_property
    def tokens(self) -> list[Token]:
        """What the grammar of instructions makes of the text. Raises AddressChecksum."""
        return all_tokens(self.text, self.names, lexicon().meaning)

    def _meaning(self, at: int) -> Meaning:
        return lexicon().meaning(self.lower[at])[0] if self.is_word(at) else Meaning.NONE

    def _classes(self, at: int) -> Class:
        """A name that a book of the agent's lists has none."""
        if not self.is_word(at):
            return Class.NONE
        word = self.lower[at]
        if self.meanings[at] in _NAMEABLE and (self._is_listed(word) or self._is_somebodys(at)):
            return Class.NONE
        return classes_of(word)

    def _is_listed(self, word: bytes) -> bool:
        listed = self.names.is_symbol(word) or self.names.is_contact(word)
        return len(word) in NAME_LENGTHS and listed

    def _is_somebodys(self, at: int) -> bool:
        """To bob's."""
        base = self.lower[at].removesuffix(b"'s")
        behind_to = self.text[: self.pieces[at].start].lower().endswith(b"to ")
        known = len(base) in NAME_LENGTHS and self.names.is_contact(base)
        return behind_to and base != self.lower[at] and known

    def __len__(self) -> int:
        return len(self.pieces)

    def has(self, at: int, classes: Class) -> bool:
        """Whether the piece is a word of one of these classes."""
        return 0 <= at < len(self.pieces) and bool(self.classes[at] & classes)

    def shape(self, at: int) -> Shape | None:
        return self.pieces[at].shape if 0 <= at < len(self.pieces) else None

    def is_word(self, at: int) -> bool:
        return self.shape(at) is Shape.WORD

    def is_run(self, at: int) -> bool:
        return self.shape(at) is Shape.RUN

    def is_mark(self, at: int) -> bool:
        return self.shape(at) is Shape.MARK

    def says(self, at: int, *texts: bytes) -> bool:
        return 0 <= at < len(self.pieces) and self.lower[at] in texts

    def is_unlisted(self, at: int) -> bool:
        """A word of no class."""
        return self.is_word(at) and not self.classes[at]

    def holds(self, at: int, characters: bytes) -> bool:
        """Whether the piece is a mark with one of these characters."""
        return self.is_mark(at) and any(each in characters for each in self.lower[at])

    def is_capital(self, at: int) -> bool:
        """A word whose first letter is a capital."""
        return self.is_word(at) and self.text[self.pieces[at].start] in _CAPITALS

    def is_hyphened(self, at: int) -> bool:
        """Whether one hyphen is all that parts the word from the word before."""
        if not (self.is_word(at) and self.is_word(at - 1)):
            return False
        end, start = self.pieces[at - 1].end, self.pieces[at].start
        return start == end + 1 and self.text[end] == _MINUS

    def is_glued(self, at: int) -> bool:
        """Whether nothing, not even a blank, parts the piece from the one before."""
        return 0 < at < len(self.pieces) and self.pieces[at - 1].end == self.pieces[at].start

    def is_counted(self, at: int) -> bool:
        """One to nineteen, or a multiple of ten below a hundred, as a word."""
        return 0 <= at < len(self.pieces) and self.meanings[at] in _COUNTED

    def is_power(self, at: int) -> bool:
        """Hundred, thousand, million."""
        return 0 <= at < len(self.pieces) and self.meanings[at] in _POWERS

    def digits(self, at: int) -> tuple[int, bytes]:
        """How many digits a run begins with, and what stands behind them."""
        if not self.is_run(at):
            return 0, b""
        run = self.lower[at]
        behind = run.lstrip(b"0123456789")
        return len(run) - len(behind), behind

    def is_short(self, at: int) -> bool:
        """A run of one or two digits alone."""
        count, behind = self.digits(at)
        return 1 <= count <= _SHORT and not behind

    def is_year(self, at: int) -> bool:
        return self.digits(at) == (_YEAR, b"")

    def is_nth(self, at: int) -> bool:
        """13th."""
        count, behind = self.digits(at)
        return 1 <= count <= _SHORT and behind in _NTH

    def ends_sentence(self, at: int) -> bool:
        """A mark that ends with . ? or !, but for the point behind a title or an initial."""
        if not self.is_mark(at) or self.lower[at][-1] not in b".?!":
            return False
        return not (self.lower[at] == b"." and self.is_abbreviated(at - 1))

    def is_abbreviated(self, at: int) -> bool:
        """A word behind which a point belongs to it."""
        return self.is_word(at) and (self.has(at, Class.TITLE) or len(self.lower[at]) == 1)

    def begins_sentence(self, at: int) -> bool:
        return at == 0 or self.ends_sentence(at - 1)

    def is_negative(self, start: int) -> bool:
        """Whether a number that starts at this byte has a minus sign."""
        return start > 0 and self.prompt[start - 1] != self.text[start - 1]


def without_signs(prompt: bytes) -> bytes:
    """A blank in place of each minus sign right before a digit, or a point and a digit, that has
    nothing, a blank or one of ( , ; : [ = before it."""
    text = bytearray(prompt)
    for i, byte in enumerate(prompt):
        if byte != _MINUS or (i > 0 and prompt[i - 1] not in _BEFORE_SIGN):
            continue
        pointed = prompt[i + 1 : i + 2] == b"."
        if prompt[i + 1 + pointed : i + 2 + pointed].isdigit():
            text[i] = _BLANK
    return bytes(text)


__all__ = ["ALNUM", "DIGITS", "MAX_PIECES", "View", "without_signs"]
