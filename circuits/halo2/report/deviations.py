"""How far each output of a circuit is from onnxruntime's on samples: every number, in bins."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import OutsideRange
from zkagent.circuits.halo2.fidelity import circuit_outputs
from zkagent.circuits.halo2.hidden import tied
from zkagent.circuits.halo2.settings import Settings
from zkagent.circuits.networks.axes import lengths_of
from zkagent.circuits.networks.network import Network, read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.networks.samples import load_samples
from zkagent.circuits.support.progress import Told, silent
from zkagent.models.networks.parsing import parse_model

Array = npt.NDArray[Any]

BINS = 21  # odd, so that one is around 0


@dataclass(frozen=True)
class Deviations:
    """Of one output: the circuit's numbers minus onnxruntime's, in the network's units.

    numbers: how many were compared. edges: of the bins, one more than counts; both are empty where
    all deviations are 0.
    """

    name: str
    numbers: int
    largest: float
    mean: float
    counts: tuple[int, ...]
    edges: tuple[float, ...]

    @classmethod
    def of(cls, name: str, differences: Array) -> "Deviations":
        largest = float(np.abs(differences).max(initial=0.0))
        mean = float(np.abs(differences).mean()) if differences.size else 0.0
        counts, edges = list[int](), list[float]()
        if largest:
            found = np.histogram(differences, bins=BINS, range=(-largest, largest))
            counts, edges = found[0].tolist(), found[1].tolist()
        return cls(name, differences.size, largest, mean, tuple(counts), tuple(edges))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Deviations":
        return cls(**{**fields, "counts": tuple(fields["counts"]), "edges": tuple(fields["edges"])})


@dataclass(frozen=True)
class Comparison:
    """Over `samples` of a file; outside: those that the circuit cannot represent, left out."""

    file: str
    sha256: str
    samples: int
    outside: int
    outputs: tuple[Deviations, ...]

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "outputs": [each.to_json() for each in self.outputs]}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Comparison":
        outputs = tuple(Deviations.from_json(each) for each in fields["outputs"])
        return cls(**{**fields, "outputs": outputs})


def compare(
    circuit: Circuit, network: Network, settings: Settings, data: Path, progress: Told = silent
) -> Comparison:
    """Every number of every output on the samples in the file. Raises SamplesRefused,
    NetworkRefused, InputRefused, EngineError."""
    samples, reference = load_samples(data, network), Reference(network)
    scales, outside = settings["model_output_scales"], 0
    found: list[list[Array]] = [[] for _ in network.outputs]
    for done, sample in enumerate(samples, start=1):
        progress(f"comparing with onnxruntime, sample {done} of {len(samples)}")
        try:
            ours = circuit_outputs(circuit.compiled, settings, network, sample)
        except OutsideRange:
            outside += 1
            continue
        for kept, values in zip(
            found, _differences(reference.outputs(sample), ours, scales), strict=True
        ):
            kept.append(values)
    outputs = tuple(
        Deviations.of(output.name, np.concatenate(values) if values else np.zeros(0))
        for output, values in zip(network.outputs, found, strict=True)
    )
    return Comparison(data.name, samples.sha256, len(samples), outside, outputs)


def network_of(circuit: Circuit) -> Network:
    """What the circuit was made of, its axes as it has them, and what it hides tied to it. Raises
    NetworkRefused."""
    return tied(read_network(circuit.onnx, dims=open_lengths(circuit)), circuit.visibility)


def open_lengths(circuit: Circuit) -> dict[str, int]:
    """The axes that are open in the user's file, as INPUT.AXIS, and their lengths here."""
    source = parse_model(circuit.onnx.read_bytes())
    shapes = {face.name: face.shape for face in circuit.faces.inputs}
    return lengths_of(source, shapes)


def _differences(
    theirs: Sequence[Array], ours: Sequence[Array], scales: Sequence[int]
) -> list[Array]:
    """Of each output, flat."""
    return [
        (found.astype(np.float64) / 2.0**bits - expected.astype(np.float64)).reshape(-1)
        for expected, found, bits in zip(theirs, ours, scales, strict=True)
    ]


__all__ = ["Comparison", "Deviations", "compare", "network_of", "open_lengths"]
