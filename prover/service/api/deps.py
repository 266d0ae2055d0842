"""What the routes work with, and who is calling."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from prover.service.api.limiter import Limiter
from prover.service.api.metrics import Metrics
from prover.service.api.schemas import Health
from prover.service.api.watchers import Watchers
from prover.service.catalogue import Catalogue
from prover.service.errors import KeyRefused
from prover.service.keys import LOCAL, Allowance, Caller, Keys
from prover.service.store import Store
from prover.service.views import Views
from prover.service.wake import Wake
from prover.service.worker.callbacks import CallbackRules

#: Whoever needs no key may do as much as this machine can.
NO_KEY = Caller(LOCAL, Allowance(per_minute=1_000_000, unfinished=1_000_000, per_day=10_000_000))

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
