"""A service in the care of a test: what is asked of it while something fails, and how it is judged
once that is mended; faults.py has what fails."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa

from tests.support.checkout import ROOT
from tests.support.fleet import Fleet, Member, eventually
from zkagent.circuits.artifacts import Proof
from zkagent.prover.client import ServiceClient, Wanted
from zkagent.prover.service.errors import ServiceAnswered, ServiceUnreachable
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.queue.tables import results, tallies

SLOW_HEALTHZ_S = 0.2
SLOW_SHARE = 0.01  # of answers, since the machine has other things to do, too
HELD_UP_S = 1.0
LEAST_ASKED_S = 2.0  # where a fault takes less time, it lasts on
STUCK_HEALTHZ_S = 30.0  # whoever asks whether a service lives gives up after some seconds
MARKER = 7391846250  # in every input; wherever it turns up, inputs do
OPTIONS = ("--stale", "3", "--grace", "1", "--least-free", "2", "--max-deaths", "40")


@dataclass
class Report:
    """What a fault did; `failures` is empty when all is well, and so is `paces`, unless the machine
    has other things to do."""

    fault: str
    failures: list[str] = field(default_factory=list)
    paces: list[str] = field(default_factory=list)
    acknowledged: int = 0
    refused: int = 0
    healthz_s: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def slowest_s(self) -> float:
        return max(self.healthz_s, default=0.0)

    def judge(self) -> None:
        """Whether `/healthz` was there throughout."""
        slow = sum(took > SLOW_HEALTHZ_S for took in self.healthz_s)
        if slow > max(1, SLOW_SHARE * len(self.healthz_s)) or self.slowest_s > HELD_UP_S:
            self.paces.append(
                f"/healthz was slow {slow} of {len(self.healthz_s)} times, {self.slowest_s:.2f} s"
            )
        if self.slowest_s > STUCK_HEALTHZ_S:
            self.failures.append(f"/healthz took {self.slowest_s:.2f} s")
        if len(self.healthz_s) < 10:
            self.failures.append("/healthz was hardly asked")


class Ward:
    """One fleet, its requests, and somebody who asks all the time whether it lives."""

    def __init__(self, home: Path, url: str, report: Report) -> None:
        self.home = home
        self.report = report
        (home / "db").mkdir(exist_ok=True)
        self.database_file = home / "db" / "service.sqlite"
        self.temporary = home / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self.catalogue = FakeCatalogue(home, {"quick": 0.02})
        self.fleet = Fleet(home, url, self.catalogue, OPTIONS)
        self.fleet.environment = {"TMPDIR": str(self.temporary)}
        self.acknowledged: dict[str, list[int]] = {}
        self._number = random.randrange(1 << 20) * 10_000
        self._probe: subprocess.Popen[str] | None = None
        self._asked_from = 0.0

    def complain(self, what: str) -> None:
        self.report.failures.append(what)

    def begin(self, *options: str, slots: int = 1) -> Member:
        member = self.fleet.serve(*options, slots=slots)
        self.prove(1)
        assert self.acknowledged, "a service whose address was told does not answer"
        self._asked_from = time.monotonic()
        self._probe = subprocess.Popen(
            [sys.executable, "-m", "tests.prover.service.liveness", str(self.fleet.port)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return member

    def end(self) -> None:
        self.stop_asking()
        self.fleet.end()

    def stop_asking(self) -> None:
        """Count how `/healthz` answered up to now; nobody asks any more."""
        probe, self._probe = self._probe, None
        if probe:
            time.sleep(max(0.0, self._asked_from + LEAST_ASKED_S - time.monotonic()))
            for took in json.loads(probe.communicate(timeout=120)[0]):
                if took < 0:
                    self.complain(f"/healthz did not answer ({-took:.2f} s)")
                self.report.healthz_s.append(abs(took))

    def inputs(self, order: int | None = None) -> list[int]:
        self._number += 1
        first = self._number if order is None else order
        return [first, MARKER, -MARKER, self._number]

    def submit(self, count: int, order: int | None = None, **wishes: Any) -> list[str]:
        """Ask so often; the ids of what was acknowledged."""
        found = []
        with self.client() as client:
            for _ in range(count):
                x = self.inputs(order)
                try:
                    view = client.submit(Wanted.of_features("quick", x, **wishes))
                except (ServiceAnswered, ServiceUnreachable) as exc:
                    self.report.refused += 1
                    if isinstance(exc, ServiceAnswered) and exc.status != 503:
                        self.complain(f"{exc.status} instead of 503")
                    continue
                self.acknowledged[view.id] = x
                found.append(view.id)
        self.report.acknowledged += len(found)
        return found

    def prove(self, count: int) -> None:
        for proof_id in self.submit(count):
            with self.client(120) as client:
                client.wait(proof_id, timeout_s=300)

    def client(self, patience_s: float = 0) -> ServiceClient:
        return self.fleet.client(patience_s=patience_s)

    def ready(self) -> dict[str, Any]:
        answer = httpx.get(f"{self.fleet.url}/readyz", timeout=120)
        document: dict[str, Any] = answer.json()
        return {**document, "http": answer.status_code}

    def is_named(self, cause: str) -> bool:
        """Whether `/readyz` names the cause."""
        return cause in {trouble["cause"] for trouble in self.ready()["troubles"]}

    def expect(self, cause: str, *, ready: bool, timeout_s: float = 120) -> None:
        """Cause, status and metrics agree before long."""
        wanted = 200 if ready else 503

        def found() -> bool:
            seen = self.ready()
            causes = {trouble["cause"] for trouble in seen["troubles"]}
            return cause in causes and seen["http"] == wanted

        self._within(found, timeout_s, f"/readyz does not say {cause} with {wanted}")
        text = httpx.get(f"{self.fleet.url}/metrics", timeout=120).text
        if f'zkagent_trouble{{cause="{cause}"}} 0.0' in text or "zkagent_trouble" not in text:
            self.complain(f"metrics do not name {cause}")

    def expect_well(self, timeout_s: float = 120) -> None:
        def well() -> bool:
            return self.ready()["http"] == 200

        self._within(well, timeout_s, "/readyz is not ready after the repair")

    def check(self) -> None:
        """After the repair: all that was acknowledged has its proof, and new ones are made."""
        self.prove(2)
        with self.client(120) as client:
            for proof_id, x in self.acknowledged.items():
                view = client.wait(proof_id, timeout_s=600)
                assert view.result
                proof = Proof.from_json(view.result.proof.model_dump_json())
                if not self.catalogue.verify(proof) or list(proof.inputs) != x:
                    self.complain(f"{proof_id} has a proof of something else")
        with self.fleet.database() as database, database.read() as connection:
            count = connection.execute(sa.select(sa.func.count()).select_from(results)).scalar_one()
            total = tallies.c.label.startswith("total:") & (tallies.c.name == "stage_bucket")
            accepted = connection.execute(sa.select(sa.func.sum(tallies.c.value)).where(total))
            if accepted.scalar_one() != count:
                self.complain(f"not {count} proofs were accepted, one for each result")
        for member in self.fleet.members:
            if str(MARKER) in member.log.read_text():
                self.complain(f"inputs are in {member.log.name}")

    def _within(self, condition: Callable[[], bool], timeout_s: float, complaint: str) -> None:
        try:
            eventually(condition, timeout_s)
        except AssertionError:
            self.complain(f"{complaint}: {self.ready()}")


__all__ = ["Report", "Ward"]
