"""The HTTP service as an ASGI application. `zkagent serve` starts it by way of `server`."""

import functools
import json
from typing import Any

from fastapi import FastAPI

from zkagent.circuits.bn254.field import INT64_MAX, INT64_MIN
from zkagent.prover.service.api.beside import NOTHING_BESIDE, Beside
from zkagent.prover.service.api.deps import Deps
from zkagent.prover.service.api.doorkeeper import Doorkeeper
from zkagent.prover.service.api.guard import Guard, GuardRules, Liveness
from zkagent.prover.service.api.limiter import Limiter
from zkagent.prover.service.api.lists import Lists
from zkagent.prover.service.api.metrics import Counting, Metrics
from zkagent.prover.service.api.monitor import Monitor
from zkagent.prover.service.api.open_pages import OpenPages
from zkagent.prover.service.api.problems import install
from zkagent.prover.service.api.routes import open_router, router
from zkagent.prover.service.api.verifications import Verifications
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.api.watchers import Watchers
from zkagent.prover.service.catalogue.catalogue import Catalogue
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import EngineQueue
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.trouble import LEAST_FREE_BYTES
from zkagent.prover.service.queue.wake import open_wake
from zkagent.prover.service.wire.schemas import Problem
from zkagent.prover.service.worker.callback_rules import CallbackRules

API_VERSION = "1"


class Service:
    """The application and what it holds open."""

    def __init__(
        self,
        database: Database,
        catalogue: Catalogue,
        rules: CallbackRules,
        guard: GuardRules,
        *,
        keys_needed: bool,
        least_free_bytes: int = LEAST_FREE_BYTES,
        beside: Beside = NOTHING_BESIDE,
    ) -> None:
        self._beside = beside
        self._queue = EngineQueue(database)
        self._wake = open_wake(database)
        self._monitor = Monitor(
            database, least_free_bytes=least_free_bytes, keys=catalogue.troubles
        )
        self.watchers = Watchers()
        self.deps = Deps(
            store=Store(database, self._queue),
            views=Views(database),
            keys=Keys(database),
            catalogue=catalogue,
            rules=rules,
            metrics=Metrics(database, self._monitor, beside.metrics),
            watchers=self.watchers,
            wake=self._wake,
            monitor=self._monitor,
            verifications=Verifications(),
            lists=Lists(),
            keys_needed=keys_needed,
        )
        doorkeeper = Doorkeeper(self.deps.keys, Limiter(), keys_needed=keys_needed)
        self.app = _application(self.deps, guard, doorkeeper, beside)
        self._wake.listen(self.watchers.woken)

    def close(self) -> None:
        self.watchers.close()
        try:
            self._beside.close()
        finally:
            self._close()

    def _close(self) -> None:
        self._monitor.close()
        self._wake.close()
        self._queue.close()
        self.deps.catalogue.close()


def _application(deps: Deps, guard: GuardRules, doorkeeper: Doorkeeper, beside: Beside) -> FastAPI:
    app = FastAPI(
        title="zkagent prover",
        version=API_VERSION,
        description="Proofs as a service: requests are named by content, proven once, and lost "
        "never. Errors are problem documents (RFC 9457).",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.deps = deps
    app.state.beside = beside.state
    plain = app.openapi
    app.openapi = lambda: _complete(plain(), deps)  # type: ignore[method-assign]
    routers = (router, *beside.routers)
    for one in (*routers, open_router):
        app.include_router(one)
    app.state.routes = [route for one in routers for route in one.routes]
    install(app, beside.kinds)
    pages = OpenPages(deps.monitor, functools.cache(lambda: json.dumps(app.openapi()).encode()))
    app.add_middleware(Guard, rules=guard, doorkeeper=doorkeeper, pages=pages, reads=beside.reads)
    app.add_middleware(Counting, metrics=deps.metrics)
    app.add_middleware(Liveness)
    return app


def _complete(document: dict[str, Any], deps: Deps) -> dict[str, Any]:
    """Add the problem document's schema; say when no key is needed."""
    schemas = document["components"]["schemas"]
    if "Problem" not in schemas:
        template = "#/components/schemas/{model}"
        problem = Problem.model_json_schema(ref_template=template)
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        for path in document["paths"].values():
            for operation in path.values():
                if not deps.keys_needed and "security" in operation:
                    operation["security"] = [{}, *operation["security"]]
        _make_exact(document)
    return document


def _make_exact(node: Any) -> None:
    """FastAPI writes bounds as floats, which cannot hold those of 64-bit integers."""
    if isinstance(node, dict):
        for name, exact in (("minimum", INT64_MIN), ("maximum", INT64_MAX)):
            if isinstance(node.get(name), float) and node[name] == float(exact):
                node[name] = exact
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            _make_exact(child)


__all__ = ["Service"]
