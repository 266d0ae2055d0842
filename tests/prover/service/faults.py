"""Faults: a service whose disk, keys, clock, database or peers fail, and which then is mended.

Each fault ends with the same questions: has every request that was acknowledged its proof, is no
verdict wrong, was nothing that would be lost acknowledged, did `/healthz` answer in time, did
`/readyz` and the metrics name the cause, and is no input in any log? The faults stand in
storage_faults.py, peer_faults.py and worker_faults.py. In the test suite in a short form; the long
one is `make faults`, or `python -m tests.prover.service.faults --rounds 10`.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import httpx

from tests.prover.service import peer_faults, storage_faults, worker_faults
from tests.prover.service.ward import Report, Ward
from tests.support.fleet import postgres
from zkagent.prover.service.errors import ServiceError
from zkagent.prover.service.wire import exchange

Fault = Callable[[Ward], None]
ON_SQLITE: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        storage_faults.full_temporary_disk,
        storage_faults.full_database_disk,
        worker_faults.troubled_keys,
        worker_faults.failing_engine,
        worker_faults.unlike_workers,
        storage_faults.unlinked_database,
        storage_faults.replaced_database,
        storage_faults.removed_log,
        storage_faults.emptied_log,
        storage_faults.locked_database,
        peer_faults.slow_bodies,
        peer_faults.slow_bodies_without_a_key,
        peer_faults.untaken_answers,
        peer_faults.untaken_streams,
        peer_faults.heavy_bodies,
        peer_faults.hanging_callbacks,
        worker_faults.dead_workers,
        worker_faults.jumping_clock,
        worker_faults.refused_inputs,
        storage_faults.refused_writes,
    )
}
#: In the test suite; the others only in the long form.
SHORT = (
    "full_temporary_disk",
    "full_database_disk",
    "troubled_keys",
    "unlike_workers",
    "unlinked_database",
    "slow_bodies",
    "untaken_answers",
    "untaken_streams",
    "heavy_bodies",
    "hanging_callbacks",
    "jumping_clock",
)
ON_POSTGRES: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        storage_faults.restarted_postgres,
        storage_faults.stopped_postgres,
        storage_faults.read_only_postgres,
        storage_faults.refused_writes,
        worker_faults.skewed_clocks,
        worker_faults.troubled_keys,
        worker_faults.unlike_workers,
        peer_faults.hanging_callbacks,
        worker_faults.dead_workers,
        storage_faults.full_temporary_disk,
    )
}


def run(home: Path, url: str, name: str, faults: dict[str, Fault] = ON_SQLITE) -> Report:
    """One fault from beginning to end."""
    report, began = Report(name), time.monotonic()
    ward = Ward(home, url, report)
    try:
        with mock.patch.object(exchange, "SHORTEST_S", 60.0):  # or a stalled machine is a refusal
            faults[name](ward)
    except (AssertionError, ServiceError, httpx.HTTPError) as exc:
        report.failures.append(f"{type(exc).__name__}: {exc}")
    finally:
        ward.end()
    report.seconds = time.monotonic() - began
    report.judge()
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", action="append", help="this fault alone; may be repeated")
    parser.add_argument("--sqlite", action="store_true", help="leave Postgres out")
    parser.add_argument("--postgres", action="store_true", help="leave SQLite out")
    given = parser.parse_args()
    failed = 0
    for _ in range(given.rounds):
        for name in () if given.postgres else ON_SQLITE:
            with tempfile.TemporaryDirectory(prefix="zkagent-faults-") as folder:
                url = f"sqlite:///{folder}/db/service.sqlite"
                failed += _told(run(Path(folder), url, name)) if _wanted(given, name) else 0
        for name in () if given.sqlite else ON_POSTGRES:
            with tempfile.TemporaryDirectory(prefix="zkagent-faults-") as folder, postgres() as url:
                report = run(Path(folder), url, name, ON_POSTGRES) if _wanted(given, name) else None
                failed += _told(report) if report else 0
    raise SystemExit(min(failed, 100))


def _wanted(given: argparse.Namespace, name: str) -> bool:
    return not given.only or name in given.only


def _told(report: Report) -> int:
    """Print it; how many failures."""
    verdict = "; ".join(report.failures + report.paces) or "well"
    print(
        f"{report.fault}: {report.acknowledged} acknowledged, {report.refused} refused, healthz "
        f"{len(report.healthz_s)} times, {report.slowest_s * 1000:.0f} ms at most, "
        f"{report.seconds:.0f} s: {verdict}",
        flush=True,
    )
    return len(report.failures + report.paces)


if __name__ == "__main__":
    main()
