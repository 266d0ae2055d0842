"""Puts runs beside the prover's service: what `zkagent serve --agents` gives to it."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence

from zkagent.executor.runtime.api.access import Access
from zkagent.executor.runtime.api.bodies import is_read
from zkagent.executor.runtime.api.desk import RunsDesk
from zkagent.executor.runtime.api.live import Live
from zkagent.executor.runtime.api.routes import router
from zkagent.executor.runtime.core import errors
from zkagent.executor.runtime.core.runs import Runs
from zkagent.executor.runtime.events.metrics import RunMetrics
from zkagent.executor.runtime.running.background import background
from zkagent.prover.service.api.beside import Beside
from zkagent.prover.service.queue.wake import CHANGED

#: Errors of runs -> (status, name of the problem). Subclasses before their roots.
KINDS: tuple[tuple[type[Exception], int, str], ...] = (
    (errors.RunUnknown, 404, "unknown-run"),
    (errors.AgentUnknown, 404, "unknown-agent"),
    (errors.RoleMissing, 403, "role-missing"),
    (errors.ApprovalNeeded, 409, "nothing-waits"),
    (errors.NotFinished, 409, "not-finished"),
    (errors.MemoryFault, 503, "runs-unavailable"),
    (errors.RunTakenOver, 409, "run-elsewhere"),
    (errors.RecordsBroken, 500, "records-broken"),
    (errors.JournalFault, 503, "runs-unavailable"),
    (errors.RuntimeFault, 422, "run-refused"),
)
log = logging.getLogger(__name__)
#: For runs to end or be left (twice STOP_S of a service), and for clients to be closed.
CLOSE_S = 20.0
Woken = Callable[[str, str], None]


class Mounted:
    """keys: a key's id to its roles, see access.py. `begin` takes up what was left, when
    there is a service that answers. Raises AgentConfigRefused."""

    def __init__(
        self,
        runs: Runs,
        keys: Mapping[str, frozenset[str]] | None = None,
        metrics: Sequence[RunMetrics] = (),
    ) -> None:
        self._runs = runs
        self._woken: Woken = _nobody
        live = Live(lambda run_id: self._woken(CHANGED, run_id))
        runs.listen(live.take)
        self.beside = Beside(
            routers=(router,),
            state=RunsDesk(runs, Access(keys), live),
            kinds=KINDS,
            reads=is_read,
            metrics=[one.registry for one in metrics],
            close=self._close,
        )

    def begin(self, woken: Woken) -> None:
        """woken: the service's wake-ups."""
        self._woken = woken
        background.run(self._runs.open())

    def _close(self) -> None:
        """Clients of the host's that fail or hang keep nothing else from being closed."""
        try:
            background.run(asyncio.wait_for(self._runs.close(), CLOSE_S))
        except Exception as exc:  # its text may hold anything
            log.warning("runs were not closed: %s", type(exc).__name__)


def _nobody(topic: str, run_id: str) -> None:
    """There is no service yet that anybody could wait at."""


__all__ = ["KINDS", "Mounted"]
