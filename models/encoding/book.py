"""The symbol book as the encoder and decoder see it: which words name an asset, and which asset."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Listing:
    """One asset: the symbol as listed, the token's address (0x and 40 lower-case hex digits), its
    decimals."""

    symbol: str
    token: str
    decimals: int


@dataclass(frozen=True)
class SymbolBook:
    """An immutable view of an agent's symbol book. Symbols are matched without regard to case."""

    listings: tuple[Listing, ...]

    @cached_property
    def _by_symbol(self) -> Mapping[bytes, Listing]:
        return {x.symbol.lower().encode(): x for x in self.listings}

    @cached_property
    def _by_token(self) -> Mapping[str, Listing]:
        return {x.token.lower(): x for x in self.listings}

    def lists(self, word: bytes) -> bool:
        """Whether the lower-cased `word` is a listed symbol."""
        return word in self._by_symbol

    def by_symbol(self, symbol: str) -> Listing | None:
        return self._by_symbol.get(symbol.lower().encode())

    def by_token(self, token: str) -> Listing | None:
        return self._by_token.get(token.lower())


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
