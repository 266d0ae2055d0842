"""The networks of a folder, each with its samples: FOLDER/NAME.onnx, or FOLDER/NAME/network.onnx
as ezkl's examples have it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from zkagent.executor.errors import ArgumentRefused

SAMPLES = ("input.json", "samples.npz", "samples.npy", "samples.csv", "samples.json")
ENDINGS = (".npz", ".npy", ".csv", ".json")


@dataclass(frozen=True)
class Case:
    """One network. samples: None where none lie beside it."""

    name: str
    onnx: Path
    samples: Path | None


def find_cases(folder: Path, only: Sequence[str] = ()) -> list[Case]:
    """In alphabetical order. only: names. Raises ArgumentRefused for a folder without networks, and
    for a name that none has."""
    found = sorted(_found(folder), key=lambda case: case.name)
    names = {case.name for case in found}
    if missing := [name for name in only if name not in names]:
        raise ArgumentRefused("network", missing[0], f"one of those in {folder}")
    if not found:
        raise ArgumentRefused(
            "folder", str(folder), "one with NAME.onnx or NAME/network.onnx in it"
        )
    return [case for case in found if not only or case.name in only]


def _found(folder: Path) -> Iterator[Case]:
    for onnx in folder.glob("*.onnx"):
        beside = [onnx.with_suffix(ending) for ending in ENDINGS]
        yield Case(onnx.stem, onnx, _first(beside))
    for onnx in folder.glob("*/*.onnx"):
        alone = len(list(onnx.parent.glob("*.onnx"))) == 1
        name = onnx.parent.name if alone else f"{onnx.parent.name}/{onnx.stem}"
        beside = [onnx.with_suffix(ending) for ending in ENDINGS]
        yield Case(name, onnx, _first([*beside, *(onnx.parent / each for each in SAMPLES)]))


def _first(paths: Sequence[Path]) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


__all__ = ["Case", "find_cases"]
