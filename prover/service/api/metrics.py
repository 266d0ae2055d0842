"""/metrics: what the database knows of all workers, and what this process has answered."""

from collections import Counter as Counted
from collections.abc import Iterable, Iterator, Sequence, Set

import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from zkagent.prover.service.api.guard import Application, Message, Receive, Send
from zkagent.prover.service.api.monitor import Monitor
from zkagent.prover.service.api.open_pages import PAGES
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.measures import STAGES, failures, histogram
from zkagent.prover.service.queue.tables import proofs, tallies, workers
from zkagent.prover.service.wire.states import Cause, State

#: Callers may make up others, each of which would be kept for good.
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
UNREADABLE = (Cause.DATABASE, Cause.REPLACED, Cause.CORRUPT)


class Metrics:
    """The service's registry."""

    def __init__(
        self, database: Database, monitor: Monitor, beside: Sequence[CollectorRegistry] = ()
    ) -> None:
        """beside: what is shown with it."""
        self._beside = beside
        self._registry = CollectorRegistry()
        self._registry.register(_Troubles(monitor))
        self._registry.register(_Database(database, monitor))
        self.requests = Counter(
            "zkagent_http_requests",
            "Requests answered by this process.",
            ["method", "route", "status"],
            registry=self._registry,
        )

    def render(self) -> bytes:
        """In Prometheus' text format."""
        return b"".join(map(generate_latest, (self._registry, *self._beside)))


class Counting:
    """ASGI middleware: counts what this process answers, by route."""

    def __init__(self, app: Application, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        async def count(message: Message) -> None:
            if message["type"] == "http.response.start":
                page = scope["path"] if scope["path"] in PAGES else "none"
                route = getattr(scope.get("route"), "path", page)
                method = scope["method"] if scope["method"] in METHODS else "other"
                labels = (method, route, str(message["status"]))
                self._metrics.requests.labels(*labels).inc()
            await send(message)

        await self._app(scope, receive, count if scope["type"] == "http" else send)


class _Troubles(Collector):
    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    def collect(self) -> Iterator[Metric]:
        found = Counted(trouble.cause for trouble in self._monitor.troubles)
        troubles = GaugeMetricFamily(
            "zkagent_trouble", "What is wrong, by cause.", labels=["cause"]
        )
        for cause in Cause:
            troubles.add_metric([cause], found[cause])
        yield troubles


class _Database(Collector):
    def __init__(self, database: Database, monitor: Monitor) -> None:
        self._monitor = monitor
        self._database = database

    def describe(self) -> Iterable[Metric]:
        return []  # collecting at registration would need the database

    def collect(self) -> Iterator[Metric]:
        """Nothing while the database is in trouble, which is told by `zkagent_trouble`."""
        if {trouble.cause for trouble in self._monitor.troubles} & set(UNREADABLE):
            return
        with self._database.read() as connection:
            now = self._database.now(connection)
            yield from _queue(connection, now)
            yield from _workers(connection, now, self._monitor.living)
            rows = connection.execute(sa.select(tallies)).all()
        stages = HistogramMetricFamily(
            "zkagent_stage_seconds", "Seconds that accepted proofs spent.", labels=["stage"]
        )
        for stage in STAGES:
            stages.add_metric([stage], *histogram(rows, stage))
        yield stages
        failed = CounterMetricFamily(
            "zkagent_failures", "Failed attempts by kind.", labels=["kind"]
        )
        for kind, count in failures(rows).items():
            failed.add_metric([kind], count)
        yield failed


def _queue(connection: sa.Connection, now: float) -> Iterator[Metric]:
    query = sa.select(proofs.c.state, sa.func.count()).group_by(proofs.c.state)
    counts: dict[str, int] = {row[0]: row[1] for row in connection.execute(query)}
    by_state = GaugeMetricFamily("zkagent_proofs", "Proofs by state.", labels=["state"])
    for state in State:
        if state is not State.EXPIRED:
            by_state.add_metric([state], counts.get(state, 0))
    yield by_state
    waiting = counts.get(State.WAITING, 0)
    yield GaugeMetricFamily("zkagent_queue_length", "Proofs that wait for a slot.", waiting)
    first = sa.select(sa.func.min(proofs.c.queued_at)).where(proofs.c.state == State.WAITING)
    since = connection.execute(first).scalar_one()
    age = 0.0 if since is None else max(0.0, now - since)
    yield GaugeMetricFamily("zkagent_queue_oldest_seconds", "How long the first has waited.", age)


def _workers(connection: sa.Connection, now: float, living: Set[str]) -> Iterator[Metric]:
    """living: by their heartbeats; where all are dead nobody is there who would say so in the
    table."""
    alive = workers.c.state == "alive"
    found = connection.execute(sa.select(workers).where(alive)).all()
    rows = [row for row in found if row.id in living]
    yield GaugeMetricFamily("zkagent_workers", "Workers that are alive.", len(rows))
    yield GaugeMetricFamily(
        "zkagent_slots", "Proofs that can be made at once.", sum(row.slots for row in rows)
    )
    memory = GaugeMetricFamily(
        "zkagent_memory_bytes", "Resident memory.", labels=["worker", "process"]
    )
    seen = GaugeMetricFamily(
        "zkagent_heartbeat_age_seconds", "Since a worker's last sign.", labels=["worker"]
    )
    for row in rows:
        memory.add_metric([row.id[:12], "worker"], row.memory_bytes)
        memory.add_metric([row.id[:12], "children"], row.children_bytes)
        seen.add_metric([row.id[:12]], max(0.0, now - row.seen_at))
    yield memory
    yield seen


__all__ = ["Counting", "Metrics"]
