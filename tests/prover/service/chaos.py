"""Chaos: proofs asked for while services and workers are killed, stopped and woken at random.

In the test suite in a short form; the long one is `make chaos`, or, with Postgres,
`python -m tests.prover.service.chaos --proofs 1000 --kills 150 --postgres`.
"""

import argparse
import contextlib
import random
import secrets
import signal
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tests.support.fleet import Fleet, Member, eventually, postgres
from zkagent.circuits.artifacts import Proof
from zkagent.prover.client import ServiceClient, Wanted
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.tables import proofs, results, tallies
from zkagent.prover.service.wire.states import State

STALE_S = 3.0
WAITING = proofs.c.state == State.WAITING
OPTIONS = ("--stale", str(STALE_S), "--max-deaths", "40", "--max-crashes", "40", "--grace", "2")


@dataclass(frozen=True)
class Plan:
    """How bad it gets. seed: of the kills, not of the scheduler's moods."""

    proofs: int = 100
    kills: int = 15
    massacres: int = 2
    seed: int = 7
    pause_s: tuple[float, float] = (0.1, 0.8)


@dataclass
class Report:
    """What happened; `failures` is empty when all is well."""

    requests: int = 0
    kills: int = 0
    massacres: int = 0
    fenced: bool = False
    seconds: float = 0.0
    deaths: int = 0
    failures: list[str] = field(default_factory=list)


