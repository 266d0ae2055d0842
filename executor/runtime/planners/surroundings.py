"""What a proven model reads besides task and history: which assets there are, who is paid by name.

On a chain an agent's contracts tell it. Without one, whoever makes the planner does, and each
step's evidence repeats it, so that a decision can be checked by somebody who was not there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.models.encoding.book import (
    ContactBook,
    Listing,
    SymbolBook,
    check_contacts,
    check_listings,
    demo_book,
)
from zkagent.models.encoding.context import Context
from zkagent.models.errors import ModelError


@dataclass(frozen=True)
class Surroundings:
    """assets: symbols with token and decimals; contacts: names in lower case with accounts; owner:
    the account that an agent serves. decimals: of tokens that are no assets, by lower-case address.
    caution: by how much acting has to score more than not acting, in hundredths of a log-odd, of
    models that ask for it, None for
    the model's own. Addresses are 0x and 40 lower-case hex digits.

    Raises AgentConfigRefused.
    """

    assets: Sequence[Listing] = field(default_factory=lambda: demo_book().listings)
    contacts: Sequence[tuple[str, str]] = ()
    owner: str | None = None
    decimals: Mapping[str, int] = field(default_factory=dict)
    caution: int | None = None

    def __post_init__(self) -> None:
        try:
            check_listings(Listing(x.symbol.lower(), x.token, x.decimals) for x in self.assets)
            check_contacts(self.contacts)
        except ModelError as exc:
            raise AgentConfigRefused(f"no such surroundings: {exc}") from exc

    @classmethod
    def of(cls, **decimals: int) -> Self:
        """Of assets by symbol, with made-up addresses: `Surroundings.of(USDC=6, DAI=18)`."""
        listed = enumerate(decimals.items(), start=1)
        return cls(tuple(Listing(symbol, f"0x{i:040x}", places) for i, (symbol, places) in listed))

    @property
    def book(self) -> SymbolBook:
        return SymbolBook(tuple(self.assets))

    def context(self, prompt: bytes, reasoning: tuple[bytes, ...]) -> Context:
        """As models take it."""
        contacts = ContactBook(tuple(self.contacts))
        return Context(prompt, reasoning, self.book, contacts, self.owner, self.caution or 0)

    def decimals_of(self, token: str) -> int | None:
        """token: in lower case; None where nobody tells them."""
        listing = self.book.by_token(token)
        return listing.decimals if listing else self.decimals.get(token)

    def to_json(self) -> dict[str, Any]:
        return {
            "assets": [asdict(listing) for listing in self.assets],
            "contacts": [list(contact) for contact in self.contacts],
            "owner": self.owner,
            "decimals": dict(self.decimals),
            "caution": self.caution,
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        """Raises AgentConfigRefused: others wrote it."""
        try:
            return cls(
                tuple(Listing(**listing) for listing in found["assets"]),
                tuple((str(name), str(account)) for name, account in found["contacts"]),
                found["owner"],
                dict(found["decimals"]),
                found["caution"],
            )
        except (AttributeError, KeyError, TypeError, ValueError) as exc:
            raise AgentConfigRefused(f"no surroundings: {exc!r:.200}") from exc


__all__ = ["Surroundings"]
