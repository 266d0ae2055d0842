"""Counters in the database, so that they outlive processes and add up over all workers.

Histograms are kept as Prometheus wants them: cumulative buckets, sum and count.
"""

from collections.abc import Iterable

import sqlalchemy as sa

from zkagent.prover.service.queue.database import add
from zkagent.prover.service.queue.store import ProofRow
from zkagent.prover.service.queue.tables import tallies
from zkagent.prover.service.wire.states import Failure

STAGES = ("waiting", "proving", "verifying", "total")
BUCKETS_S = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


def count_success(
    connection: sa.Connection, proof: ProofRow, prove_s: float, verify_s: float, now: float
) -> None:
    """Record what an accepted proof took, stage by stage."""
    seconds = {
        "waiting": max(0.0, (proof.started_at or now) - proof.queued_at),
        "proving": prove_s,
        "verifying": verify_s,
        "total": max(0.0, now - proof.created_at),
    }
    for stage, taken in seconds.items():
        add(connection, tallies, {"name": "stage_sum", "label": stage, "value": taken}, "value")
        bucket = f"{stage}:{_bucket(taken)}"
        add(connection, tallies, {"name": "stage_bucket", "label": bucket, "value": 1}, "value")


def count_failure(connection: sa.Connection, failure: Failure) -> None:
    """Record a failed attempt by its kind."""
    add(connection, tallies, {"name": "failures", "label": failure, "value": 1}, "value")


def failures(rows: Iterable[sa.Row[tuple[str, str, float]]]) -> dict[str, float]:
    """Failed attempts by kind; kinds that never happened are 0."""
    found = {row.label: row.value for row in rows if row.name == "failures"}
    return {failure.value: found.get(failure.value, 0.0) for failure in Failure}


def histogram(
    rows: Iterable[sa.Row[tuple[str, str, float]]], stage: str
) -> tuple[list[tuple[str, float]], float]:
    """(cumulative buckets by upper bound, sum of seconds) of one stage."""
    values = {(row.name, row.label): row.value for row in rows}
    buckets, total = [], 0.0
    for bound in (*map(str, BUCKETS_S), "+Inf"):
        total += values.get(("stage_bucket", f"{stage}:{bound}"), 0.0)
        buckets.append((bound, total))
    return buckets, values.get(("stage_sum", stage), 0.0)


def _bucket(seconds: float) -> str:
    return next((str(bound) for bound in BUCKETS_S if seconds <= bound), "+Inf")


__all__ = ["BUCKETS_S", "STAGES", "count_failure", "count_success", "failures", "histogram"]
