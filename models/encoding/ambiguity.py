"""Whether a prompt may hold more than one instruction. Mirrored by `encoding/Ambiguity.sol`.

The network scores candidates one by one and always finds a best one; of two amounts, two addresses
or the symbols of two assets it would take one and forget the other. The decoder asks instead, and
so it does where the words are of a language that the network does not know.
"""

from zkagent.models.encoding.context import Context
from zkagent.models.encoding.encoder import Parse
from zkagent.models.encoding.tokens import TokenType


def is_ambiguous(context: Context, parse: Parse) -> bool:
    """Two numbers or two addresses, alike or not, symbols of two assets, a token that is OTHER:
    digits that are no amount (5k, $5, 50%, 0x12), or another language."""
    types = [token.type for token in parse.tokens]
    numbers, addresses = types.count(TokenType.NUMBER), types.count(TokenType.ADDRESS)
    several = numbers > 1 or addresses > 1 or len(_named(context, parse)) > 1
    return several or TokenType.OTHER in types or parse.is_foreign


def _named(context: Context, parse: Parse) -> set[str]:
    """The assets that the prompt names by symbol."""
    symbols = (t for t in parse.candidates if t.type is TokenType.SYMBOL)
    texts = (context.prompt[t.start : t.end].decode() for t in symbols)
    listed = (context.book.by_symbol(text) for text in texts)
    return {listing.token.lower() for listing in listed if listing}
