"""The symbol book as the encoder and decoder see it: which words name an asset, and which asset."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from zkagent.models.encoding.symbols import checked_symbol, formed_symbol
from zkagent.models.errors import RefusedContact, RefusedSymbol

MAX_DECIMALS = 77  # 10^77 is the largest power of ten in a word
NO_TOKEN = "0x" + "00" * 20


@dataclass(frozen=True, slots=True)
class Listing:
    """One asset: the symbol as listed, the token's address (0x and 40 lower-case hex digits), its
    decimals."""

    symbol: str
    token: str
    decimals: int


@dataclass(frozen=True)
class SymbolBook:
    """An immutable view of an agent's symbol book. Symbols are matched without regard to case; of
    two alike the first one counts, as in the contract."""

    listings: tuple[Listing, ...]

    @cached_property
    def _by_symbol(self) -> Mapping[bytes, Listing]:
        return {x.symbol.lower().encode(): x for x in reversed(self.listings)}

    @cached_property
    def _by_token(self) -> Mapping[str, Listing]:
        return {x.token.lower(): x for x in reversed(self.listings)}

    def lists(self, word: bytes) -> bool:
        """Whether the lower-cased `word` is a listed symbol."""
        return word in self._by_symbol

    def by_symbol(self, symbol: str) -> Listing | None:
        return self._by_symbol.get(symbol.lower().encode())

    def by_token(self, token: str) -> Listing | None:
        return self._by_token.get(token.lower())


@dataclass(frozen=True)
class ContactBook:
    """Whom an agent pays by name: names in lower case, each with an account (0x and 40 lower-case
    hex digits). Of two alike the first one counts, as in the contract."""

    contacts: tuple[tuple[str, str], ...]

    @cached_property
    def _accounts(self) -> Mapping[bytes, str]:
        return {name.encode(): account for name, account in reversed(self.contacts)}

    def lists(self, word: bytes) -> bool:
        """Whether the lower-cased `word` is a contact's name, whom anything can be paid: one that a
        foreign book lists without an account is nobody's."""
        return self._accounts.get(word, NO_TOKEN) != NO_TOKEN

    def account(self, name: str) -> str:
        """Of a name that is listed, in any case."""
        return self._accounts[name.lower().encode()]


NO_CONTACTS = ContactBook(())


def check_listings(listings: Iterable[Listing]) -> None:
    """Raises RefusedSymbol for a list that no book of this version comes to."""
    listed = tuple(listings)
    check_form(listed)
    for listing in listed:
        checked_symbol(listing.symbol)


def check_form(listings: Iterable[Listing]) -> None:
    """The same of any version, whose books refuse fewer words or more: a storage that somebody
    forged under its genuine code may hold any list."""
    symbols: set[str] = set()
    tokens: dict[str, str] = {}
    for listing in listings:
        symbol, token = listing.symbol, listing.token.lower()
        if formed_symbol(symbol) != symbol:
            raise RefusedSymbol(symbol, "a book has its symbols in lower case")
        if symbol in symbols:
            raise RefusedSymbol(symbol, "the book lists it twice")
        if token in tokens:
            raise RefusedSymbol(symbol, f"the book lists its token as {tokens[token]!r}, too")
        if token == NO_TOKEN:
            raise RefusedSymbol(symbol, "the book lists it without a token")
        if listing.decimals > MAX_DECIMALS:
            raise RefusedSymbol(symbol, f"{listing.decimals} decimals, at most {MAX_DECIMALS}")
        symbols.add(symbol)
        tokens[token] = symbol


def check_contacts(contacts: Iterable[tuple[str, str]]) -> None:
    """Raises RefusedContact for a list that no contact book of any version comes to."""
    names: set[str] = set()
    for name, account in contacts:
        try:
            formed = formed_symbol(name)
        except RefusedSymbol as exc:
            raise RefusedContact(name, exc.why.replace("symbols", "names")) from None
        if formed != name:
            raise RefusedContact(name, "a book has its names in lower case")
        if name in names:
            raise RefusedContact(name, "the book lists it twice")
        if account == NO_TOKEN:
            raise RefusedContact(name, "the book lists it without an account")
        names.add(name)


@dataclass(frozen=True, slots=True)
class Asset:
    """A token of demo agents, by its symbol, a name and its decimals."""

    symbol: str
    name: str
    decimals: int


#: What a demo agent's book lists. It stands for an agent's book, too, where no agent is named, so
#: that a model decides alike with and without one.
DEMO_ASSETS = (
    Asset("USDC", "USD Coin", 6),
    Asset("DAI", "Dai Stablecoin", 18),
    Asset("WETH", "Wrapped Ether", 18),
    Asset("WBTC", "Wrapped Bitcoin", 8),
)


#: By what name a demo agent that knows contacts pays a friend.
DEMO_CONTACT = "bob"


def demo_book(further: Iterable[str] = ()) -> SymbolBook:
    """The demo agent's book, with made-up addresses. further: symbols with 18 decimals."""
    known = {asset.symbol.lower() for asset in DEMO_ASSETS}
    added = dict.fromkeys(symbol for symbol in further if symbol.lower() not in known)
    listed = [*((asset.symbol, asset.decimals) for asset in DEMO_ASSETS), *((s, 18) for s in added)]
    return SymbolBook(
        tuple(Listing(s, f"0x{i:040x}", places) for i, (s, places) in enumerate(listed, start=1))
    )


def plain_book(symbols: Iterable[str]) -> SymbolBook:
    """A book for work without a chain: listed symbols with made-up addresses and 18 decimals."""
    return SymbolBook(tuple(Listing(s, f"0x{i:040x}", 18) for i, s in enumerate(symbols, start=1)))
