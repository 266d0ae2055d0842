"""How far a circuit decides as the network does: compared with onnxruntime on the user's samples.

The circuit's side is ezkl's witness, the very integers that a proof would show, never its float
path. A sample that the circuit cannot represent counts as one on which it disagrees.
"""

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.bn254.field import fits_int64
from zkagent.circuits.errors import OutsideRange
from zkagent.circuits.halo2.settings import Settings, lookup_table
from zkagent.circuits.networks.judging import USUAL, Criterion, Judged
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.networks.samples import Sample, Samples

Array = npt.NDArray[Any]
Count = Callable[[int, int], None]


@dataclass(frozen=True)
class Accuracy:
    """Shares of the labelled samples that onnxruntime and the circuit get right."""

    network: float
    circuit: float


@dataclass(frozen=True)
class Fidelity:
    """What a user needs to know of a circuit that rounds.

    samples: how many were compared. agreement: the share of them on which every output counts as
    onnxruntime's own (`networks/judging.py`). largest_deviation: of any number, in the network's
    units, over the samples that the circuit can represent; infinite when there are none.
    outside: the samples that it cannot represent. tolerance: what was asked for, if anything was.
    relative_deviation: the largest, as a part of the largest magnitude of its output. kinds: what
    each output was judged by. accuracy: where the samples have labels.
    """

    samples: int
    agreement: float
    largest_deviation: float
    outside: int
    tolerance: float | None
    relative_deviation: float = 0.0
    kinds: tuple[str, ...] = ("decisions",)
    accuracy: Accuracy | None = None

    def to_json(self) -> dict[str, Any]:
        deviations = {
            name: value if math.isfinite(value) else None
            for name, value in (
                ("largest_deviation", self.largest_deviation),
                ("relative_deviation", self.relative_deviation),
            )
        }
        return {**asdict(self), **deviations, "kinds": list(self.kinds)}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Fidelity":
        """Read `to_json`'s form; notes of before outputs had kinds are of decisions or numbers."""
        fields = {"relative_deviation": 0.0, "kinds": ["decisions"], "accuracy": None, **fields}
        for name in ("largest_deviation", "relative_deviation"):
            fields[name] = math.inf if fields[name] is None else fields[name]
        accuracy = Accuracy(**fields["accuracy"]) if fields["accuracy"] else None
        return cls(**{**fields, "kinds": tuple(fields["kinds"]), "accuracy": accuracy})


def silent(done: int, total: int) -> None:
    """Progress for nobody."""


def measure_fidelity(
    compiled: Path,
    settings: Settings,
    network: Network,
    samples: Samples,
    *,
    criterion: Criterion = USUAL,
    progress: Count = silent,
) -> Fidelity:
    """Compare the compiled circuit with onnxruntime on every sample.

    compiled: ezkl's form of the network, made with `settings`; no keys are needed. progress: told
    how many samples of how many are done. Raises InputRefused, NetworkRefused, EngineError.
    """
    reference = Reference(network)
    expected = [reference.outputs(sample) for sample in samples]
    judged = [Judged.of(outputs, criterion) for outputs in zip(*expected, strict=True)]
    scales = settings["model_output_scales"]
    agreed, outside, largest, relative = 0, 0, 0.0, 0.0
    answers: list[list[Array] | None] = []
    for done, (sample, theirs) in enumerate(zip(samples, expected, strict=True), start=1):
        try:
            ours = circuit_outputs(compiled, settings, network, sample)
        except OutsideRange:
            outside += 1
            answers.append(None)
        else:
            answers.append(ours)
            deviations = list(_deviations(theirs, ours, scales))
            largest = max(largest, *deviations)
            each = list(zip(judged, theirs, ours, deviations, strict=True))
            relative = max(relative, *(one.relative(deviation) for one, *_, deviation in each))
            agreed += all(
                one.agrees(right, found, deviation, criterion)
                for one, right, found, deviation in each
            )
        progress(done, len(samples))
    if outside == len(samples):
        largest = relative = math.inf
    return Fidelity(
        len(samples),
        agreed / len(samples),
        largest,
        outside,
        criterion.tolerance,
        relative,
        tuple(one.kind.value for one in judged),
        _accuracy(samples, expected, answers, scales),
    )


