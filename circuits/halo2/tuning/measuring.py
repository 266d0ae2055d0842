"""Measures circuits in turns: each proves once in each round, and medians are compared."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from zkagent.circuits.errors import CircuitError, EngineError
from zkagent.circuits.halo2.build import Plan
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.halo2.tuning.objectives import Cost
from zkagent.circuits.support.child_process import ChildProcess

ROUNDS = 5
MODULE = "zkagent.circuits.halo2.tuning.measuring_child"


@dataclass(frozen=True)
class Trial:
    """A circuit to be measured: inputs are the public ones, as its integers.

    seconds: to prove, as predicted.
    """

    name: str
    plan: Plan
    inputs: Sequence[Sequence[int]]
    seconds: float


@dataclass(frozen=True)
class Measurement:
    """seconds and processor_s: to prove, medians of `proofs`; setup_s: to make the keys, once.

    The first is what a user waits for, the second what it takes on a machine that does other things
    too. peak_bytes: resident, of a process that makes the keys and proves.
    """

    proofs: int
    seconds: float
    processor_s: float
    setup_s: float
    peak_bytes: int
    proof_bytes: int
    pk_bytes: int

    def cost(self, predicted: Cost) -> Cost:
        """What was measured, and the predicted gas: measuring that takes a chain."""
        return Cost(self.seconds, self.peak_bytes, self.proof_bytes, predicted.gas)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    trials: Sequence[Trial],
    *,
    cache: Path | None,
    seconds: float,
    report: Callable[[str], None],
) -> dict[str, Measurement | str]:
    """Each trial's measurement, or why it has none.

    The cheapest trial is always measured; another one only if it will likely be done after so many
    seconds. At least one round of proofs, at most ROUNDS; none begins after `seconds`.
    """
    clock = Clock(seconds)
    with ExitStack() as running:
        bench = Bench(running, cache, report)
        for index, trial in enumerate(sorted(trials, key=lambda t: t.seconds), start=1):
            if clock.allows(trial):
                report(f"making keys {index} of {len(trials)}: {trial.name}")
                with clock.timing(trial):
                    bench.start(trial)
            else:
                bench.leave_out(trial, f"it would take about {clock.expected(trial):.0f} s")
        for turn in range(1, ROUNDS + 1):
            if turn == 1 or clock.left() > 0:
                report(f"proving, round {turn} of {ROUNDS}")
                bench.round()
        return bench.results()


class Clock:
    """Tells what there is time for, from how long the trials before took."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._slowness: float | None = None  # seconds to make a circuit, by predicted ones to prove

    def left(self) -> float:
        return self._deadline - time.monotonic()

    def expected(self, trial: Trial) -> float:
        """Seconds to make the circuit and, about as long, to prove with it a few times."""
        return 2 * (self._slowness or 0.0) * trial.seconds

    def allows(self, trial: Trial) -> bool:
        return self._slowness is None or self.expected(trial) <= self.left()

    @contextmanager
    def timing(self, trial: Trial) -> Iterator[None]:
        begun = time.monotonic()
        yield
        taken = (time.monotonic() - begun) / trial.seconds
        self._slowness = max(taken, self._slowness or 0.0)


class Bench:
    """The circuits' processes, which end with `running`."""

    def __init__(
        self, running: ExitStack, cache: Path | None, report: Callable[[str], None]
    ) -> None:
        self._running, self._cache, self._report = running, cache, report
        self._children: dict[str, ChildProcess] = {}
        self._made: dict[str, dict[str, Any]] = {}
        self._proofs: dict[str, list[dict[str, Any]]] = {}
        self._failed: dict[str, str] = {}

    def start(self, trial: Trial) -> None:
        """Make the trial's keys."""
        logrows = trial.plan.logrows
        srs = development_srs(logrows, self._cache)
        folder = Path(self._running.enter_context(tempfile.TemporaryDirectory()))
        (folder / "network.onnx").write_bytes(trial.plan.network.content)
        (folder / "settings.json").write_bytes(trial.plan.settings_bytes)
        child = ChildProcess(MODULE, [])
        self._running.callback(child.kill)
        self._children[trial.name] = child
        request = {
            "folder": str(folder),
            "srs": str(srs.path),
            "inputs": [list(each) for each in trial.inputs],
        }
        with self._failures(trial.name):
            self._made[trial.name] = _answer(child, request)

    def round(self) -> None:
        """One more proof of each."""
        for name in self._made:
            if name not in self._failed:
                with self._failures(name):
                    answer = _answer(self._children[name], {"prove": True})
                    self._proofs.setdefault(name, []).append(answer)

    def leave_out(self, trial: Trial, reason: str) -> None:
        self._failed[trial.name] = reason

    def results(self) -> dict[str, Measurement | str]:
        measured = {name: self._measurement(name) for name in self._proofs}
        return {**measured, **self._failed}

    def _measurement(self, name: str) -> Measurement:
        made, proofs = self._made[name], self._proofs[name]
        return Measurement(
            proofs=len(proofs),
            seconds=statistics.median(proof["seconds"] for proof in proofs),
            processor_s=statistics.median(proof["processor_s"] for proof in proofs),
            setup_s=made["setup_s"],
            peak_bytes=max(proof["peak_bytes"] for proof in proofs),
            proof_bytes=made["proof_bytes"],
            pk_bytes=made["pk_bytes"],
        )

    @contextmanager
    def _failures(self, name: str) -> Iterator[None]:
        """A circuit that ezkl cannot make or prove (its process may die) has no measurement."""
        try:
            yield
        except CircuitError as exc:
            self._failed[name] = str(exc)


def _answer(child: ChildProcess, request: dict[str, Any]) -> dict[str, Any]:
    child.send(request)
    answer = child.receive()
    if "error" in answer:
        raise EngineError("measure a circuit", answer["error"])
    return answer


__all__ = ["Bench", "Measurement", "Trial", "measure"]
