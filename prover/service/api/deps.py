"""What the routes work with, and who is calling."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from zkagent.prover.service.api.limiter import Limiter
from zkagent.prover.service.api.metrics import Metrics
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.api.watchers import Watchers
from zkagent.prover.service.catalogue.catalogue import Catalogue
from zkagent.prover.service.errors import KeyRefused
from zkagent.prover.service.queue.keys import LOCAL, Allowance, Caller, Keys
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.wake import Wake
from zkagent.prover.service.wire.schemas import Health
from zkagent.prover.service.worker.callback_rules import CallbackRules

#: Whoever needs no key may do as much as this machine can.
NO_KEY = Caller(LOCAL, Allowance(1_000_000, 1_000_000, 10_000_000, urgent=True))

_bearer = HTTPBearer(auto_error=False, description="zk_..., from `zkagent key create`")


@dataclass(frozen=True)
class Deps:
    """Kept in `app.state.deps`. keys_needed: also on loopback."""

    store: Store
    views: Views
    keys: Keys
    catalogue: Catalogue
    rules: CallbackRules
    limiter: Limiter
    metrics: Metrics
    watchers: Watchers
    wake: Wake
    ready: Callable[[], Health]
    keys_needed: bool


def _deps(request: Request) -> Deps:
    deps = request.app.state.deps
    assert isinstance(deps, Deps)
    return deps


Using = Annotated[Deps, Depends(_deps)]


def _caller(
    request: Request,
    deps: Using,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Caller:
    """Whose request this is, counted. A key that is given must be right, needed or not."""
    if credentials is not None:
        caller = deps.keys.authenticate(credentials.credentials)
    elif deps.keys_needed or "authorization" in request.headers:
        raise KeyRefused
    else:
        caller = NO_KEY
    deps.limiter.admit(caller)
    return caller


From = Annotated[Caller, Depends(_caller)]

__all__ = ["NO_KEY", "Deps", "From", "Using"]
