"""The service under load for a long time, its memory bounded: `make soak`, TIME=minutes.

A service with a slot and two workers, asked by four clients that each wait for their proof and ask
for the next. What each process holds after the first fifth of the time is what it may hold at the
end, a quarter and 20 MB more. Proofs are fake ones of little processor time, so that the service
has as much to do as it can.
"""

import argparse
import statistics
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tests.prover.service.chaos import verify_fake
from tests.support.fleet import Fleet
from zkagent.circuits.artifacts import Proof
from zkagent.prover.client import Wanted
from zkagent.prover.service.fakes.catalogue import FakeCatalogue

CLIENTS = 4
PROOF_S = 0.02
WARM_SHARE = 0.2
MAY_GROW, MAY_GROW_MB = 1.25, 20.0


@dataclass
class Report:
    """What happened; `failures` is empty when all is well."""

    minutes: float
    proofs: int = 0
    median_ms: float = 0.0
    p99_ms: float = 0.0
    memory_mb: dict[str, str] = field(default_factory=dict)  # process -> warm and at the end
    failures: list[str] = field(default_factory=list)


class Soak:
    """One run on one fleet."""

    def __init__(self, fleet: Fleet, catalogue: FakeCatalogue, minutes: float) -> None:
        self._fleet, self._catalogue, self._minutes = fleet, catalogue, minutes
        self._circuit = catalogue.circuit_of("soak")
        self._seconds: list[float] = []
        self._memory: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.report = Report(minutes)

    def run(self) -> Report:
        self._fleet.prepare()
        self._fleet.serve()
        for _ in range(2):
            self._fleet.work()
        started = time.monotonic()
        ends = started + 60 * self._minutes
        threads = [threading.Thread(target=self._ask, args=(n, ends)) for n in range(CLIENTS)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self._look(time.monotonic() - started)
            time.sleep(min(1.0, self._minutes))
        self._judge()
        self._fleet.end()
        self.report.failures += [f"left behind: {line}" for line in self._fleet.survivors()]
        return self.report

    def _ask(self, client_number: int, ends: float) -> None:
        """One client's life: no input comes twice, so that every proof is made."""
        verify, number = verify_fake(self._catalogue), 0
        try:
            with self._fleet.client(patience_s=60) as client:
                while time.monotonic() < ends:
                    number += 1
                    began = time.perf_counter()
                    view = client.prove(
                        Wanted.of_features(self._circuit, [number, client_number, 1, 1])
                    )
                    self._seconds.append(time.perf_counter() - began)
                    assert view.result
                    if not verify(Proof.from_json(view.result.proof.model_dump_json())):
                        self.report.failures.append(f"{view.id} has a false proof")
        except Exception as exc:
            self.report.failures.append(f"client {client_number}: {exc!r}")

    def _look(self, at_s: float) -> None:
        for member in self._fleet.members:
            if member.process.poll() is not None:
                self.report.failures.append(f"{member.name} ended")
            elif (held := resident_mb(member.pid)) is not None:
                self._memory[member.name].append((at_s, held))

    def _judge(self) -> None:
        self.report.proofs = len(self._seconds)
        ordered = sorted(1000 * s for s in self._seconds)
        if ordered:
            self.report.median_ms = round(statistics.median(ordered), 1)
            self.report.p99_ms = round(ordered[int(0.99 * len(ordered))], 1)
        for name, seen in self._memory.items():
            warm = max(mb for at, mb in seen if at <= 60 * self._minutes * WARM_SHARE)
            last = seen[-1][1]
            self.report.memory_mb[name] = f"{warm:.0f} -> {last:.0f}"
            if last > warm * MAY_GROW + MAY_GROW_MB:
                self.report.failures.append(f"{name} grew from {warm:.0f} to {last:.0f} MB")


def resident_mb(pid: int) -> float | None:
    """Memory of a process; None where there is no /proc, and for one that has just ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(found[0]) / 1024 if found else None


def soak(folder: Path, minutes: float) -> Report:
    catalogue = FakeCatalogue(folder, {"soak": PROOF_S})
    fleet = Fleet(folder, f"sqlite:///{folder}/service.sqlite", catalogue)
    try:
        return Soak(fleet, catalogue, minutes).run()
    finally:
        fleet.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="zkagent-soak-") as folder:
        report = soak(Path(folder), given.minutes)
    print(report)
    raise SystemExit(bool(report.failures))


if __name__ == "__main__":
    main()
