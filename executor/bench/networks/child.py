"""One network as one side makes it, in a process of its own: `python -m` with `ours` or `ezkl`.

`make` builds everything up to a verifier, `prove` proves the first sample and verifies the proof.
Both sides answer in the same words, so that they can be set side by side. What ezkl makes by itself
is for comparison only: its defaults use a check that does not bind (circuits/halo2/settings.py).
"""

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import CircuitError, EngineError
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import Stage, build_circuit, changes_of, fidelity_of
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.fidelity import quantised
from zkagent.circuits.networks.network import Network, read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.networks.samples import Sample, load_samples
from zkagent.circuits.support.cache import cache_folder
from zkagent.circuits.support.child_process import ParentLink, peak_rss_bytes
from zkagent.executor.bench import defaults

Array = npt.NDArray[Any]
OURS, EZKL = "ours", "ezkl"
Say = Callable[[str], None]


class Side(Protocol):
    """One way to make a circuit of a network and to prove with it."""

    def make(self, say: Say) -> dict[str, Any]:
        """rows, logrows, key_bytes, gas's parts and so on. Raises CircuitError."""
        ...

    def prove(self) -> dict[str, Any]:
        """seconds, the deviation, the proof. Raises CircuitError."""
        ...


class Ours:
    """What `zkagent circuit build ONNX --data SAMPLES` and `zkagent prove` do."""

    def __init__(self, onnx: Path, data: Path | None, folder: Path, share: float) -> None:
        self._onnx, self._data, self._cache = onnx, data, folder
        self._share, self._circuit = share, cast("Circuit | None", None)
        self._sample = First(onnx, data)
        # Set-ups take longer than most circuits: those of this machine are used, and new ones kept.
        (folder / "srs").symlink_to(cache_folder("srs"))

    def make(self, say: Say) -> dict[str, Any]:
        def tell(stage: Stage) -> None:
            say(stage.value)

        data = Data(self._data, share=self._share) if self._data else None
        circuit = build_circuit(self._onnx, data=data, cache=self._cache, progress=tell)
        self._circuit = circuit
        found = fidelity_of(circuit)
        return {
            "rows": circuit.rows,
            "logrows": circuit.logrows,
            "key_bytes": circuit.pk.stat().st_size,
            "verifier": circuit.verifier_source.read_text(),
            "changes": list(changes_of(circuit)),
            "fidelity": found.to_json() if found else None,
        }

    def prove(self) -> dict[str, Any]:
        from zkagent.circuits.halo2.scales import read_outputs
        from zkagent.prover.verification import verify

        circuit = self._circuit
        assert circuit
        x = self._sample.inputs(circuit)
        begun = time.perf_counter()
        proof = ezkl_engine.prove(circuit, x)
        proven = time.perf_counter()
        if not verify(proof, circuit):
            raise EngineError("prove", "the proof is false")
        return {
            "prove_s": proven - begun,
            "verify_s": time.perf_counter() - proven,
            "deviation": self._sample.deviation(read_outputs(proof, circuit)),
            "proof": proof.proof.hex(),
            "instances": [str(each) for each in proof.instances],
        }


