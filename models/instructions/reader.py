"""From a prompt to the tokens that a network reads, each with what it stands for.

Pieces become tokens one by one, except that the words of one amount become one token ("twenty-five
thousand", "two and a half", "10 percent"). An amount in doubt is a token that fills nothing. So is
the word by which a prompt is seen to be in another language.
"""

from dataclasses import dataclass, replace
from enum import IntEnum

from zkagent.models.encoding.tokens import has_valid_checksum
from zkagent.models.errors import AddressChecksum, EmptyPrompt, TooManyTokens
from zkagent.models.instructions import quantities
from zkagent.models.instructions.grammar import (
    CARDINAL,
    COUNTED,
    POWERS,
    UNSETTLING,
    Meaning,
)
from zkagent.models.instructions.languages import Knows, foreign_word
from zkagent.models.instructions.pieces import PARTS, Grammar, Names, Pieces, meaning_of
from zkagent.models.instructions.quantities import ALL, Cardinal, Quantity
from zkagent.models.instructions.scanner import Piece, Shape, scan

MAX_TOKENS = 30
#: Pieces behind "all" in which "but ten" is looked for.
REACH = 10


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
    DOUBT = 8  # an amount that could be read in two ways, digits that are none, a foreign word
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


def read(
    prompt: bytes, names: Names, grammar: Grammar = meaning_of, knows: Knows | None = None
) -> tuple[Token, ...]:
    """The 1 to 30 tokens of `prompt`. knows: without it no word is foreign. Raises PromptTooLong,
    PromptNotAscii, AddressChecksum, EmptyPrompt or TooManyTokens."""
    tokens = all_tokens(prompt, names, grammar, knows)
    if not tokens:
        raise EmptyPrompt
    if len(tokens) > MAX_TOKENS:
        raise TooManyTokens(MAX_TOKENS)
    return tuple(tokens)


def all_tokens(
    prompt: bytes, names: Names, grammar: Grammar = meaning_of, knows: Knows | None = None
) -> list[Token]:
    """However many there are. Raises PromptTooLong, PromptNotAscii or AddressChecksum."""
    pieces = scan(prompt)
    foreign = knows and foreign_word(prompt, pieces, names, grammar, knows)
    tokens = _Reader(prompt, pieces, names, grammar).run()
    if foreign:
        tokens = [doubted(token) if token.start == foreign.start else token for token in tokens]
    return tokens


def doubted(token: Token) -> Token:
    return replace(token, kind=Kind.DOUBT, quantity=None)


