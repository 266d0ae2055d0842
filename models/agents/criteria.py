"""How the loan model reads criteria: words to tokens, tokens to n-grams, and the limit. Mirrored by
`verifier_contracts/src/loan/Criteria.sol`.

A *piece* is a word of letters, a run that begins with a digit, a comparison sign (``<``, ``>=``,
``650+``) or a break (``.,;:!?`` before a space or at the end); whatever else stands there parts
pieces. Numbers are those of the quantity grammar (`models/instructions/quantities.py`), in digits
or in words ("six hundred and fifty"); the *limit* is the one whole number of at most four digits
that all numbers in the text are. Each word may have a class: what it means where loans are
concerned (`models/loan/lexicon.py`). N-grams are of words and of classes; each selects one row of
the text table, if it is the n-gram that the row was learned for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from zkagent.models.encoding.hashing import keccak_int, keccak_pair
from zkagent.models.errors import EmptyPrompt, PromptTooLong, TooManyTokens
from zkagent.models.instructions.quantities import Cardinal, read_run

MAX_CHARACTERS, MAX_PIECES = 512, 64
SLOTS = 4096
MOST_LIMIT = 9999
#: Numbers in words count from here on; below, they are words: no one, two of us.
LEAST_IN_WORDS = 20

_DIGITS = frozenset(b"0123456789")
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_RUN = _DIGITS | _LETTERS | frozenset(b".,/%")
_RUN_TAIL = frozenset(b".,/")
_BREAKS = frozenset(b".,;:!?")
_SIGNS = frozenset(b"<>=")
_SPACE, _HYPHEN, _PLUS = b" -+"
#: What makes a doubt of the number behind it; a hyphen does unless a letter stands before it.
_DOUBTFUL = frozenset(b"$#~+*/^_@&%.")


class Word(IntEnum):
    """What a token is, or a word's class. Codes are bytes on chain."""

    PLAIN = 0
    START = 1
    END = 2
    UNKNOWN = 3
    LIMIT = 4
    OTHER_NUMBER = 5
    BREAK = 6
    GREATER = 7
    LESS = 8
    EQUAL = 9
    MINIMUM = 10
    MAXIMUM = 11
    # Kept only before a number.
    AT = 12
    FROM = 13
    TO = 14
    # Left out of the shorter form.
    WHO = 15
    PERSON = 16
    SCORE = 17
    LOAN = 18
    NEED = 19
    ALL = 20
    AND = 21
    OR = 22
    NOT = 23
    NOBODY = 24
    APPROVE = 25
    REFUSE = 26
    ONLY = 27
    UNLESS = 28
    OTHERWISE = 29
    IF = 30
    REGARDLESS = 31
    UPWARD = 32
    DOWNWARD = 33
    UNTIL = 34
    INCLUDED = 35
    EXCLUDED = 36
    OUT = 37
    CREDIT = 38
    MATTER = 39
    MAYBE = 40
    ENOUGH = 41
    TOO = 42
    SAME = 43


#: Words of numbers: 128 and what they mean, the value or one of these.
NUMBER_WORD = 128
HUNDRED, THOUSAND, ARTICLE = 101, 102, 111

_BEFORE_NUMBERS = frozenset({Word.AT, Word.FROM, Word.TO})
_LEFT_OUT = frozenset(
    {Word.BREAK, Word.WHO, Word.PERSON, Word.SCORE, Word.LOAN, Word.NEED, Word.ALL}
)
_NUMBERS = frozenset({Word.LIMIT, Word.OTHER_NUMBER})
#: What turns a text into its opposite, and what is turned.
_TURNING = frozenset({Word.NOT, Word.NOBODY, Word.REFUSE, Word.UNLESS})
_TURNED = frozenset({Word.LIMIT, Word.GREATER, Word.LESS, Word.EQUAL, Word.MINIMUM, Word.MAXIMUM})
_COMPARISONS = {
    b"<": Word.LESS,
    b">": Word.GREATER,
    b"=": Word.EQUAL,
    b"==": Word.EQUAL,
    b">=": Word.MINIMUM,
    b"<=": Word.MAXIMUM,
    b"=<": Word.MAXIMUM,
}
_AT_MOST, _AT_LEAST = "≤".encode(), "≥".encode()