class Theirs:
    """What ezkl's own tutorials do: settings, calibration, keys, witness, proof."""

    def __init__(self, onnx: Path, data: Path | None, folder: Path) -> None:
        if data is None or data.name != "input.json":
            raise EngineError("calibrate by itself", "it needs an input.json of its own form")
        self._onnx, self._data, self._folder = onnx, data, folder
        self._sample = First(onnx, data)
        names = (defaults.SETTINGS, defaults.COMPILED, defaults.VK, defaults.PK)
        self._settings, self._compiled, self._vk, self._pk = (folder / name for name in names)
        self._srs = Path()

    def make(self, say: Say) -> dict[str, Any]:
        say("ezkl calibrates")
        ezkl_engine.calibrate_by_itself(self._onnx, self._data, self._settings)
        settings = json.loads(self._settings.read_text())
        say("ezkl makes the keys")
        self._srs = defaults.finish(self._onnx, self._folder)
        return {
            "rows": settings["num_rows"],
            "logrows": settings["run_args"]["logrows"],
            "key_bytes": self._pk.stat().st_size,
            "verifier": (self._folder / defaults.VERIFIER).read_text(),
        }

    def prove(self) -> dict[str, Any]:
        witness = self._folder / "witness.json"
        begun = time.perf_counter()
        outputs = ezkl_engine.witness_by_itself(self._data, self._compiled, witness)
        proof, instances = ezkl_engine.prove_witness(self._compiled, witness, self._pk, self._srs)
        proven = time.perf_counter()
        paths = (self._settings, self._vk, self._srs)
        if not ezkl_engine.verify_instances(proof, instances, *paths):
            raise EngineError("prove", "the proof is false")
        return {
            "prove_s": proven - begun,
            "verify_s": time.perf_counter() - proven,
            "deviation": self._sample.deviation(outputs),
            "proof": proof.hex(),
            "instances": [str(ezkl_engine.to_integer(each)) for each in instances],
        }


class First:
    """The first sample of a network, read and computed by onnxruntime once, when asked for."""

    def __init__(self, onnx: Path, data: Path | None) -> None:
        self._onnx, self._data = onnx, data

    def inputs(self, circuit: Circuit) -> list[int]:
        """As the circuit's integers; zeros without samples."""
        if self._data is None:
            return [0] * circuit.input_count
        scales = json.loads(circuit.settings.read_text())["model_input_scales"]
        return [value for part in quantised(self._arrays, scales) for value in part]

    def deviation(self, outputs: Sequence[float]) -> float | None:
        """The largest distance from onnxruntime's numbers, as a part of the largest one of the same
        output; None without samples."""
        return None if self._data is None else deviation(self._expected, outputs)

    @cached_property
    def _network(self) -> Network:
        return read_network(self._onnx)

    @cached_property
    def _arrays(self) -> Sample:
        assert self._data
        return next(iter(load_samples(self._data, self._network)))

    @cached_property
    def _expected(self) -> list[Array]:
        return Reference(self._network).outputs(self._arrays)


def deviation(expected: Sequence[Array], found: Sequence[float]) -> float:
    """Of each output alone: a large label beside them must not hide how far probabilities are
    off."""
    worst, at = 0.0, 0
    for output in expected:
        theirs = np.asarray(output, dtype=float).reshape(-1)
        ours = np.array(found[at : at + theirs.size], dtype=float)
        peak = float(np.abs(theirs).max()) or 1.0
        worst, at = max(worst, float(np.abs(theirs - ours).max()) / peak), at + theirs.size
    return worst


def main() -> None:
    """Requests: {"do": "make", "onnx", "samples", "memory", "share"} once, then {"do": "prove"}.
    share: as `Criterion` has it."""
    link, side = ParentLink(int(sys.argv[1])), sys.argv[2]
    made: Side | None = None
    with tempfile.TemporaryDirectory(prefix="zkagent-") as folder:
        for request in link.requests():
            try:
                if made is None:
                    _limit(request["memory"])
                    made = _side(side, request, Path(folder))
                    answer = made.make(lambda text: link.send({"stage": text}))
                else:
                    answer = made.prove()
            except CircuitError as exc:
                link.send({"refused": type(exc).__name__, "reason": str(exc)})
            except MemoryError:
                link.send(
                    {"refused": "MemoryTooSmall", "reason": "it takes more memory than allowed"}
                )
            else:
                link.send({**answer, "peak_bytes": peak_rss_bytes()})


def _side(name: str, request: dict[str, Any], folder: Path) -> Side:
    onnx, samples = Path(request["onnx"]), request["samples"]
    data = Path(samples) if samples else None
    if name == EZKL:
        return Theirs(onnx, data, folder)
    return Ours(onnx, data, folder, request["share"])


def _limit(most: int) -> None:
    """Bytes that the process may take; what asks for more fails."""
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    main()


__all__ = ["EZKL", "OURS", "First", "Ours", "Side", "Theirs", "deviation"]
