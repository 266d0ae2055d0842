"""What the encoder hands to the decoder: 32-byte words, one after another.

The symbol book's pointer, the contact book's (zero if there is none), the number of tokens; then a
word for each token that fills a slot or is in doubt. `instructions/Tokens.sol` writes the same,
`instructions/ParsedTokens.sol` reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from zkagent.models.instructions.quantities import Quantity
from zkagent.models.instructions.reader import AMOUNTS, PAYEES, Kind, Token

#: Kinds of tokens that have a word.
SAID = AMOUNTS | PAYEES | {Kind.SYMBOL, Kind.DOUBT}

_WORD = 32
_HEADER = 3  # words
#: Where the fields of a word begin, and their bits.
_PLACE, _KIND, _START, _END = (0, 5), (5, 4), (9, 10), (19, 10)
_BUT, _PLACES, _DIGITS, _SHARE = (29, 1), (30, 5), (48, 100), (148, 107)


@dataclass(frozen=True, slots=True)
class Placed:
    """A token and its place among all of the prompt."""

    place: int
    token: Token


@dataclass(frozen=True, slots=True)
class Parse:
    """Pointers as 20 bytes. count: of all tokens. tokens: those of `SAID`."""

    symbols: bytes
    contacts: bytes
    count: int
    tokens: tuple[Placed, ...]


def parse_words(tokens: Sequence[Token], symbols: bytes, contacts: bytes) -> bytes:
    """symbols, contacts: pointers of the books, 20 bytes."""
    header = symbols.rjust(_WORD, b"\0") + contacts.rjust(_WORD, b"\0")
    header += len(tokens).to_bytes(_WORD, "big")
    said = (Placed(i, token) for i, token in enumerate(tokens) if token.kind in SAID)
    return header + b"".join(map(pack, said))


def unpack_words(content: bytes) -> Parse:
    """What `parse_words` packed."""
    words = [content[at : at + _WORD] for at in range(0, len(content), _WORD)]
    symbols, contacts, count = words[:_HEADER]
    tokens = tuple(map(unpack, words[_HEADER:]))
    return Parse(symbols[12:], contacts[12:], int.from_bytes(count, "big"), tokens)


def pack(placed: Placed) -> bytes:
    token = placed.token
    fields = {_PLACE: placed.place, _KIND: token.kind, _START: token.start, _END: token.end}
    if quantity := token.quantity:
        fields |= {_BUT: quantity.but, _PLACES: quantity.places}
        fields |= {_DIGITS: quantity.digits, _SHARE: quantity.share}
    return sum(value << at for (at, _), value in fields.items()).to_bytes(_WORD, "big")


def unpack(content: bytes) -> Placed:
    word = int.from_bytes(content, "big")

    def field(where: tuple[int, int]) -> int:
        at, bits = where
        return word >> at & ((1 << bits) - 1)

    kind, quantity = Kind(field(_KIND)), None
    if kind in AMOUNTS:
        share, but = field(_SHARE), bool(field(_BUT))
        quantity = Quantity(field(_DIGITS), field(_PLACES), share, but)
    return Placed(field(_PLACE), Token(kind, field(_START), field(_END), quantity))


__all__ = ["SAID", "Parse", "Placed", "pack", "parse_words", "unpack", "unpack_words"]
