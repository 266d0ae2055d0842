"""What may be a token symbol in a symbol book, mirrored by `wallet/Symbols.sol`.

A symbol is a word that prompts may use for a token, so it must not be one that they use for
anything else: "1e18 USDC" would be 1 E18 where E18 is listed, "2 mm USDC" would name two tokens.
"""

import re

from zkagent.models.errors import RefusedContact, RefusedSymbol

FORM = re.compile(r"[a-z][a-z0-9]{1,10}", re.ASCII)
#: Glued to a number it is read as a part of it: an exponent (1e18, 1e18usdc), a factor (2x10).
CONTINUES_NUMBER = re.compile(r"e[0-9].*|x[0-9]+", re.ASCII)
#: Orders and the words around them, numbers, units and parts.
RESERVED = frozenset(
    """
    about all an and answer any approx around as ask at balance balances basis be bil billion
    billions bips bln bn bp bps by cancel cent cents check couple crore decline deploy deposit
    do dollar dollars double dozen each eight eighty eleven equal equals ether everything fee
    few fifth fifty finney first five for forty four fourth free from gas get give grand gwei
    half halves have how hundred hundreds in into is it its kk kwei lac lakh lamport lamports
    least lend less max me mil mill million millions min minus mio mln mm mn money more most
    move much mwei my nine ninety no not now of off on once one or out over part pay pc pct per
    percent percentage please plus points pool ppm pull put pwei quarter quarters redeem remove
    report rest return roughly sat satoshi satoshis sats save second see send seven seventy
    several show single six sixty some supply szabo take tell ten tenth tenths th than that the
    their them then there they third thirds thirty this thousand thousands three thrice times
    tn to token tokens tr transfer trillion trillions triple trn twei twelve twenty twice two
    under up us view wallet want we wei what where which whole will with withdraw yes you your
    zero
    """.split()
)


#: What no contact can go by, besides: these mean the agent's owner.
OWNERS_WORDS = frozenset({"myself", "own"})


def formed_symbol(text: str) -> str:
    """`text` in lower case. Raises RefusedSymbol for what no version's book may list."""
    if not text.isascii() or not FORM.fullmatch(lower := text.lower()):
        raise RefusedSymbol(text, "symbols are 2 to 11 letters and digits, a letter first")
    return lower


def checked_symbol(text: str) -> str:
    """`text` in lower case. Raises RefusedSymbol when no book may list it."""
    lower = formed_symbol(text)
    if lower in RESERVED or CONTINUES_NUMBER.fullmatch(lower):
        raise RefusedSymbol(text, "it means something else in prompts")
    return lower


def checked_contact(text: str) -> str:
    """`text` in lower case. Raises RefusedContact when no contact book may list it, as
    `wallet/ContactBook.sol` does."""
    try:
        lower = checked_symbol(text)
    except RefusedSymbol as exc:
        raise RefusedContact(text, exc.why.replace("symbols", "names")) from None
    if lower in OWNERS_WORDS:
        raise RefusedContact(text, "it means the agent's owner in prompts")
    return lower
