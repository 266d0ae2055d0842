"""All there is to look for, by kind: secrets, payment, personal data."""

from collections.abc import Collection, Sequence

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.permissions.redaction import context, financial, keys, personal
from zkagent.executor.runtime.permissions.redaction.mnemonics import PHRASE
from zkagent.executor.runtime.permissions.redaction.spans import Detector

SECRETS = frozenset({"api-key", "jwt", "private-key", "mnemonic", "password", "secret", "known"})
PAYMENT = frozenset({"card", "iban"})
PERSONAL = frozenset({"email", "phone", "ip"})
KINDS = SECRETS | PAYMENT | PERSONAL
#: In this order: of two that begin together and are of one length, the first tells the kind.
DETECTORS: Sequence[Detector] = (
    keys.BLOCK,
    keys.TOKEN,
    keys.SERVICE_KEY,
    keys.CHAIN,
    PHRASE,
    context.URL_PASSWORD,
    context.CALLED_KEY,
    context.ASSIGNMENT,
    financial.CARD,
    financial.IBAN,
    personal.EMAIL,
    personal.TELEPHONE,
    personal.IP,
    keys.OPEN_BLOCK,
)


def detectors(kinds: Collection[str], *, any_hex_key: bool = False) -> tuple[Detector, ...]:
    """any_hex_key: 32 bytes in hex are a private key, whatever they are called. Raises
    AgentConfigRefused."""
    if isinstance(kinds, str) or not set(kinds) <= KINDS:
        raise AgentConfigRefused(f"kinds = {kinds!r}: take some of {', '.join(sorted(KINDS))}")
    found = tuple(each for each in DETECTORS if each.kind in kinds)
    return (*found, context.ANY_KEY) if any_hex_key and "private-key" in kinds else found


__all__ = ["DETECTORS", "KINDS", "PAYMENT", "PERSONAL", "SECRETS", "detectors"]