@dataclass(frozen=True)
class Lexicon:
    """Known words and their classes. Of 4,096 slots a word has two, by bits 236 to 247 and 224 to
    235 of its hash, and is in one of them: a byte of `fingerprints` (its top 8 bits; zero: empty)
    and one of `classes`."""

    fingerprints: bytes
    classes: bytes

    def __post_init__(self) -> None:
        if len(self.fingerprints) != SLOTS or len(self.classes) != SLOTS:
            raise ValueError(f"a lexicon has twice {SLOTS} bytes")

    def class_of(self, word_hash: int) -> int | None:
        """None of a word that is not in it."""
        for slot in slots_of(word_hash):
            found = self.fingerprints[slot]
            if found != 0 and found == word_hash >> 248:
                return self.classes[slot]
        return None

    def to_bytes(self) -> bytes:
        return self.fingerprints + self.classes


def slots_of(word_hash: int) -> tuple[int, int]:
    return (word_hash >> 236) % SLOTS, (word_hash >> 224) % SLOTS


def lexicon_from(data: bytes) -> Lexicon:
    """Raises ValueError."""
    return Lexicon(data[:SLOTS], data[SLOTS:])


@dataclass(frozen=True, slots=True)
class Token:
    """kind: a `Word`. word: Keccak-256 of a known word, None for others. value: of a number, None
    where it is in doubt."""

    kind: int
    word: int | None = None
    value: int | None = None

    @property
    def element(self) -> int:
        """Its hash in pairs: of its class, or of a known word without one."""
        return self.word if self.kind == Word.PLAIN and self.word is not None else _one(self.kind)


def _one(kind: int) -> int:
    return keccak_int(bytes([kind]))


@dataclass(frozen=True)
class Criterion:
    """A text as read: its n-grams' hashes, and its limit."""

    ngrams: tuple[int, ...]
    limit: int | None


def read_criterion(text: bytes, lexicon: Lexicon) -> Criterion:
    """Raises PromptTooLong, TooManyTokens or EmptyPrompt."""
    if len(text) > MAX_CHARACTERS:
        raise PromptTooLong(len(text), MAX_CHARACTERS)
    pieces = list(_Scanner(text, lexicon).pieces())
    if len(pieces) > MAX_PIECES:
        raise TooManyTokens(MAX_PIECES)
    tokens = _merged(pieces)
    while tokens and tokens[-1].kind == Word.BREAK:
        tokens.pop()
    if not tokens:
        raise EmptyPrompt
    values = {token.value for token in tokens if token.kind == Word.LIMIT}
    limit = values.pop() if len(values) == 1 else None
    if limit is None:
        other = Token(Word.OTHER_NUMBER)
        tokens = [other if token.kind == Word.LIMIT else token for token in tokens]
    return Criterion(tuple(_ngrams(tokens)), limit)


class _Scanner:
    """Makes tokens of a text, each number word still one of its own: kind `NUMBER_WORD` and what it
    means."""

    def __init__(self, text: bytes, lexicon: Lexicon) -> None:
        self.text, self.lexicon = text, lexicon

    def pieces(self) -> Iterator[Token]:
        text, i = self.text, 0
        while i < len(text):
            c = text[i]
            end = i + 1
            if c in _LETTERS:
                end = self._end(i, _LETTERS)
                yield self._word(text[i:end].lower())
            elif c in _DIGITS:
                end = self._end(i, _RUN)
                while text[end - 1] in _RUN_TAIL:
                    end -= 1
                yield self._number(i, end)
            elif c in _SIGNS:
                end = self._end(i, _SIGNS)
                if sign := self._sign(i, end):
                    yield Token(sign)
            elif c == _PLUS and self._at(i - 1) in _DIGITS:
                yield Token(Word.MINIMUM)
            elif c in _BREAKS and self._at(end) == _SPACE:
                yield Token(Word.BREAK)
            elif text[i : i + 3] in (_AT_LEAST, _AT_MOST):
                yield Token(Word.MINIMUM if text[i : i + 3] == _AT_LEAST else Word.MAXIMUM)
            i = end

    def _at(self, i: int) -> int:
        """A space outside of the text."""
        return self.text[i] if 0 <= i < len(self.text) else _SPACE

    def _end(self, i: int, characters: frozenset[int]) -> int:
        while i < len(self.text) and self.text[i] in characters:
            i += 1
        return i

    def _word(self, word: bytes) -> Token:
        found = keccak_int(word)
        kind = self.lexicon.class_of(found)
        return Token(Word.UNKNOWN) if kind is None else Token(kind, found)

    def _number(self, start: int, end: int) -> Token:
        before = self._at(start - 1)
        doubt = before in _DOUBTFUL or (before == _HYPHEN and self._at(start - 2) not in _LETTERS)
        run = read_run(self.text[start:end])
        number = run.quantity
        whole = number is not None and number.exact and number.places == 0 and run.letters == 0
        if doubt or number is None or not whole or number.digits > MOST_LIMIT:
            return Token(Word.LIMIT)
        return Token(Word.LIMIT, value=number.digits)

    def _sign(self, start: int, end: int) -> Word | None:
        """None of arrows."""
        if self._at(start - 1) == _HYPHEN:
            return None
        sign = self.text[start:end]
        if sign == b"=>":
            behind = self._end(end, frozenset(b" "))
            return Word.MINIMUM if self._at(behind) in _DIGITS else None
        return _COMPARISONS.get(sign)


