"""What the encoder found in a prompt, as the decoder gets it: 32-byte words. Mirrored by
`instructions/ParsedTokens.sol`, which says what each bit is.
"""

from collections.abc import Sequence

from zkagent.models.instructions.quantities import Quantity
from zkagent.models.instructions.reader import AMOUNTS, PAYEES, Kind, Token

#: Kinds that the decoder is told of.
TOLD = AMOUNTS | PAYEES | {Kind.DOUBT, Kind.SYMBOL}
_BUT, _PLACES, _DIGITS, _SHARE = 29, 30, 48, 148


def parse_bytes(tokens: Sequence[Token], symbols: str, contacts: str) -> bytes:
    """The parse of a prompt's tokens. symbols, contacts: addresses of the books' entries."""
    told = [token_word(place, t) for place, t in enumerate(tokens) if t.kind in TOLD]
    words = [int(symbols, 16), int(contacts, 16), len(tokens), *told]
    return b"".join(word.to_bytes(32, "big") for word in words)


def token_word(place: int, token: Token) -> int:
    word = place | token.kind << 5 | token.start << 9 | token.end << 19
    return word if token.quantity is None else word | _quantity_bits(token.quantity)


def _quantity_bits(quantity: Quantity) -> int:
    numbers = quantity.but << _BUT | quantity.places << _PLACES
    return numbers | quantity.digits << _DIGITS | quantity.share << _SHARE


__all__ = ["TOLD", "parse_bytes", "token_word"]
