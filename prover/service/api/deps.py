"""What the routes work with, and who is calling: known without waiting, so no thread is needed."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from zkagent.prover.service.api.guard import CALLER
from zkagent.prover.service.api.lists import Lists
from zkagent.prover.service.api.metrics import Metrics
from zkagent.prover.service.api.monitor import Monitor
from zkagent.prover.service.api.verifications import Verifications
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.api.watchers import Watchers
from zkagent.prover.service.catalogue.catalogue import Catalogue
from zkagent.prover.service.queue.keys import Caller, Keys
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.wake import Wake
from zkagent.prover.service.worker.callback_rules import CallbackRules

_bearer = HTTPBearer(auto_error=False, description="zk_..., from `zkagent key create`")


@dataclass(frozen=True)
class Deps:
    """Kept in `app.state.deps`. keys_needed: also on loopback."""

    store: Store
    views: Views
    keys: Keys
    catalogue: Catalogue
    rules: CallbackRules
    metrics: Metrics
    watchers: Watchers
    wake: Wake
    monitor: Monitor
    verifications: Verifications
    lists: Lists
    keys_needed: bool


async def _deps(request: Request) -> Deps:
    deps = request.app.state.deps
    assert isinstance(deps, Deps)
    return deps


Using = Annotated[Deps, Depends(_deps)]


async def _caller(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Caller:
    """Whose request this is, as the guard found out; credentials are for the API's description."""
    caller = request.scope[CALLER]
    assert isinstance(caller, Caller)
    return caller


From = Annotated[Caller, Depends(_caller)]

__all__ = ["Deps", "From", "Using"]
