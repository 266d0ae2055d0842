"""The forms in which a network is proven: each names files that a proving process can use.

A form is a function from a network and a batch size to `Prepared`; adding one to FORMS is all that
a further one takes.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zkagent.circuits.artifacts import NETWORK, Circuit
from zkagent.circuits.networks.batch import batch_file
from zkagent.circuits.networks.network import Network, read_network
from zkagent.executor.bench.subjects import Array, Say, Subject

HARDENED, STOCK = "verify", "verifyProof"
KEYED = "groth16"  # by the verifier of all keys
# Circuits that round are fitted to the first half of the samples and judged on all.
FITTED_SHARE = 0.5


@dataclass(frozen=True)
class Prepared:
    """A circuit as files, ready to prove.

    digest: of our own circuits. network: of this batch size. verifier: Solidity, whose function
    `entry` takes the proof and the instances. input_unit: what samples are divided by. solver,
    described: of Groth16 circuits, which have no ezkl settings.
    """

    network: Network
    compiled: Path
    settings: Path
    vk: Path
    pk: Path
    srs: Path
    verifier: str
    entry: str
    digest: str | None = None
    input_unit: float = 1.0
    solver: Path | None = None
    input_bits: int = 16
    described: dict[str, Any] | None = None

    def read_settings(self) -> dict[str, Any]:
        if self.described is not None:
            return self.described
        settings: dict[str, Any] = json.loads(self.settings.read_text())
        return settings

    def samples(self, given: Array) -> Array:
        """As the circuit's network takes them."""
        return given if self.input_unit == 1.0 else (given / self.input_unit).astype(np.float32)

    @property
    def paths(self) -> dict[str, str]:
        """What a proving process is told."""
        if self.solver is not None:
            files = {"solver": self.solver, "vk": self.vk, "pk": self.pk}
            files["circuit"] = self.vk.with_name(NETWORK)
            named = {name: str(path) for name, path in files.items()}
            return {**named, "input_bits": str(self.input_bits)}
        return {
            "onnx": str(self.network.path),
            "compiled": str(self.compiled),
            "settings": str(self.settings),
            "vk": str(self.vk),
            "pk": str(self.pk),
            "srs": str(self.srs),
        }


Form = Callable[[Subject, int, Path, Say], Prepared]


def zkagent(subject: Subject, batch: int, folder: Path, say: Say) -> Prepared:
    """What `zkagent circuit build` makes of it, given samples if it rounds. Raises CircuitError."""
    from zkagent.circuits.halo2.build_process import build_isolated
    from zkagent.circuits.halo2.calibration import Data

    fitting = None if subject.network.integer else fitting_samples(subject, folder)
    data = Data(fitting, decisions=True) if fitting else None  # all of them classify
    with batch_file(subject.onnx, batch) as onnx:
        return of_circuit(build_isolated(onnx, data=data, progress=lambda stage: say(stage.value)))


def fitting_samples(subject: Subject, folder: Path) -> Path:
    """The first samples as a file."""
    path = folder / f"{subject.name}-fitting.npz"
    count = max(1, int(FITTED_SHARE * len(subject.samples)))
    np.savez(path, x=subject.samples[:count])
    return path


def of_circuit(circuit: Circuit) -> Prepared:
    """A circuit of the cache, with its hardened verifier."""
    return Prepared(
        network=read_network(circuit.onnx),
        compiled=circuit.compiled,
        settings=circuit.settings,
        vk=circuit.vk,
        pk=circuit.pk,
        srs=circuit.srs,
        verifier=circuit.verifier_source.read_text(),
        entry=HARDENED,
        digest=circuit.digest,
    )


__all__ = ["HARDENED", "KEYED", "STOCK", "Form", "Prepared", "fitting_samples", "of_circuit"]
__all__ += ["zkagent"]
