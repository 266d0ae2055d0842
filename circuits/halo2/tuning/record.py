"""The outcome of a tuning: every circuit that was measured, which one won, and where that is kept.

A record is kept as tuned/<digest of the ONNX file>.json in the cache, so that later builds of the
file use its settings; and as the note "tuning" in the manifest of the circuit that won.
"""

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from zkagent.circuits.errors import ArtifactCorrupted
from zkagent.circuits.halo2.fidelity import Fidelity
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.circuits.halo2.tuning.measuring import Measurement
from zkagent.circuits.halo2.tuning.objectives import Cost, Objective, pareto
from zkagent.circuits.support.cache import cache_folder, cache_root
from zkagent.circuits.support.sealed import read_sealed, write_sealed
from zkagent.circuits.visibility import OPEN, Visibility

FORMAT = "zkagent-tuning-1"
STANDARD = "standard"


@dataclass(frozen=True)
class Option:
    """One circuit that was measured.

    predicted: by the cost model, with seconds scaled to this machine. fidelity: on the samples;
    None for an exact network without samples.
    """

    name: str
    arguments: RunArguments
    rows: int
    logrows: int
    blocks: int
    predicted: Cost
    measured: Measurement
    fidelity: Fidelity | None

    @property
    def cost(self) -> Cost:
        """As measured; gas as predicted."""
        return self.measured.cost(self.predicted)

    @property
    def agreement(self) -> float:
        return self.fidelity.agreement if self.fidelity else 1.0

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "arguments": asdict(self.arguments),
            "rows": self.rows,
            "logrows": self.logrows,
            "blocks": self.blocks,
            "predicted": self.predicted.to_json(),
            "measured": self.measured.to_json(),
            "fidelity": self.fidelity.to_json() if self.fidelity else None,
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Option":
        fidelity = fields["fidelity"]
        return cls(
            name=fields["name"],
            arguments=RunArguments.from_json(fields["arguments"]),
            rows=fields["rows"],
            logrows=fields["logrows"],
            blocks=fields["blocks"],
            predicted=Cost(**fields["predicted"]),
            measured=Measurement(**fields["measured"]),
            fidelity=Fidelity.from_json(fidelity) if fidelity else None,
        )


@dataclass(frozen=True)
class Tuning:
    """Of one ONNX file (its SHA-256) for one objective.

    chosen: the winner's name. samples: SHA-256 of the file, None without one. considered: how many
    settings the cost model compared. left_out: what could not be measured, and why. standard: the
    prediction for what `zkagent circuit build` makes, which may be too slow to be measured.
    """

    onnx: str
    ezkl: str
    objective: Objective
    min_agreement: float
    samples: str | None
    considered: int
    standard: Cost
    options: tuple[Option, ...]
    chosen: str
    left_out: tuple[str, ...]

    @property
    def visibility(self) -> Visibility:
        """What proofs of each option show."""
        return self.winner.arguments.visibility

    @property
    def winner(self) -> Option:
        return self.option(self.chosen)

    def option(self, name: str) -> Option:
        return next(option for option in self.options if option.name == name)

    @property
    def pareto(self) -> tuple[str, ...]:
        """Names of those that no other one beats in seconds, gas, memory and agreement alike."""
        kept = pareto(
            self.options,
            lambda o: (o.cost.seconds, o.cost.gas, o.cost.peak_bytes, -o.agreement),
        )
        return tuple(option.name for option in kept)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "onnx": self.onnx,
            "ezkl": self.ezkl,
            "objective": self.objective.value,
            "min_agreement": self.min_agreement,
            "samples": self.samples,
            "considered": self.considered,
            "standard": self.standard.to_json(),
            "chosen": self.chosen,
            "pareto": list(self.pareto),
            "options": [option.to_json() for option in self.options],
            "left_out": list(self.left_out),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Tuning":
        return cls(
            onnx=fields["onnx"],
            ezkl=fields["ezkl"],
            objective=Objective(fields["objective"]),
            min_agreement=fields["min_agreement"],
            samples=fields["samples"],
            considered=fields["considered"],
            standard=Cost(**fields["standard"]),
            options=tuple(Option.from_json(option) for option in fields["options"]),
            chosen=fields["chosen"],
            left_out=tuple(fields["left_out"]),
        )


def keep(tuning: Tuning, cache: Path | None = None) -> Path:
    """Write the record, instead of an earlier one of the same file; where it lies."""
    cache_folder("tuned", cache=cache)
    path = _path(tuning.onnx, tuning.visibility, cache)
    write_sealed(path, tuning.to_json())
    return path


def find(onnx: str, cache: Path | None = None, *, visibility: Visibility = OPEN) -> Tuning | None:
    """The record for the ONNX file of this SHA-256 and what proofs show, if there is one. Raises
    ArtifactCorrupted."""
    path = _path(onnx, visibility, cache)
    if not path.is_file():
        return None
    tuning = read_sealed(path, Tuning.from_json)
    if (tuning.onnx, tuning.visibility) != (onnx, visibility):
        raise ArtifactCorrupted(path, "it belongs to another ONNX file")
    return tuning


def _path(onnx: str, visibility: Visibility, cache: Path | None) -> Path:
    hidden = "" if visibility.open else "-" + "-".join(astuple(visibility))
    return cache_root(cache) / "tuned" / f"{onnx}{hidden}.json"


__all__ = ["STANDARD", "Option", "Tuning", "find", "keep"]
