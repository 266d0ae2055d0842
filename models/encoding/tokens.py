"""From a prompt to typed tokens: the encoder's first half, mirrored by `encoding/Tokenizer.sol`.

The scanner splits at spaces and double quotes. A chunk's *core* runs from its first to its last
letter or digit. A core without digits becomes words; a core with digits must be exactly a number,
an address, a number glued to a known symbol, or a word that begins with a letter. Everything else
(``1e18``, ``5k``, ``50%``, ``$5``, ``1,000``, ``0x12``) becomes one OTHER token that can never
fill an argument: where money is concerned the tokenizer does not guess. Text inside double quotes
is one opaque STRING token.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from eth_hash.auto import keccak

from zkagent.models.errors import (
    AddressChecksum,
    EmptyPrompt,
    PromptNotAscii,
    PromptTooLong,
    TooManyTokens,
)

MAX_CHARACTERS = 512
MAX_TOKENS = (
    64  # at most four n-grams a token, so at most 256 n-grams: 16-bit lanes cannot overflow
)
MAX_SYMBOL_LENGTH = 11

LEAD = frozenset(b"([{':")  # may stand directly before a number or address
TRAIL = frozenset(b".,;:!?)]}'")  # may stand directly behind one
BREAKS = frozenset(b",;.!:")

_DIGITS = frozenset(b"0123456789")
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ALNUM = _DIGITS | _LETTERS
_HEX = frozenset(b"0123456789abcdefABCDEF")
_SPACE, _QUOTE, _POINT = b' ".'


class TokenType(IntEnum):
    """What a token is. Every type but WORD is hashed as its one-byte number, whatever its text."""

    WORD = 0
    NUMBER = 1
    ADDRESS = 2
    STRING = 3
    SYMBOL = 4
    OTHER = 5
    QUESTION = 6
    BREAK = 7
    START = 8
    END = 9
    UNKNOWN = 10  # a WORD outside the model's vocabulary, once the encoder looks it up


@dataclass(frozen=True, slots=True)
class Token:
    """A token of type `type` standing at bytes [start, end) of the prompt."""

    type: TokenType
    start: int
    end: int


def tokenize(prompt: bytes, is_symbol: Callable[[bytes], bool]) -> list[Token]:
    """Split `prompt` into 1 to 64 tokens.

    `is_symbol` says of a lower-cased word of 2 to 11 characters whether the agent's symbol book
    lists it. Raises PromptTooLong, PromptNotAscii, TooManyTokens, AddressChecksum or EmptyPrompt.
    """
    if len(prompt) > MAX_CHARACTERS:
        raise PromptTooLong(len(prompt), MAX_CHARACTERS)
    for position, byte in enumerate(prompt):
        if not 0x20 <= byte <= 0x7E:
            raise PromptNotAscii(position)
    scanner = _Scanner(prompt, is_symbol)
    scanner.run()
    if not scanner.tokens:
        raise EmptyPrompt
    return scanner.tokens


class _Scanner:
    def __init__(self, text: bytes, is_symbol: Callable[[bytes], bool]) -> None:
        self.text = text
        self.is_symbol = is_symbol
        self.tokens: list[Token] = []

    def run(self) -> None:
        i, n = 0, len(self.text)
        while i < n:
            if self.text[i] == _SPACE:
                i += 1
            elif self.text[i] == _QUOTE:
                i = self.quoted(i)
            else:
                j = i
                while j < n and self.text[j] not in (_SPACE, _QUOTE):
                    j += 1
                self.chunk(i, j)
                i = j

    def emit(self, kind: TokenType, start: int, end: int) -> None:
        if len(self.tokens) == MAX_TOKENS:
            raise TooManyTokens(MAX_TOKENS)
        self.tokens.append(Token(kind, start, end))

    def quoted(self, i: int) -> int:
        """One STRING for a closed pair of double quotes; a lone quote is skipped."""
        close = self.text.find(b'"', i + 1)
        if close < 0:
            return i + 1
        self.emit(TokenType.STRING, i + 1, close)
        return close + 1

    def chunk(self, i: int, j: int) -> None:
        a, b = i, j
        while a < j and self.text[a] not in _ALNUM:
            a += 1
        while b > a and self.text[b - 1] not in _ALNUM:
            b -= 1
        if a == j:  # punctuation only
            self.punctuation(i, j)
            return
        if any(byte in _DIGITS for byte in self.text[a:b]):
            clean = (a == i or self.text[a - 1] in LEAD) and (b == j or self.text[b] in TRAIL)
            self.with_digits(a, b, clean)
        else:
            self.letters_only(a, b)
        self.punctuation(b, j)

    def punctuation(self, b: int, j: int) -> None:
        tail = self.text[b:j]
        if b"?" in tail:
            self.emit(TokenType.QUESTION, b, j)
        elif any(byte in BREAKS for byte in tail):
            self.emit(TokenType.BREAK, b, j)

    def letters_only(self, a: int, b: int) -> None:
        while a < b:
            if self.text[a] not in _LETTERS:
                a += 1
                continue
            end = a
            while end < b and self.text[end] in _LETTERS:
                end += 1
            self.word(a, end)
            a = end

    def word(self, a: int, b: int) -> None:
        self.emit(TokenType.SYMBOL if self.known(a, b) else TokenType.WORD, a, b)

    def known(self, a: int, b: int) -> bool:
        return 2 <= b - a <= MAX_SYMBOL_LENGTH and self.is_symbol(self.text[a:b].lower())

    def all_alnum(self, a: int, b: int) -> bool:
        return all(byte in _ALNUM for byte in self.text[a:b])

    def with_digits(self, a: int, b: int, clean: bool) -> None:
        if self.text[a] in _LETTERS and self.all_alnum(a, b):
            self.word(a, b)
        elif clean and self.text[a : a + 2] == b"0x":
            self.address(a, b)
        elif clean and self.text[a] in _DIGITS:
            self.number(a, b)
        else:
            self.emit(TokenType.OTHER, a, b)

    def address(self, a: int, b: int) -> None:
        if b - a != 42 or any(byte not in _HEX for byte in self.text[a + 2 : b]):
            self.emit(TokenType.OTHER, a, b)
            return
        if not has_valid_checksum(self.text[a + 2 : b]):
            raise AddressChecksum(a, self.text[a:b].decode())
        self.emit(TokenType.ADDRESS, a, b)

    def number(self, a: int, b: int) -> None:
        e = number_end(self.text, a, b)
        if e == b:
            self.emit(TokenType.NUMBER, a, b)
        elif self.text[e] in _LETTERS and self.all_alnum(e, b) and self.known(e, b):
            self.emit(TokenType.NUMBER, a, e)
            self.emit(TokenType.SYMBOL, e, b)
        else:
            self.emit(TokenType.OTHER, a, b)


def number_end(text: bytes, a: int, b: int) -> int:
    """End of the longest ``digits[.digits]`` that begins at `a` and ends by `b` (`a` when there is
    none)."""
    e = a
    while e < b and text[e] in _DIGITS:
        e += 1
    if a < e and e + 1 < b and text[e] == _POINT and text[e + 1] in _DIGITS:
        e += 1
        while e < b and text[e] in _DIGITS:
            e += 1
    return e


def has_valid_checksum(digits: bytes) -> bool:
    """Whether 40 hex digits satisfy EIP-55; digits all in one case carry no checksum and pass."""
    letters = [byte for byte in digits if byte in _LETTERS]
    if all(byte >= 0x61 for byte in letters) or all(byte < 0x61 for byte in letters):
        return True
    nibbles = keccak(digits.lower()).hex()
    return all(
        byte in _DIGITS or (byte < 0x61) == (int(nibble, 16) >= 8)
        for byte, nibble in zip(digits, nibbles[:40], strict=True)
    )
