"""How far a circuit decides as the network does: compared with onnxruntime on the user's samples.

The circuit's side is ezkl's witness, the very integers that a proof would show, never its float
path. A sample that the circuit cannot represent counts as one on which it disagrees.
"""

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.bn254.field import fits_int64
from zkagent.circuits.errors import InputRefused, OutsideRange
from zkagent.circuits.halo2.settings import Settings, lookup_table
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.networks.samples import Samples

Array = npt.NDArray[Any]
Count = Callable[[int, int], None]


@dataclass(frozen=True)
class Fidelity:
    """What a user needs to know of a circuit that rounds.

    samples: how many were compared. agreement: the share of them on which the circuit decides as
    onnxruntime does: the same arg-max in every row of every output (the lowest index on ties), or,
    when a tolerance is given, every number within it. largest_deviation: of any number, in the
    network's units, over the samples that the circuit can represent; infinite when there are none.
    outside: the samples that it cannot represent.
    """

    samples: int
    agreement: float
    largest_deviation: float
    outside: int
    tolerance: float | None

    def to_json(self) -> dict[str, Any]:
        deviation = self.largest_deviation
        return {
            **asdict(self),
            "largest_deviation": deviation if math.isfinite(deviation) else None,
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Fidelity":
        deviation = fields["largest_deviation"]
        return cls(**{**fields, "largest_deviation": math.inf if deviation is None else deviation})


def silent(done: int, total: int) -> None:
    """Progress for nobody."""


def measure_fidelity(
    compiled: Path,
    settings: Settings,
    network: Network,
    samples: Samples,
    *,
    tolerance: float | None = None,
    progress: Count = silent,
) -> Fidelity:
    """Compare the compiled circuit with onnxruntime on every sample.

    compiled: ezkl's form of the network, made with `settings`; no keys are needed. tolerance: in
    the network's units. progress: told how many samples of how many are done. Raises InputRefused
    when without a tolerance nothing is decided, NetworkRefused, EngineError.
    """
    require_decision(network, tolerance)
    reference, agreed, outside, largest = Reference(network), 0, 0, 0.0
    for done, sample in enumerate(samples, start=1):
        expected = reference.outputs(sample)
        try:
            found = circuit_outputs(compiled, settings, network, sample)
        except OutsideRange:
            outside += 1
        else:
            deviation = _deviation(expected, found, settings["model_output_scales"])
            largest = max(largest, deviation)
            agreed += _same(expected, found) if tolerance is None else deviation <= tolerance
        progress(done, len(samples))
    largest = math.inf if outside == len(samples) else largest
    return Fidelity(len(samples), agreed / len(samples), largest, outside, tolerance)


def require_decision(network: Network, tolerance: float | None) -> None:
    """Refuse to compare where nothing can differ. Raises InputRefused."""
    rows = any(shape and shape[-1] > 1 for shape in network.output_shapes)
    if tolerance is None and not rows:
        raise InputRefused(
            "the network's outputs are single numbers, which have no arg-max: give a tolerance"
        )


def circuit_outputs(
    compiled: Path, settings: Settings, network: Network, sample: Array
) -> list[Array]:
    """The circuit's integers in the shapes of the network's outputs, as Python integers.

    Raises OutsideRange, EngineError.
    """
    from zkagent.circuits.halo2 import ezkl_engine

    x = quantised(sample, settings["model_input_scales"][0])
    with tempfile.TemporaryDirectory() as folder:
        y = ezkl_engine.evaluate(
            compiled, x, Path(folder, "witness.json"), table=lookup_table(settings)
        )
    ends = np.cumsum([math.prod(shape) for shape in network.output_shapes])
    parts = np.split(np.array(y, dtype=object), ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, network.output_shapes, strict=True)]


def quantised(sample: Array, scale_bits: int) -> list[int]:
    """The circuit's public inputs for a sample: v * 2^bits, rounded. Raises OutsideRange."""
    if sample.dtype.kind in "iu" and not scale_bits:
        return [int(value) for value in sample.reshape(-1)]
    x = [int(v) for v in np.rint(sample.astype(np.float64) * 2.0**scale_bits).reshape(-1)]
    if not fits_int64(x):
        raise OutsideRange(f"an input of {max(x, key=abs)} at {scale_bits} bits of fraction")
    return x


def _deviation(expected: list[Array], found: list[Array], scales: Sequence[int]) -> float:
    pairs = zip(expected, found, scales, strict=True)
    return max(_distance(theirs, ours, scale) for theirs, ours, scale in pairs)


def _distance(theirs: Array, ours: Array, scale_bits: int) -> float:
    """Largest distance of two numbers; exact where both are integers, of any size."""
    if theirs.dtype.kind in "iub" and not scale_bits:
        values = zip(theirs.reshape(-1).tolist(), ours.reshape(-1).tolist(), strict=True)
        return float(max(abs(int(one) - other) for one, other in values))
    distances = theirs.astype(np.float64) - ours.astype(np.float64) / 2.0**scale_bits
    return float(np.abs(distances).max())


def _same(expected: list[Array], found: list[Array]) -> bool:
    return all(
        np.array_equal(theirs.argmax(axis=-1), ours.argmax(axis=-1))
        for theirs, ours in zip(expected, found, strict=True)
        if theirs.ndim
    )


__all__ = ["Fidelity", "circuit_outputs", "measure_fidelity", "quantised"]
__all__ += ["require_decision", "silent"]
