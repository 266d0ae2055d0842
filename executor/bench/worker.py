"""The process in which a circuit is measured: `python -m zkagent.executor.bench.worker WATCHED`.

First it is told the circuit's files, then asked to make keys, to prove, or to evaluate samples. It
stays warm between requests. The clock runs around ezkl alone: not around files of ours, nor pipes.
"""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from zkagent.circuits.bn254.field import from_hex, to_field, to_hex
from zkagent.circuits.errors import OutsideRange
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.fidelity import circuit_outputs
from zkagent.circuits.halo2.settings import lookup_table
from zkagent.circuits.networks.network import read_network
from zkagent.executor.bench.measuring import serve


class Worker:
    """One circuit's files and what can be asked about them."""

    def __init__(self, paths: dict[str, str]) -> None:
        self.paths = {name: Path(path) for name, path in paths.items()}
        self.settings: dict[str, Any] = json.loads(self.paths["settings"].read_text())

    def setup(self) -> dict[str, Any]:
        """Make the keys once more, to throw away."""
        with tempfile.TemporaryDirectory() as folder:
            vk, pk = Path(folder, "vk"), Path(folder, "pk")
            started = time.perf_counter()
            ezkl_engine.make_keys(self.paths["compiled"], self.paths["srs"], vk, pk)
            return {"setup_s": time.perf_counter() - started}

    def prove(self, inputs: list[int]) -> dict[str, Any]:
        """Witness, proof and verdict, each timed."""
        paths = self.paths
        with tempfile.TemporaryDirectory() as folder:
            witness = Path(folder, "witness.json")
            times = [time.perf_counter()]
            outputs = ezkl_engine.evaluate(
                paths["compiled"], [inputs], witness, lookup_table(self.settings)
            )
            times.append(time.perf_counter())
            proof, instances = ezkl_engine.prove_witness(
                paths["compiled"], witness, paths["pk"], paths["srs"]
            )
            times.append(time.perf_counter())
            holds = ezkl_engine.verify_instances(
                proof, instances, paths["settings"], paths["vk"], paths["srs"]
            )
            times.append(time.perf_counter())
        expected = [to_hex(value) for value in (*inputs, *outputs)]
        # What is public is the end of it: ezkl's default hides the inputs.
        honest = bool(instances) and instances == expected[-len(instances) :]
        return {
            "outputs": outputs,
            "proof": proof.hex(),
            "instances": [to_field(from_hex(value)) for value in instances],
            "holds": holds and honest,
            "witness_s": times[1] - times[0],
            "prove_s": times[2] - times[1],
            "verify_s": times[3] - times[2],
        }

    def evaluate(self, samples: str) -> dict[str, Any]:
        """The outputs for each sample of an .npy file; null for one outside the circuit's range."""
        network = read_network(self.paths["onnx"])
        found: list[list[int] | None] = []
        for sample in np.load(samples, allow_pickle=False):
            try:
                outputs = circuit_outputs(self.paths["compiled"], self.settings, network, (sample,))
            except OutsideRange:
                found.append(None)
            else:
                found.append([int(v) for output in outputs for v in output.reshape(-1)])
        return {"outputs": found}


if __name__ == "__main__":
    serve(Worker)
