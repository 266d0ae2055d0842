"""Who is calling, found out from a request's head: before a body is read, and counted."""

import hashlib
import time
from collections import OrderedDict

import sqlalchemy as sa

from zkagent.prover.service.api.limiter import Limiter
from zkagent.prover.service.errors import DatabaseLost, KeyRefused
from zkagent.prover.service.queue.keys import LOCAL, Allowance, Caller, Keys

#: Whoever needs no key may do as much as this machine can.
NO_KEY = Caller(LOCAL, Allowance(1_000_000, 1_000_000, 10_000_000, urgent=True))
REMEMBERED = 1000
REMEMBERED_S = 3600.0
SCHEME = "bearer "


class Doorkeeper:
    """Lets callers in."""

    def __init__(self, keys: Keys, limiter: Limiter, *, keys_needed: bool) -> None:
        self.keys_needed = keys_needed
        self._keys = keys
        self._limiter = limiter
        self._known: OrderedDict[str, tuple[Caller, float]] = OrderedDict()

    def admit(self, authorization: str | None, *, remembered: bool = False) -> Caller:
        """The caller, counted. A key that is given must be right, needed or not. remembered: one
        that was right within the last hour will do while the database does not answer. Raises
        KeyRefused, QuotaExceeded."""
        if authorization is not None:
            if not authorization.lower().startswith(SCHEME):
                raise KeyRefused
            caller = self._authenticated(authorization[len(SCHEME) :].strip(), remembered)
        elif self.keys_needed:
            raise KeyRefused
        else:
            caller = NO_KEY
        self._limiter.admit(caller)
        return caller

    def _authenticated(self, text: str, remembered: bool) -> Caller:
        name = hashlib.sha256(text.encode()).hexdigest()
        try:
            caller = self._keys.authenticate(text)
        except (sa.exc.SQLAlchemyError, DatabaseLost):
            known, when = self._known.get(name, (None, 0.0))
            if not remembered or known is None or time.monotonic() - when > REMEMBERED_S:
                raise
            return known
        except KeyRefused:
            self._known.pop(name, None)
            raise
        self._known[name] = (caller, time.monotonic())
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return caller


__all__ = ["NO_KEY", "Doorkeeper"]
