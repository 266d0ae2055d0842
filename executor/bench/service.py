"""What the service costs, measured: `python -m zkagent.executor.bench.service [WHAT...] [--json]`.

overhead     seconds from request to result beyond those of the bare prover, one at a time
idle         processor time of a worker that has nothing to do
submission   time to submit while a thousand proofs wait
throughput   a hundred proofs by two workers against two bare provers in a loop
batch        proofs per second with and without a batch form

Real circuits: give --circuit (and --batch-circuit), as built by `zkagent circuit build`. Without,
fake ones of 0.3 s processor time each. Everything runs in a folder of its own.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from zkagent.prover.client import ServiceClient
from zkagent.prover.service.catalogue.catalogue import Catalogue
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.wire.exchange import Wanted

FAKE = "fake"
FAKE_SECONDS = 0.3


@dataclass(frozen=True)
class Setting:
    """Where and what to measure. words: options that every process is given."""

    folder: Path
    catalogue: Catalogue
    circuit: str
    words: tuple[str, ...]
    batch_words: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        return self.catalogue.card(self.circuit).input_count

    def inputs(self, number: int) -> list[int]:
        """Small numbers that are different for each number."""
        return [number % 100, number // 100, *([1] * (self.width - 2))]


@contextmanager
def running(setting: Setting, name: str, *commands: Sequence[str]) -> Iterator[list[str]]:
    """Processes of one fresh database; yields the first lines that they print."""
    url = f"sqlite:///{setting.folder}/{name}.sqlite"
    processes = []
    try:
        for words in commands:
            command = [sys.executable, "-P", "-m", "zkagent", *words, "--database", url]
            log = (setting.folder / f"{name}.log").open("a")
            processes.append(
                subprocess.Popen(
                    [*command, *setting.words], stdout=subprocess.PIPE, stderr=log, text=True
                )
            )
        yield [_first_line(process) for process in processes]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(60)


def measure_overhead(setting: Setting, count: int = 31) -> dict[str, float]:
    """Median and 90th percentile in milliseconds, warm, one request at a time."""
    serve = ("serve", "--port", "0")
    with running(setting, "overhead", serve) as (url,), ServiceClient(url) as client:
        found = [_overhead_s(client, setting, number) for number in range(count + 3)][3:]
    return _milliseconds("overhead", found)


def measure_idle(setting: Setting, seconds: float = 20.0) -> dict[str, float]:
    """Processor time of an idle worker, in percent of a core."""
    with running(setting, "idle", ("worker",)) as (line,):
        pid = _pid_of(setting, line)
        time.sleep(3)
        before, started = _cpu_s(pid), time.monotonic()
        time.sleep(seconds)
        used = (_cpu_s(pid) - before) / (time.monotonic() - started)
    return {"idle_worker_percent": 100 * used}


def measure_submission(
    setting: Setting, backlog: int = 1000, per_s: int = 20, seconds: float = 15.0
) -> dict[str, float]:
    """Time of a submission at a steady rate on top of a backlog, while a worker works."""
    serve = ("serve", "--port", "0")
    with running(setting, "submission", serve) as (url,), ServiceClient(url) as client:
        for number in range(backlog):
            client.submit(_wanted(setting, number))
        found, started = [], time.monotonic()
        for number in range(int(per_s * seconds)):
            time.sleep(max(0.0, started + number / per_s - time.monotonic()))
            began = time.perf_counter()
            client.submit(_wanted(setting, backlog + number))
            found.append(time.perf_counter() - began)
    return {"backlog": backlog, **_milliseconds("submission", found)}


def measure_throughput(setting: Setting, count: int = 100) -> dict[str, float]:
    """Seconds for `count` proofs: two bare provers in a loop, before and after two workers of one
    slot, so that a machine whose mood changes is noticed."""
    before = _bare_s(setting, count)
    service = _service_s(setting, "throughput", count, batch="never")
    after = _bare_s(setting, count)
    bare = (before + after) / 2
    moods = {"bare_before_s": before, "bare_after_s": after}
    return moods | {"service_s": service, "more_percent": 100 * (service / bare - 1)}


def measure_batch(setting: Setting, count: int = 96) -> dict[str, float]:
    """Proofs per second, single and with the batch form."""
    single = count / _service_s(setting, "single", count, batch="never")
    batched = count / _service_s(setting, "batched", count, *setting.batch_words)
    return {"single_per_s": single, "batched_per_s": batched}


MEASUREMENTS: dict[str, Callable[[Setting], dict[str, float]]] = {
    "overhead": measure_overhead,
    "idle": measure_idle,
    "submission": measure_submission,
    "throughput": measure_throughput,
    "batch": measure_batch,
}


def _overhead_s(client: ServiceClient, setting: Setting, number: int) -> float:
    began = time.perf_counter()
    view = client.prove(_wanted(setting, number, batch="never"))
    total = time.perf_counter() - began
    timings = view.timings
    assert timings.proving_s is not None
    assert timings.verifying_s is not None
    return total - timings.proving_s - timings.verifying_s


def _bare_s(setting: Setting, count: int) -> float:
    """Two warm provers in two threads of this process, each in its own child."""
    provers = [setting.catalogue.prover(setting.circuit, 300, 1) for _ in range(2)]
    try:
        for number, prover in enumerate(provers):
            prover.prove(setting.inputs(10_000 + number))
        began = time.perf_counter()
        halves = [range(start, count, 2) for start in range(2)]
        threads = [
            threading.Thread(target=lambda p=p, h=h: [p.prove(setting.inputs(n)) for n in h])
            for p, h in zip(provers, halves, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - began
    finally:
        for prover in provers:
            prover.close()


def _service_s(
    setting: Setting, name: str, count: int, *options: str, batch: str = "allowed"
) -> float:
    """From the first submission to the last result, with two workers that are warm."""
    serve = ("serve", "--port", "0", "--slots", "0", *options)
    worker = ("worker", "--threads", "1", *options)
    processes = running(setting, name, serve, worker, worker)
    with processes as (url, *_), ServiceClient(url) as client:
        warm = [client.submit(_wanted(setting, 20_000 + n, batch="never")) for n in range(6)]
        for view in warm:
            client.wait(view.id)
        began = time.perf_counter()
        views = [client.submit(_wanted(setting, n, batch=batch)) for n in range(count)]
        for view in views:
            client.wait(view.id)
        return time.perf_counter() - began


def _wanted(setting: Setting, number: int, **wishes: str) -> Wanted:
    return Wanted.of_features(setting.circuit, setting.inputs(number), **wishes)


def _milliseconds(name: str, seconds: list[float]) -> dict[str, float]:
    ordered = sorted(1000 * value for value in seconds)
    return {
        f"{name}_median_ms": statistics.median(ordered),
        f"{name}_p90_ms": ordered[int(0.90 * len(ordered))],
        f"{name}_p99_ms": ordered[int(0.99 * len(ordered))],
    }


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    if line := process.stdout.readline().strip():
        return line
    raise SystemExit(f"a process did not start: {process.args!r}")


def _pid_of(setting: Setting, line: str) -> int:
    import sqlalchemy as sa

    from zkagent.prover.service.queue.database import Database
    from zkagent.prover.service.queue.tables import workers

    database = Database(f"sqlite:///{setting.folder}/idle.sqlite")
    query = sa.select(workers.c.pid).where(workers.c.id == line.removeprefix("worker "))
    with database.read() as connection:
        pid = int(connection.execute(query).scalar_one())
    database.close()
    return pid


def _cpu_s(pid: int) -> float:
    """Processor seconds of a process, by the kernel's count (100 per second)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _setting(given: argparse.Namespace, folder: Path) -> Setting:
    if given.circuit is None:
        capacities = (8,)
        path = folder / "fake.json"
        fake = FakeCatalogue(folder, {FAKE: FAKE_SECONDS}, capacities)
        fake.write(path)
        digest = fake.circuit_of(FAKE)
        return Setting(folder, fake, digest, ("--fake", str(path)), ("--linger", "0.2"))
    from zkagent.prover.service.catalogue.built import BuiltCircuits

    words = ("--no-models", "--threads", "1")
    batch: tuple[str, ...] = ()
    if given.batch_circuit:
        batch = ("--batch", given.circuit, given.batch_circuit, "--linger", "0.2")
    return Setting(folder, BuiltCircuits(), given.circuit, words, batch)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="*", metavar="WHAT", help=", ".join(MEASUREMENTS))
    parser.add_argument("--circuit", help="digest of a built circuit")
    parser.add_argument("--batch-circuit", help="digest of its batch form")
    parser.add_argument("--json", action="store_true", dest="as_json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="zkagent-measure-") as folder:
        setting = _setting(given, Path(folder))
        for name in given.what or MEASUREMENTS:
            found = MEASUREMENTS[name](setting)
            rounded = {key: round(value, 2) for key, value in found.items()}
            print(json.dumps({"what": name, **rounded}) if given.as_json else f"{name}: {rounded}")


if __name__ == "__main__":
    main()