def _merged(pieces: Sequence[Token]) -> list[Token]:
    """With number words put together, where they make a number that counts."""
    tokens: list[Token] = []
    i = 0
    while i < len(pieces):
        end, value = _cardinal(pieces, i)
        if value >= LEAST_IN_WORDS:
            tokens.append(Token(Word.LIMIT, value=value if value <= MOST_LIMIT else None))
            i = end
            continue
        piece = pieces[i]
        is_number = piece.kind >= NUMBER_WORD
        tokens.append(Token(Word.PLAIN, piece.word) if is_number else piece)
        i += 1
    return tokens


def _cardinal(pieces: Sequence[Token], i: int) -> tuple[int, int]:
    """Where a number in words that begins at `i` ends, and its value; zero without one."""
    number = Cardinal()
    if _meaning(pieces, i) == ARTICLE:
        number.part = 1
        i += 1
    while True:
        joined = number.words > 0 and _joins(pieces, i)
        if not joined and not _takes(number, _meaning(pieces, i)):
            return i, number.value if number.words else 0
        i += 1


def _takes(number: Cardinal, meaning: int) -> bool:
    if 0 < meaning < 10:
        return number.unit(meaning)
    if 10 <= meaning < 100:
        return number.tens(meaning)
    if meaning == HUNDRED:
        return number.hundred()
    return meaning == THOUSAND and number.thousands(3)


def _joins(pieces: Sequence[Token], i: int) -> bool:
    """Whether an "and" stands within a number: six hundred and fifty."""
    inside = i < len(pieces) and pieces[i].kind == Word.AND
    return (
        inside
        and _meaning(pieces, i - 1) in {HUNDRED, THOUSAND}
        and (0 < _meaning(pieces, i + 1) < 100)
    )


def _meaning(pieces: Sequence[Token], i: int) -> int:
    """Zero of what is no number word."""
    return max(pieces[i].kind - NUMBER_WORD, 0) if 0 <= i < len(pieces) else 0


def _ngrams(tokens: Sequence[Token]) -> Iterator[int]:
    """Of words: each, and each pair. Of classes: one to three of all of them; one to four of the
    shorter form, which leaves out what most texts have; one to three of the turned form."""
    elements = [_one(Word.START), *(token.element for token in tokens), _one(Word.END)]
    for token in tokens:
        yield token.element if token.word is None else token.word
    for left, right in pairwise(elements):
        yield keccak_pair(left, right)
    classes = _classes(tokens)
    yield from _runs(1, 3, classes)
    yield from _runs(2, 4, [kind for kind in classes if kind not in _LEFT_OUT])
    yield from _runs(3, 3, list(_turned(classes)))


def _classes(tokens: Sequence[Token]) -> list[int]:
    """Without those of words that have none, and of prepositions that no number is behind."""
    found = []
    for token, behind in zip(tokens, [*tokens[1:], Token(Word.END)], strict=True):
        kept = token.kind not in _BEFORE_NUMBERS or behind.kind in _NUMBERS
        if token.kind not in {Word.PLAIN, Word.UNKNOWN} and kept:
            found.append(token.kind)
    return found


def _turned(classes: Sequence[int]) -> Iterator[int]:
    """Comparisons and limits, each with whether an odd number of refusals and negations stands
    before it, then whether they are odd in all: codes from 64 on."""
    odd = 0
    for kind in classes:
        if kind in _TURNING:
            odd ^= 1
        elif kind in _TURNED:
            yield 64 + 2 * kind + odd
    yield 64 + 2 * Word.END + odd


def _runs(form: int, longest: int, classes: Sequence[int]) -> Iterator[int]:
    """Hashes of 1 to `longest` neighbours; of equal ones beside each other, one counts."""
    whole = bytes([Word.START, *(int(kind) for kind in classes), Word.END])
    single = bytes(c for c, before in zip(whole, b"\0" + whole, strict=False) if c != before)
    for length in range(1, longest + 1):
        for i in range(len(single) - length + 1):
            yield keccak_int(bytes([form]) + single[i : i + length])


__all__ = ["Criterion", "Lexicon", "Token", "Word", "lexicon_from", "read_criterion", "slots_of"]
