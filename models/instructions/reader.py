"""From a prompt to the tokens that a network reads, each with what it stands for.

Pieces become tokens one by one, except that the words of one amount become one token ("twenty-five
thousand", "two and a half", "10 percent"). An amount in doubt is a token that fills nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum

from zkagent.models.encoding.tokens import has_valid_checksum
from zkagent.models.errors import AddressChecksum, EmptyPrompt, TooManyTokens
from zkagent.models.instructions import quantities
from zkagent.models.instructions.grammar import CARDINAL, WORDS, Meaning
from zkagent.models.instructions.quantities import ALL, Cardinal, Quantity
from zkagent.models.instructions.scanner import Piece, Shape, scan

MAX_TOKENS = 30
#: Characters of names in a symbol or contact book.
NAME_LENGTHS = range(2, 12)
#: Pieces behind "all" in which "but ten" is looked for.
REACH = 10

AND_A_HALF = (Meaning.AND, Meaning.ARTICLE, Meaning.HALF)
_NONE = (Meaning.NONE, 0)


class Kind(IntEnum):
    """What a token is to the network, beside its text."""

    WORD = 0  # by its text, like the next
    MARK = 1
    DIGITS = 2  # a number
    CARDINAL = 3  # a number in words
    ONE = 4  # the word, which is often none
    PERCENT = 5
    RATIO = 6
    PART = 7  # all, half, a third: by its text
    DOUBT = 8  # an amount that could be read in two ways, or a run with digits that is none
    SYMBOL = 9
    ADDRESS = 10
    CONTACT = 11
    OWNER = 12  # by its text


AMOUNTS = frozenset({Kind.DIGITS, Kind.CARDINAL, Kind.ONE, Kind.PERCENT, Kind.RATIO, Kind.PART})
PAYEES = frozenset({Kind.ADDRESS, Kind.CONTACT, Kind.OWNER})
#: Kinds whose tokens are known by their text.
BY_TEXT = frozenset({Kind.WORD, Kind.MARK, Kind.PART, Kind.OWNER})


@dataclass(frozen=True, slots=True)
class Token:
    """Bytes [start, end) of the prompt. quantity: of an amount that can be one."""

    kind: Kind
    start: int
    end: int
    quantity: Quantity | None = None


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


def read(prompt: bytes, names: Names, grammar: Grammar = meaning_of) -> tuple[Token, ...]:
    """The 1 to 30 tokens of `prompt`. Raises PromptTooLong, PromptNotAscii, AddressChecksum,
    EmptyPrompt or TooManyTokens."""
    tokens = _Reader(prompt, scan(prompt), names, grammar).run()
    if not tokens:
        raise EmptyPrompt
    if len(tokens) > MAX_TOKENS:
        raise TooManyTokens(MAX_TOKENS)
    return tuple(tokens)


class _Reader:
    def __init__(self, text: bytes, pieces: list[Piece], names: Names, grammar: Grammar) -> None:
        self.text, self.pieces, self.names, self.grammar = text, pieces, names, grammar
        self.tokens: list[Token] = []
        self.at = 0
        self.number_ended = -1  # the piece behind the last number

    def run(self) -> list[Token]:
        while self.at < len(self.pieces):
            begun = self.at
            token = self.next()
            if token.kind in (Kind.DIGITS, Kind.CARDINAL, Kind.ONE):
                token = self.beside_another(token, begun)
                self.number_ended = self.at
            self.tokens.append(token)
        return self.tokens

    def beside_another(self, token: Token, begun: int) -> Token:
        """Two numbers side by side are both in doubt."""
        if begun != self.number_ended:
            return token
        self.tokens[-1] = replace(self.tokens[-1], kind=Kind.DOUBT, quantity=None)
        return replace(token, kind=Kind.DOUBT, quantity=None)

    def next(self) -> Token:
        piece = self.pieces[self.at]
        if piece.shape is Shape.MARK:
            self.at += 1
            return Token(Kind.MARK, piece.start, piece.end)
        return self.run_of_digits(piece) if piece.shape is Shape.RUN else self.word(piece)

    # Words

    def word(self, piece: Piece) -> Token:
        meaning, value = self.meaning(self.at)
        if self.begins_cardinal(meaning):
            return self.cardinal(piece)
        self.at += 1
        if meaning is Meaning.HALF:
            return self.half(piece)
        if meaning is Meaning.FRACTION:
            return Token(Kind.PART, piece.start, piece.end, quantities.ratio(1, value))
        if meaning is Meaning.ALL:
            return Token(Kind.PART, piece.start, piece.end, self.all_but() or ALL)
        return Token(self.named(piece, meaning), piece.start, piece.end)

    def named(self, piece: Piece, meaning: Meaning) -> Kind:
        word = self.text[piece.start : piece.end].lower()
        if self.names_symbol(word):
            return Kind.SYMBOL
        if len(word) in NAME_LENGTHS and self.names.is_contact(word):
            return Kind.CONTACT
        return Kind.OWNER if meaning is Meaning.OWNER else Kind.WORD

    def begins_cardinal(self, meaning: Meaning) -> bool:
        following, _ = self.meaning(self.at + 1)
        if meaning is Meaning.ARTICLE:
            return following in (Meaning.HUNDRED, Meaning.SCALE, Meaning.DOZEN)
        if meaning in (Meaning.POINT, Meaning.ZERO):
            return following in (Meaning.UNIT, Meaning.ZERO, Meaning.POINT)
        return meaning in CARDINAL

    def cardinal(self, piece: Piece) -> Token:
        """A number in words and what belongs to it."""
        first = self.at
        number = Cardinal()
        if self.meaning(self.at)[0] is Meaning.ARTICLE:
            number.part = 1  # a hundred, a thousand, a dozen
            self.at += 1
        while self.takes(number):
            self.at += 1
        quantity = quantities.exact(number.value, 0)
        if self.meaning(self.at)[0] is Meaning.POINT:
            quantity = self.decimals(number.value)
        only = self.at == first + 1 and number.value == 1
        return self.rest_of(Kind.ONE if only else Kind.CARDINAL, piece.start, quantity)

    def takes(self, number: Cardinal) -> bool:
        """Whether the word goes on with the number, which then has it."""
        meaning, value = self.meaning(self.at)
        match meaning:
            case Meaning.ZERO:
                return number.zero()
            case Meaning.UNIT:
                return number.unit(value)
            case Meaning.TEEN | Meaning.TEN:
                return number.tens(value)
            case Meaning.HUNDRED:
                return number.hundred()
            case Meaning.SCALE:
                return number.thousands(value)
            case _:
                return meaning is Meaning.AND and self.joins()

    def joins(self) -> bool:
        """Whether an "and" stands within a number: a hundred and ten."""
        before, _ = self.meaning(self.at - 1)
        behind, _ = self.meaning(self.at + 1)
        higher = before in (Meaning.HUNDRED, Meaning.SCALE)
        return higher and behind in (Meaning.UNIT, Meaning.TEEN, Meaning.TEN)

    def decimals(self, whole: int) -> Quantity | None:
        """The digits behind "point"."""
        self.at += 1
        digits, places = whole, 0
        while True:
            meaning, value = self.meaning(self.at)
            if meaning not in (Meaning.ZERO, Meaning.UNIT):
                return quantities.exact(digits, places) if places else None
            digits, places, self.at = 10 * digits + value, places + 1, self.at + 1

    def half(self, piece: Piece) -> Token:
        """Half of what there is; half a token, half a million, half a dozen: a number."""
        following, _ = self.meaning(self.at)
        behind, power = self.meaning(self.at + 1)
        if following is Meaning.DOZEN:
            self.at += 1
            return Token(Kind.CARDINAL, piece.start, self.end(), Quantity(6))
        if following is Meaning.ARTICLE and behind in (Meaning.SCALE, Meaning.DOZEN):
            self.at += 2
            six = behind is Meaning.DOZEN
            worth = Quantity(6) if six else quantities.times(Quantity(5, 1), power)
            return Token(Kind.CARDINAL, piece.start, self.end(), worth)
        if following is Meaning.ARTICLE and self.is_symbol(self.at + 1):
            return Token(Kind.CARDINAL, piece.start, piece.end, Quantity(5, 1))
        return Token(Kind.PART, piece.start, piece.end, Quantity(1, share=2))

    def all_but(self) -> Quantity | None:
        """The amount of "all my USDC but ten", whose words stay tokens; None without such words."""
        symbol = b""
        for i in range(self.at, self.at + REACH):
            meaning, _ = self.meaning(i)
            if self.is_symbol(i):
                symbol = self.lower(i)
            elif meaning is Meaning.EXCEPT:
                return self.excepted(i + 1, symbol)
            elif meaning is not Meaning.GLUE and self.lower(i) != b",":
                return None
        return None

    def excepted(self, at: int, symbol: bytes) -> Quantity | None:
        ahead = _Reader(self.text, [*self.pieces], self.names, self.grammar)
        ahead.at = at + (self.lower(at) in (b"for", b"from"))
        if ahead.at >= len(self.pieces):
            return None
        amount = ahead.next()
        number = amount.kind in (Kind.DIGITS, Kind.CARDINAL, Kind.ONE) and amount.quantity
        if not number:
            return None
        named = ahead.is_symbol(ahead.at)
        if named and symbol and ahead.lower(ahead.at) != symbol:
            return None
        return replace(number, but=True, share=1)

    # Digits

    def run_of_digits(self, piece: Piece) -> Token:
        text = self.text[piece.start : piece.end]
        self.at += 1
        if text[:2] == b"0x":
            return self.address(piece, text)
        found = quantities.read_run(text)
        end = piece.end - found.letters
        if (
            found.quantity is None
            or self.is_marked(piece)
            or (found.letters and not self.names_symbol(text[-found.letters :].lower()))
        ):
            return Token(Kind.DOUBT, piece.start, piece.end)
        if found.letters:
            # The symbol is read as a piece of its own.
            self.at -= 1
            self.pieces[self.at] = Piece(Shape.WORD, end, piece.end)
            return Token(Kind.DIGITS, piece.start, end, found.quantity)
        if found.quantity.share:
            kind = Kind.PERCENT if text.endswith(b"%") else Kind.RATIO
            return Token(kind, piece.start, end, found.quantity)
        power = 0 if found.scaled else self.power()
        return self.rest_of(Kind.DIGITS, piece.start, quantities.times(found.quantity, power))

    def power(self) -> int:
        """Of ten, by the words behind a number: 5 thousand, 3 hundred, 2 hundred thousand."""
        found = 0
        for expected in (Meaning.HUNDRED, Meaning.SCALE):
            meaning, value = self.meaning(self.at)
            if meaning is expected:
                found, self.at = found + value, self.at + 1
        return found

    def is_marked(self, piece: Piece) -> bool:
        before = self.text[piece.start - 1 : piece.start]
        behind = self.text[piece.end : piece.end + 1]
        doubtful = quantities.DOUBTFUL_BEFORE, quantities.DOUBTFUL_BEHIND
        return any(b and b[0] in marks for b, marks in zip((before, behind), doubtful, strict=True))

    def address(self, piece: Piece, text: bytes) -> Token:
        digits = text[2:].lower()
        if len(text) != 42 or any(byte not in b"0123456789abcdef" for byte in digits):
            return Token(Kind.DOUBT, piece.start, piece.end)
        if not has_valid_checksum(text[2:]):
            raise AddressChecksum(piece.start, text.decode())
        kind = Kind.SYMBOL if self.names.is_token(text.lower()) else Kind.ADDRESS
        return Token(kind, piece.start, piece.end)

    # Both

    def rest_of(self, kind: Kind, start: int, quantity: Quantity | None) -> Token:
        """The token of a number that began at `start`, with what stands behind it: dozens, a half,
        a fraction's denominator, percent."""
        if quantity is not None:
            kind, quantity = self.extended(kind, quantity)
        following = self.meaning(self.at)[0]
        if following in (Meaning.HUNDRED, Meaning.SCALE, Meaning.DOZEN) or self.has_half():
            quantity = None  # five thousand thousand, a dozen and a half
        return Token(Kind.DOUBT if quantity is None else kind, start, self.end(), quantity)

    def extended(self, kind: Kind, number: Quantity) -> tuple[Kind, Quantity | None]:
        meaning, value = self.meaning(self.at)
        if meaning is Meaning.DOZEN:
            self.at += 1
            return Kind.CARDINAL, quantities.exact(12 * number.digits, number.places)
        if meaning is Meaning.FRACTION and number.places == 0:
            self.at += 1
            return Kind.RATIO, quantities.ratio(number.digits, value)
        if meaning is Meaning.PERCENT or self.lower(self.at) == b"%":
            self.at += 1
            return Kind.PERCENT, quantities.percent(number)
        if number.places == 0 and self.has_half():
            before, _ = self.meaning(self.at - 1)
            self.at += 3
            if before in (Meaning.HUNDRED, Meaning.SCALE, Meaning.DOZEN):
                return kind, None  # a million and a half
            return Kind.CARDINAL, self.scaled(quantities.exact(10 * number.digits + 5, 1))
        return kind, number

    def scaled(self, number: Quantity | None) -> Quantity | None:
        """Two and a half thousand."""
        meaning, power = self.meaning(self.at)
        if number is None or meaning is not Meaning.SCALE:
            return number
        self.at += 1
        return quantities.times(number, power)

    def end(self) -> int:
        """Where the last piece that was read ends."""
        return self.pieces[self.at - 1].end

    def has_half(self) -> bool:
        return tuple(self.meaning(self.at + i)[0] for i in range(3)) == AND_A_HALF

    def meaning(self, i: int) -> tuple[Meaning, int]:
        return self.grammar(self.lower(i))

    def lower(self, i: int) -> bytes:
        """A piece's text in lower case; none behind the last."""
        if not 0 <= i < len(self.pieces):
            return b""
        return self.text[self.pieces[i].start : self.pieces[i].end].lower()

    def is_symbol(self, i: int) -> bool:
        return self.names_symbol(self.lower(i))

    def names_symbol(self, word: bytes) -> bool:
        return len(word) in NAME_LENGTHS and self.names.is_symbol(word)
