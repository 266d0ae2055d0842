"""One decision of a run that is played without a chain, and what it leaves for the next."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import NO_CONTACTS, ContactBook, SymbolBook
from zkagent.models.encoding.context import Context, escape_observation
from zkagent.models.encoding.decoder import Decision
from zkagent.models.errors import RefusedArgument, RefusedText

ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
DECIMALS = 18  # of a token that the book does not list
#: Whom a played agent serves.
OWNER = "0x" + "0d" * 20


@dataclass(frozen=True)
class Wallet:
    """What a played agent knows, beside its tools. caution: as `Context` has it."""

    book: SymbolBook
    contacts: ContactBook = NO_CONTACTS
    caution: int = 0


def decided(
    model: Model, wallet: Wallet, prompt: str, reasoning: tuple[bytes, ...] = ()
) -> Decision | None:
    """None when the prompt or an argument is refused."""
    said, book = prompt.encode(errors="surrogatepass"), wallet.book
    context = Context(said, reasoning, book, wallet.contacts, OWNER, wallet.caution)
    decimals = {address.lower(): DECIMALS for address in ADDRESS.findall(prompt)}
    try:
        return model.decide(context, decimals=decimals)
    except (RefusedText, RefusedArgument):
        return None


def entry_of(
    model: Model, action: str, arguments: Iterable[tuple[str, str]], observation: str
) -> bytes:
    """What a run keeps of a call, as the contract writes it."""
    (prefix,) = (each.prefix for each in model.manifest.actions if each.name == action)
    body = json.dumps(dict(arguments), separators=(",", ":")).encode()
    told = escape_observation(observation.encode())
    return prefix + body + b"\nObservation: " + told + b"\n"


__all__ = ["OWNER", "Wallet", "decided", "entry_of"]
