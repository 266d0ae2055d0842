"""One decision of a run that is played without a chain, and what it leaves for the next."""

import json
import re
from collections.abc import Iterable

from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import SymbolBook
from zkagent.models.encoding.context import Context, escape_observation
from zkagent.models.encoding.decoder import Decision
from zkagent.models.errors import RefusedArgument, RefusedText

ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
DECIMALS = 18  # of a token that the book does not list


def decided(
    model: Model, book: SymbolBook, prompt: str, reasoning: tuple[bytes, ...] = ()
) -> Decision | None:
    """None when the prompt or an argument is refused."""
    context = Context(prompt.encode(errors="surrogatepass"), reasoning, book)
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


__all__ = ["decided", "entry_of"]
