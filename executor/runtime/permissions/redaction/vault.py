"""Which token stands for what within a run: in memory only, and as keyed hashes even there.

Nothing gives a value back, so a token that a tool makes up leads nowhere.
"""

import hashlib
import hmac
import secrets
from collections import Counter, OrderedDict
from threading import Lock

from zkagent.executor.runtime.permissions.redaction.leaves import TOKEN

MOST_RUNS = 4096


class Vault:
    """Of one run. Equal things get equal tokens; the numbers of tokens that are seen, such as
    those of a run that goes on in another process, are not given again."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._tokens: dict[bytes, str] = {}
        self._count: Counter[str] = Counter()
        self._lock = Lock()

    def token(self, kind: str, meant: str) -> str:
        content = f"{kind}\0{meant}".encode("utf-8", "surrogatepass")
        digest = hmac.digest(self._key, content, hashlib.sha256)
        with self._lock:
            if digest not in self._tokens:
                self._count[kind] += 1
                self._tokens[digest] = f"<{kind}:{self._count[kind]}>"
            return self._tokens[digest]

    def notice(self, text: str) -> None:
        """Tokens in it are taken."""
        if "<" not in text:
            return
        with self._lock:
            ours = set(self._tokens.values())
            for found in TOKEN.finditer(text):
                if found.group() not in ours and found[1] in TAKEN:
                    self._count[found[1]] = max(self._count[found[1]], int(found[2]))


class Vaults:
    """One for each run; the oldest are forgotten beyond 4096."""

    def __init__(self) -> None:
        self._vaults: OrderedDict[str, Vault] = OrderedDict()
        self._lock = Lock()

    def of(self, run_id: str) -> Vault:
        with self._lock:
            if (vault := self._vaults.get(run_id)) is None:
                vault = self._vaults[run_id] = Vault()
            self._vaults.move_to_end(run_id)
            if len(self._vaults) > MOST_RUNS:
                self._vaults.popitem(last=False)
            return vault


#: Kinds whose tokens count; kinds.py checks that these are all.
TAKEN = frozenset(
    "api-key jwt private-key mnemonic password secret known card iban email phone ip".split()
)

__all__ = ["MOST_RUNS", "Vault", "Vaults"]
