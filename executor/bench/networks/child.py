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
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import CircuitError, EngineError
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import Stage, build_circuit, changes_of, fidelity_of
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.fidelity import quantised
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.networks.network import Network, read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.networks.samples import Samples, load_samples
from zkagent.circuits.support.cache import cache_folder
from zkagent.circuits.support.child_process import ParentLink, peak_rss_bytes

OURS, EZKL = "ours", "ezkl"
Say = Callable[[str], None]


class Side(Protocol):
    """One way to make a circuit of a network and to prove with it."""

    def make(self, say: Say) -> dict[str, Any]:
        """rows, logrows, key_bytes, gas's parts and so on. Raises CircuitError."""
        ...

    def prove(self) -> dict[str, Any]:
        """seconds, outputs as the network's own numbers, the proof. Raises CircuitError."""
        ...


class Ours:
    """What `zkagent circuit build ONNX --data SAMPLES` and `zkagent prove` do."""

    def __init__(self, onnx: Path, data: Path | None, folder: Path) -> None:
        self._onnx, self._data, self._cache = onnx, data, folder
        self._circuit: Circuit | None = None
        # Set-ups take longer than most circuits: those of this machine are used, and new ones kept.
        (folder / "srs").symlink_to(cache_folder("srs"))

    def make(self, say: Say) -> dict[str, Any]:
        def tell(stage: Stage) -> None:
            say(stage.value)

        data = Data(self._data) if self._data else None
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
        x = _first_inputs(circuit, self._onnx, self._data)
        begun = time.perf_counter()
        proof = ezkl_engine.prove(circuit, x)
        proven = time.perf_counter()
        if not verify(proof, circuit):
            raise EngineError("prove", "the proof is false")
        return {
            "prove_s": proven - begun,
            "verify_s": time.perf_counter() - proven,
            "outputs": list(read_outputs(proof, circuit)),
            "proof": proof.proof.hex(),
            "instances": [str(each) for each in proof.instances],
        }


class Theirs:
    """What ezkl's own tutorials do: settings, calibration, keys, witness, proof."""

    def __init__(self, onnx: Path, data: Path | None, folder: Path) -> None:
        if data is None or data.name != "input.json":
            raise EngineError("calibrate by itself", "it needs an input.json of its own form")
        self._onnx, self._data, self._folder = onnx, data, folder
        self._settings, self._compiled = folder / "settings.json", folder / "network.ezkl"
        self._vk, self._pk = folder / "circuit.vk", folder / "circuit.pk"
        self._srs = Path()

    def make(self, say: Say) -> dict[str, Any]:
        say("ezkl calibrates")
        ezkl_engine.calibrate_by_itself(self._onnx, self._data, self._settings)
        settings = json.loads(self._settings.read_text())
        logrows = settings["run_args"]["logrows"]
        say("ezkl makes the keys")
        self._srs = development_srs(logrows).path
        ezkl_engine.compile_network(self._onnx, self._settings, self._compiled)
        ezkl_engine.make_keys(self._compiled, self._srs, self._vk, self._pk)
        return {
            "rows": settings["num_rows"],
            "logrows": logrows,
            "key_bytes": self._pk.stat().st_size,
            "verifier": ezkl_engine.make_verifier(self._vk, self._settings, self._srs),
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
            "outputs": outputs,
            "proof": proof.hex(),
            "instances": [str(ezkl_engine.to_integer(each)) for each in instances],
        }


def expected_outputs(onnx: Path, data: Path) -> list[float]:
    """What onnxruntime computes for the first sample, every number of every output."""
    network = read_network(onnx)
    outputs = Reference(network).outputs(next(iter(_samples(network, data))))
    return [float(value) for output in outputs for value in np.asarray(output).reshape(-1)]


def _first_inputs(circuit: Circuit, onnx: Path, data: Path | None) -> list[int]:
    """The first sample as the circuit's integers; zeros without samples."""
    if data is None:
        return [0] * circuit.input_count
    network = read_network(onnx)
    scales = json.loads(circuit.settings.read_text())["model_input_scales"]
    parts = quantised(next(iter(_samples(network, data))), scales)
    return [value for part in parts for value in part]


def _samples(network: Network, data: Path) -> Samples:
    return load_samples(data, network)


def main() -> None:
    """Requests: {"do": "make", "onnx", "samples", "memory"} once, then {"do": "prove"}."""
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
    onnx, data = Path(request["onnx"]), request["samples"]
    return (Ours if name == OURS else Theirs)(onnx, Path(data) if data else None, folder)


def _limit(most: int) -> None:
    """Bytes that the process may take; what asks for more fails."""
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    main()


__all__ = ["EZKL", "OURS", "Ours", "Side", "Theirs", "expected_outputs"]
