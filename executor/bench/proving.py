"""Times circuits in processes of their own, in turns: what slows the machine slows all alike.

All circuits of one network take part in the same rounds. The first round warms the processes up and
is not counted.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zkagent.circuits.errors import CircuitError, EngineError
from zkagent.circuits.halo2.fidelity import quantised
from zkagent.circuits.networks.batch import fill
from zkagent.circuits.support.child_process import ChildProcess
from zkagent.executor.bench.forms import Prepared
from zkagent.executor.bench.results import Timing
from zkagent.executor.bench.subjects import Numbers, Subject, flat
from zkagent.executor.errors import BenchMeasurementFailed

WORKER = "zkagent.executor.bench.worker"
KEYED_WORKER = "zkagent.executor.bench.keyed_worker"
PATIENCE_S = 3600.0
#: A circuit that took this long has been timed enough after LEAST_ROUNDS.
ENOUGH_S, LEAST_ROUNDS = 60.0, 3
Count = Callable[[], None]


@dataclass
class Entry:
    """One circuit in the rounds, and what was found out about it so far.

    proof, instances, x, y: of the last round, for the chain to verify. failed: why its prover could
    not go on with it; the others go on without it.
    """

    form: str
    batch: int
    subject: Subject
    prepared: Prepared
    times: dict[str, list[float]] = field(default_factory=dict)
    setup_peak_bytes: int = 0
    prove_peak_bytes: int = 0
    proof: bytes = b""
    instances: tuple[int, ...] = ()
    x: tuple[int, ...] = ()
    y: tuple[int, ...] = ()
    failed: str = ""

    @property
    def label(self) -> str:
        return label_of(self.subject.name, self.batch, self.form)

    def inputs(self, turn: int) -> tuple[int, ...]:
        """The circuit's integers for `batch` samples, other ones each turn."""
        scales = self.prepared.read_settings()["model_input_scales"]
        given = self.subject.samples
        chosen = [(turn * self.batch + i) % len(given) for i in range(self.batch)]
        rows = self.prepared.samples(given[chosen])
        return fill([quantised((row,), scales)[0] for row in rows], self.batch)

    @property
    def exact(self) -> bool:
        """Whether its outputs are the network's own integers."""
        scales = self.prepared.read_settings()["model_output_scales"]
        return self.prepared.network.integer and not any(scales)

    def agrees(self, found: Numbers | None, expected: Numbers) -> bool:
        """Every number of an exact circuit; the decision of one that rounds."""
        if found is None or self.exact:
            return found == expected
        return self.subject.decide(found) == self.subject.decide(expected)

    def timing(self, name: str) -> Timing | None:
        values = self.times.get(name)
        return Timing(values=tuple(values)) if values else None

    def note(self, reply: Mapping[str, Any], *names: str) -> None:
        for name in names:
            self.times.setdefault(name, []).append(reply[name])

    def done(self) -> bool:
        taken = self.times.get("prove_s", [])
        return bool(self.failed) or (len(taken) >= LEAST_ROUNDS and sum(taken) > ENOUGH_S)


def time_setups(entries: Sequence[Entry], rounds: int, threads: int | None, count: Count) -> None:
    """Make each circuit's keys `rounds` times, each time in a fresh process: its peak is theirs."""
    for _ in range(rounds):
        for entry in entries:
            if not entry.failed:
                with _surviving(entry), worker(entry.prepared, threads) as ask:
                    reply = ask({"do": "setup"})
                    entry.note(reply, "setup_s")
                    entry.setup_peak_bytes = max(entry.setup_peak_bytes, reply["peak_bytes"])
            count()


def time_proofs(entries: Sequence[Entry], rounds: int, threads: int | None, count: Count) -> None:
    """Prove with each circuit once a round; every proof must hold, every exact output be right.

    Raises BenchMeasurementFailed when one is false.
    """
    with ExitStack() as stack:
        asks = [stack.enter_context(worker(entry.prepared, threads)) for entry in entries]
        for turn in range(rounds + 1):
            for entry, ask in zip(entries, asks, strict=True):
                if not entry.done():
                    with _surviving(entry):
                        _prove(entry, ask, turn)
                count()


def evaluate(entry: Entry, samples: int) -> list[Numbers | None]:
    """The circuit's outputs for the first samples; None for what it cannot represent.

    Raises EngineError.
    """
    with tempfile.TemporaryDirectory() as folder, worker(entry.prepared, None) as ask:
        path = Path(folder, "samples.npy")
        np.save(path, entry.prepared.samples(entry.subject.samples[:samples]))
        reply = ask({"do": "evaluate", "samples": str(path)})
    return [None if y is None else tuple(y) for y in reply["outputs"]]


def label_of(network: str, batch: int, form: str) -> str:
    return f"{network} x{batch} ({form})" if batch > 1 else f"{network} ({form})"


Ask = Callable[[dict[str, Any]], dict[str, Any]]


@contextmanager
def worker(prepared: Prepared, threads: int | None) -> Iterator[Ask]:
    """A process that knows the circuit's files; ends with the block."""
    environment = {"RAYON_NUM_THREADS": str(threads)} if threads else {}
    child = ChildProcess(KEYED_WORKER if prepared.solver else WORKER, [], environment)

    def ask(request: dict[str, Any]) -> dict[str, Any]:
        child.send(request)
        reply = child.receive(PATIENCE_S)
        if "failed" in reply:
            raise EngineError("measure", reply["failed"])
        return reply

    try:
        child.send(prepared.paths)
        yield ask
    finally:
        child.kill()


@contextmanager
def _surviving(entry: Entry) -> Iterator[None]:
    """ezkl fails on some networks and machines: an entry less, not the end of the run."""
    try:
        yield
    except CircuitError as exc:
        entry.failed = str(exc)


def _prove(entry: Entry, ask: Ask, turn: int) -> None:
    inputs = entry.inputs(turn)
    reply = ask({"do": "prove", "inputs": inputs})
    if not reply["holds"]:
        raise BenchMeasurementFailed(f"a proof of {entry.label} does not verify: build it again")
    _check_outputs(entry, inputs, reply["outputs"])
    if turn:
        entry.note(reply, "witness_s", "prove_s", "verify_s")
    entry.prove_peak_bytes = reply["peak_bytes"]
    entry.proof, entry.instances = bytes.fromhex(reply["proof"]), tuple(reply["instances"])
    entry.x, entry.y = tuple(inputs), tuple(reply["outputs"])


def _check_outputs(entry: Entry, inputs: Sequence[int], outputs: Sequence[int]) -> None:
    """An exact circuit gives onnxruntime's integers, in every row."""
    from zkagent.circuits.networks.reference import Reference

    if not entry.exact:
        return
    network = entry.prepared.network
    x = np.array(inputs, dtype=np.int64).reshape(network.inputs[0].shape)
    expected = flat(Reference(network).outputs([x]))
    if tuple(outputs) != expected:
        raise BenchMeasurementFailed(
            f"{entry.label} computes {list(outputs)[:4]}... where onnxruntime computes "
            f"{list(expected)[:4]}..."
        )


__all__ = ["Entry", "evaluate", "label_of", "time_proofs", "time_setups", "worker"]
