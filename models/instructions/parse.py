"""What the encoder hands to the decoder: 32-byte words, one after another.

The symbol book's pointer, the contact book's (zero if there is none), the number of tokens; then a
word for each token that fills a slot or is in doubt. `instructions/Tokens.sol` writes the same.
"""

from collections.abc import Sequence

from zkagent.models.instructions.reader import AMOUNTS, PAYEES, Kind, Token

#: Kinds of tokens that have a word.
SAID = AMOUNTS | PAYEES | {Kind.SYMBOL, Kind.DOUBT}

_WORD = 32
#: Where the fields of a token's word begin.
_KIND, _START, _END, _BUT, _PLACES, _DIGITS, _SHARE = 5, 9, 19, 29, 30, 48, 148


def parse_words(tokens: Sequence[Token], symbols: bytes, contacts: bytes) -> bytes:
    """symbols, contacts: pointers of the books, 20 bytes."""
    header = symbols.rjust(_WORD, b"\0") + contacts.rjust(_WORD, b"\0")
    header += len(tokens).to_bytes(_WORD, "big")
    said = (_word(i, token) for i, token in enumerate(tokens) if token.kind in SAID)
    return header + b"".join(word.to_bytes(_WORD, "big") for word in said)


def _word(place: int, token: Token) -> int:
    word = place | token.kind << _KIND | token.start << _START | token.end << _END
    if quantity := token.quantity:
        word |= quantity.but << _BUT | quantity.places << _PLACES
        word |= quantity.digits << _DIGITS | quantity.share << _SHARE
    return word


__all__ = ["SAID", "parse_words"]