class Chaos:
    """One run on one fleet: a service with a slot, and two workers."""

    def __init__(
        self, fleet: Fleet, plan: Plan, circuit: str, verify: Callable[[Proof], bool]
    ) -> None:
        self._fleet = fleet
        self._plan = plan
        self._circuit = circuit
        self._verify = verify
        self._random = random.Random(plan.seed)
        self._living: dict[str, Member] = {}
        self._features = [[number, 7, -3, 11] for number in range(plan.proofs)]
        self._ids: list[str] = []
        self._killed = threading.Semaphore(2)  # batches ahead of the kills
        self._asking = threading.Lock()
        self._database = Database(fleet.database_url)
        self.report = Report()

    def run(self) -> Report:
        started = time.monotonic()
        self._fleet.prepare()
        with ThreadPoolExecutor() as threads:
            list(threads.map(self._begin, ("service", "worker 1", "worker 2")))
        asking = threading.Thread(target=self._ask_all, daemon=True)
        asking.start()
        for number in range(self._plan.kills):
            if number % (self._plan.kills // self._plan.massacres) == 2:
                self._massacre()
            else:
                self._kill(self._random.choice(list(self._living)))
            if number == self._plan.kills // 2:
                self._stop_and_wake()
            self._killed.release()
        asking.join()
        self._collect()
        self.report.seconds = time.monotonic() - started
        self._database.close()
        self._fleet.end()
        self.report.failures += [f"left behind: {line}" for line in self._fleet.survivors()]
        return self.report

    def _begin(self, name: str) -> None:
        member = self._fleet.serve() if name == "service" else self._fleet.work()
        self._living[name] = member

    def _ask_all(self) -> None:
        """Each at least once and every second one twice, in batches as the killing goes on, so
        that there is always something to lose."""
        planned = self._features[: self._plan.proofs]
        again = planned[::2]
        self._random.shuffle(again)
        wishes = [*planned, *again]
        size = -(-len(wishes) // self._plan.kills)
        try:
            with self._fleet.client(patience_s=300) as client:
                for number, features in enumerate(wishes):
                    if number and number % size == 0:
                        self._killed.acquire()
                    self._ask(client, features)
        except Exception as exc:
            self.report.failures.append(f"asking failed: {exc!r}")

    def _kill(self, name: str) -> None:
        time.sleep(self._random.uniform(*self._plan.pause_s))
        self._living.pop(name).kill()
        self.report.kills += 1
        self._begin(name)

    def _massacre(self) -> None:
        """Everybody at once."""
        time.sleep(self._random.uniform(*self._plan.pause_s))
        names = list(self._living)
        for name in names:
            self._living[name].process.kill()
        for name in names:
            self._living.pop(name).process.wait()
        self.report.kills += len(names)
        self.report.massacres += 1
        with ThreadPoolExecutor() as threads:
            list(threads.map(self._begin, names))

    def _stop_and_wake(self) -> None:
        """A worker is stopped in mid-proof, its proof goes to another, then it wakes up."""
        worker = self._living["worker 1"]
        worker_id = worker.said.removeprefix("worker ")
        held = self._stop_in_mid_proof(worker, worker_id)
        eventually(lambda: not self._held_by(worker_id), 100 * STALE_S)
        eventually(lambda: all(self._made_by(proof) for proof in held), 900)  # last in line
        worker.process.send_signal(signal.SIGCONT)
        time.sleep(1.5)
        self.report.fenced = all(self._made_by(proof) != worker_id for proof in held)
        if worker.process.poll() is not None:
            self.report.failures.append("the woken worker ended")

    def _stop_in_mid_proof(self, worker: Member, worker_id: str) -> list[str]:
        """Stop and wake it until it is caught holding something; there is always work."""
        deadline = time.monotonic() + 300
        with self._fleet.client(patience_s=300) as client:
            while time.monotonic() < deadline:
                if len(self._rows(sa.select(proofs.c.id).where(WAITING))) < 8:
                    for _ in range(8):
                        self._ask(client, [len(self._features), 7, -3, 11], new=True)
                worker.process.send_signal(signal.SIGSTOP)
                eventually(partial(_is_stopped, worker.process.pid))
                if (held := self._held_by(worker_id)) and self._can_write():
                    return held
                worker.process.send_signal(signal.SIGCONT)
                time.sleep(self._random.uniform(0.01, 0.1))
        raise AssertionError("the worker was never caught in mid-proof")

    def _ask(self, client: ServiceClient, features: list[int], *, new: bool = False) -> None:
        with self._asking:
            if new:
                self._features.append(features)
            self._ids.append(client.submit(Wanted.of_features(self._circuit, features)).id)
            self.report.requests += 1

    def _can_write(self) -> bool:
        """Whether it was not stopped while it held SQLite's write lock, which nobody can take
        away from a process that lives."""
        if self._database.is_postgres:
            return True
        path = str(self._database.url.database)
        with contextlib.closing(sqlite3.connect(path, timeout=0.2)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            connection.rollback()
            return True

    def _held_by(self, worker: str) -> list[str]:
        query = sa.select(proofs.c.id).where(
            (proofs.c.worker == worker) & (proofs.c.state == State.PROVING)
        )
        return [row.id for row in self._rows(query)]

    def _made_by(self, proof_id: str) -> str | None:
        query = sa.select(results.c.worker).where(results.c.proof_id == proof_id)
        return next((str(row.worker) for row in self._rows(query)), None)

    def _rows(self, query: Any) -> list[Any]:
        with self._database.read() as connection:
            return list(connection.execute(query).all())

    def _collect(self) -> None:
        """Every request has ended, exactly once, with a valid proof of what was asked."""
        complain = self.report.failures.append
        with self._fleet.client(patience_s=300) as client:
            for proof_id in dict.fromkeys(self._ids):
                view = client.wait(proof_id, timeout_s=900)
                assert view.result
                proof = Proof.from_json(view.result.proof.model_dump_json())
                if not self._verify(proof):
                    complain(f"{proof_id} has a false proof")
        rows = self._rows(sa.select(proofs.c.inputs, proofs.c.deaths).select_from(proofs))
        proven = Counter(row.inputs for row in rows)
        if len(proven) != len(self._features) or max(proven.values()) != 1:
            complain(f"{len(proven)} things proven, {len(self._features)} asked for")
        count = self._rows(sa.select(sa.func.count()).select_from(results))[0][0]
        total = tallies.c.label.startswith("total:") & (tallies.c.name == "stage_bucket")
        accepted = sum(row.value for row in self._rows(sa.select(tallies).where(total)))
        if (count, accepted) != (len(self._features), len(self._features)):
            complain(f"{count} results, {accepted:g} acceptances for {len(self._features)} proofs")
        self.report.deaths = sum(row.deaths for row in rows)


def _is_stopped(pid: int) -> bool:
    """Whether no thread runs any more: a signal is sent before it is obeyed."""
    tasks = Path(f"/proc/{pid}/task").glob("*/stat")
    try:
        return all(task.read_text().rpartition(") ")[2].startswith("T") for task in tasks)
    except OSError:  # a thread ended meanwhile
        return False


def verify_fake(catalogue: FakeCatalogue) -> Callable[[Proof], bool]:
    return lambda proof: bool(catalogue.verify(proof))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--proofs", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=150)
    parser.add_argument("--massacres", type=int, help="of everybody at once; by default 10 in 150")
    parser.add_argument("--seconds", type=float, default=0.3, help="processor time per proof")
    parser.add_argument("--seed", type=int, help="of the kills; a fresh one by default")
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    massacres = given.massacres or max(1, given.kills // 15)
    plan = Plan(given.proofs, given.kills, massacres, seed)
    with tempfile.TemporaryDirectory(prefix="zkagent-chaos-") as folder:
        catalogue = FakeCatalogue(Path(folder), {"chaos": given.seconds})
        if given.postgres:
            with postgres() as url:
                report = _run(Path(folder), url, catalogue, plan)
        else:
            report = _run(Path(folder), f"sqlite:///{folder}/service.sqlite", catalogue, plan)
    print(report)
    raise SystemExit(bool(report.failures))


def _run(home: Path, url: str, catalogue: FakeCatalogue, plan: Plan) -> Report:
    fleet = Fleet(home, url, catalogue, OPTIONS)
    try:
        return Chaos(fleet, plan, "chaos", verify_fake(catalogue)).run()
    finally:
        fleet.end()


if __name__ == "__main__":
    main()