class _Reader(Pieces):
    def __init__(self, text: bytes, pieces: list[Piece], names: Names, grammar: Grammar) -> None:
        super().__init__(text, pieces, names, grammar)
        self.tokens: list[Token] = []
        self.amount_ended = -1  # the piece behind the last amount but all

    def run(self) -> list[Token]:
        while self.at < len(self.pieces):
            begun = self.at
            token = self.next()
            if token.quantity is not None and token.quantity.share != 1:
                token = self.beside_another(token, begun)
                self.amount_ended = self.at
            self.tokens.append(token)
        return self.tokens

    def beside_another(self, token: Token, begun: int) -> Token:
        """Two amounts side by side are both in doubt; so is "a quarter" in "two and a quarter"."""
        beside = begun == self.amount_ended
        if beside:
            self.tokens[-1] = doubted(self.tokens[-1])
        if beside or (token.kind >= Kind.PERCENT and self.is_added(begun)):
            return doubted(token)
        return token

    def is_added(self, begun: int) -> bool:
        """Whether "and" or "and a" is all that stands between the amount before and this one."""
        ended = self.amount_ended
        joined, article = (self.meaning(ended + i)[0] for i in range(2))
        behind = 2 if article is Meaning.ARTICLE else 1
        return joined is Meaning.AND and begun == ended + behind

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
            return self.share(Kind.PART, piece.start, quantities.ratio(1, value))
        if meaning is Meaning.ALL:
            left = self.all_but()
            return Token(Kind.PART if left else Kind.DOUBT, piece.start, piece.end, left)
        return Token(self.named(piece, meaning), piece.start, piece.end)

    def named(self, piece: Piece, meaning: Meaning) -> Kind:
        word = self.text[piece.start : piece.end].lower()
        if self.names_symbol(word):
            return Kind.SYMBOL
        if self.names_contact(word):
            return Kind.CONTACT
        if self.is_possessive(piece, word):
            return Kind.DOUBT
        return Kind.OWNER if meaning is Meaning.OWNER else Kind.WORD

    def is_possessive(self, piece: Piece, word: bytes) -> bool:
        """Of a contact to whom something goes: to bob's. That may be bob, or anybody of his."""
        behind_to = self.text[: piece.start].lower().endswith(b"to ")
        return behind_to and word.endswith(b"'s") and self.names_contact(word[:-2])

    def begins_cardinal(self, meaning: Meaning) -> bool:
        following, _ = self.meaning(self.at + 1)
        if meaning is Meaning.ARTICLE:
            return following in COUNTED
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
        return before in POWERS and behind in (Meaning.UNIT, Meaning.TEEN, Meaning.TEN)

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
            return self.number(Kind.CARDINAL, piece.start, Quantity(6))
        if following is Meaning.ARTICLE and behind in (Meaning.SCALE, Meaning.DOZEN):
            self.at += 2
            six = behind is Meaning.DOZEN
            worth = Quantity(6) if six else quantities.times(Quantity(5, 1), power)
            return self.number(Kind.CARDINAL, piece.start, worth)
        return self.share(Kind.PART, piece.start, Quantity(1, share=2))

    def all_but(self) -> Quantity | None:
        """All, or the amount of "all my USDC but ten", whose words stay tokens; None where what is
        left out is no such amount."""
        symbol = b""
        for i in range(self.at, self.at + REACH):
            meaning, _ = self.meaning(i)
            if self.is_symbol(i):
                symbol = self.lower(i)
            elif meaning is Meaning.EXCEPT:
                return self.excepted(i + 1, symbol)
            elif meaning is not Meaning.GLUE and self.lower(i) != b",":
                break
        return ALL

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
            return self.share(kind, piece.start, found.quantity)
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
        if not digits.strip(b"0"):
            return Token(Kind.DOUBT, piece.start, piece.end)  # nobody's
        kind = Kind.SYMBOL if self.names.is_token(text.lower()) else Kind.ADDRESS
        return Token(kind, piece.start, piece.end)

    # Both

    def rest_of(self, kind: Kind, start: int, quantity: Quantity | None) -> Token:
        """The token of a number that began at `start`, with what stands behind it: dozens, a half,
        a fraction's denominator, percent."""
        if quantity is not None:
            kind, quantity = self.extended(kind, quantity)
        if quantity is not None and quantity.share:
            return self.share(kind, start, quantity)
        return self.number(kind, start, quantity)

    def number(self, kind: Kind, start: int, worth: Quantity | None) -> Token:
        """In doubt where what stands behind it says more: five thousand thousand, 5 hundred and
        10."""
        if self.is_unsettled() or self.adds_digits():
            worth = None
        return Token(kind if worth else Kind.DOUBT, start, self.end(), worth)

    def share(self, kind: Kind, start: int, part: Quantity | None) -> Token:
        """A part of the balance; a number of "half a token", "a quarter of a token". In doubt is a
        part of anything else that is counted: half a percent, a tenth of 60."""
        of = self.at + (self.lower(self.at) == b"of")
        if part is None or self.is_unsettled():
            part = None
        elif self.meaning(of)[0] is Meaning.ARTICLE:
            if self.is_symbol(of + 1):
                kind, part = Kind.CARDINAL, quantities.of_one(part)
            elif self.meaning(of + 1)[0] in UNSETTLING:
                part = None
        elif of > self.at and self.counts(of):
            part = None
        return Token(kind if part else Kind.DOUBT, start, self.end(), part)

    def extended(self, kind: Kind, number: Quantity) -> tuple[Kind, Quantity | None]:
        meaning, value = self.meaning(self.at)
        if meaning is Meaning.DOZEN:
            self.at += 1
            return Kind.CARDINAL, quantities.exact(12 * number.digits, number.places)
        if meaning in PARTS and number.places == 0:
            self.at += 1
            return Kind.RATIO, quantities.ratio(number.digits, value)
        per_cent = meaning is Meaning.PER and self.lower(self.at + 1) == b"cent"
        if meaning is Meaning.PERCENT or per_cent:
            self.at += 1 + per_cent
            return Kind.PERCENT, quantities.percent(number)
        if number.places == 0 and self.has_half():
            before, _ = self.meaning(self.at - 1)
            self.at += 3
            if before in COUNTED:
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


__all__ = ["AMOUNTS", "BY_TEXT", "MAX_TOKENS", "PAYEES", "REACH", "Kind", "Names", "Token"]
__all__ += ["all_tokens", "read"]