def circuit_outputs(
    compiled: Path, settings: Settings, network: Network, sample: Sample
) -> list[Array]:
    """The circuit's integers in the shapes of the network's outputs, as Python integers.

    Raises OutsideRange, EngineError.
    """
    from zkagent.circuits.halo2 import ezkl_engine

    x = quantised(sample, settings["model_input_scales"])
    with tempfile.TemporaryDirectory() as folder:
        y = ezkl_engine.evaluate(
            compiled, x, Path(folder, "witness.json"), table=lookup_table(settings)
        )
    ends = np.cumsum([each.size for each in network.outputs])
    parts = np.split(np.array(y, dtype=object), ends[:-1])
    return [part.reshape(of.shape) for part, of in zip(parts, network.outputs, strict=True)]


def quantised(sample: Sample, scales: Sequence[int]) -> list[list[int]]:
    """The circuit's public inputs for a sample, a list for each input: v * 2^bits, rounded.

    scales: of each input, in bits. Raises OutsideRange.
    """
    return [_quantised(array, bits) for array, bits in zip(sample, scales, strict=True)]


def _quantised(array: Array, scale_bits: int) -> list[int]:
    if array.dtype.kind in "iub" and not scale_bits:
        return [int(value) for value in array.reshape(-1)]
    x = [int(v) for v in np.rint(array.astype(np.float64) * 2.0**scale_bits).reshape(-1)]
    if not fits_int64(x):
        raise OutsideRange(f"an input of {max(x, key=abs)} at {scale_bits} bits of fraction")
    return x


def _deviations(
    expected: Sequence[Array], found: Sequence[Array], scales: Sequence[int]
) -> Iterator[float]:
    for theirs, ours, scale in zip(expected, found, scales, strict=True):
        yield _distance(theirs, ours, scale)


def _distance(theirs: Array, ours: Array, scale_bits: int) -> float:
    """Largest distance of two numbers; exact where both are integers, of any size."""
    if theirs.dtype.kind in "iub" and not scale_bits:
        values = zip(theirs.reshape(-1).tolist(), ours.reshape(-1).tolist(), strict=True)
        return float(max(abs(int(one) - other) for one, other in values))
    distances = theirs.astype(np.float64) - ours.astype(np.float64) / 2.0**scale_bits
    return float(np.abs(distances).max())


def _accuracy(
    samples: Samples,
    expected: Sequence[Sequence[Array]],
    found: Sequence[Sequence[Array] | None],
    scales: Sequence[int],
) -> Accuracy | None:
    """By the first output that tells one label; None where none does, or there are no labels."""
    if samples.labels is None:
        return None
    labels = samples.labels.tolist()
    for at, (output, bits) in enumerate(zip(expected[0], scales, strict=True)):
        if _label(output, 0) is not None:
            theirs = [_label(each[at], 0) for each in expected]
            ours = [None if each is None else _label(each[at], bits) for each in found]
            count = len(labels)
            return Accuracy(
                sum(a == b for a, b in zip(theirs, labels, strict=True)) / count,
                sum(a == b for a, b in zip(ours, labels, strict=True)) / count,
            )
    return None


def _label(output: Array, bits: int) -> int | float | None:
    """What an output says: the number of the largest of several, or its one integer."""
    if output.ndim and output.shape[-1] > 1 and output.size == output.shape[-1]:
        return int(output.argmax())
    if output.size == 1 and output.dtype.kind in "iubO":
        return int(output.item()) / 2.0**bits
    return None


__all__ = ["Accuracy", "Fidelity", "circuit_outputs", "measure_fidelity", "quantised", "silent"]
