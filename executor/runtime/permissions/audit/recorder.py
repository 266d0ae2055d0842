"""Where what was refused or changed is written down: the contract, and one in memory."""

import hashlib
import hmac
import secrets
from collections import deque
from typing import Protocol

from zkagent.executor.runtime.core.json_values import Json, JsonObject, canonical

KEPT_IN_MEMORY = 10_000


class Audit(Protocol):
    def digest(self, value: Json) -> str:
        """Of a value: keyed, so that whoever reads the log cannot try guesses at it."""

    async def record(self, what: JsonObject) -> None:
        """On the disk when it returns. Raises AuditBroken."""


class MemoryAudit:
    """For tests and for hosts that keep no log: the last 10,000 records."""

    def __init__(self) -> None:
        self.records: deque[JsonObject] = deque(maxlen=KEPT_IN_MEMORY)
        self._key = secrets.token_bytes(32)

    def digest(self, value: Json) -> str:
        return keyed_digest(self._key, value)

    async def record(self, what: JsonObject) -> None:
        self.records.append(what)


def keyed_digest(key: bytes, value: Json) -> str:
    """HMAC-SHA256 of the value as canonical JSON, in hex; of what is no JSON, of its type."""
    try:
        text = canonical(value)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


__all__ = ["KEPT_IN_MEMORY", "Audit", "MemoryAudit", "keyed_digest"]
