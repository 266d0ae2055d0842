"""From a trained model's file to the ONNX file of its circuit: converted, its names taken out,
rewritten as tensors, and compared with what it was."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.networks.imports.converting import convert
from zkagent.circuits.networks.imports.loading import (
    MOST_BYTES,
    Kind,
    Loaded,
    kind_of,
    load,
    translated,
)
from zkagent.circuits.networks.imports.trial import (
    Array,
    Trial,
    compared,
    outputs,
    predictions,
    trial_inputs,
)
from zkagent.circuits.networks.prepare import prepare
from zkagent.circuits.networks.rewrites.decisions import decide_by_scores, keep_labels
from zkagent.circuits.networks.rewrites.learned import to_tensors
from zkagent.circuits.networks.rewrites.names import take_names
from zkagent.models.files import read_limited
from zkagent.models.networks.parsing import parse_model

if TYPE_CHECKING:
    from onnx import ModelProto, ValueInfoProto

LEAST_SAME = 0.99  # of random inputs; what lies on a threshold may be rounded to its other side


@dataclass(frozen=True)
class Face:
    """An input or output: its name, its type as numpy names it, its shape."""

    name: str
    type: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Imported:
    """content: the ONNX file, of tensors and numbers alone. names: of the classes, by their labels;
    none where they are numbers. said: by the library that read the model. changes: a line for
    everything that was done. by_file: against the model as an ONNX file. by_library: against the
    library that trained it, where that is there."""

    content: bytes
    kind: Kind
    inputs: tuple[Face, ...]
    outputs: tuple[Face, ...]
    names: tuple[str, ...]
    said: tuple[str, ...]
    changes: tuple[str, ...]
    by_file: Trial
    by_library: Trial


def import_model(
    path: Path, *, trusted: bool = False, features: int | None = None, labels_only: bool = False
) -> Imported:
    """Read, convert and rewrite a model.

    trusted: whether a pickle may run what is in it; without that it is not read. features: how many
    the model takes, where it does not say. labels_only: leave out a classifier's scores. Raises
    NetworkRefused, EngineMissing.
    """
    kind = kind_of(path)
    if kind is Kind.ONNX:
        with translated(path):
            model = parse_model(read_limited(path, MOST_BYTES))
        loaded = Loaded(None, ())
    else:
        loaded = load(path, kind, trusted=trusted)
        model = convert(path, loaded.model, features)
    return _rewritten(path, kind, model, loaded, labels_only)


def _rewritten(
    path: Path, kind: Kind, model: "ModelProto", loaded: Loaded, labels_only: bool
) -> Imported:
    names, taken = take_names(model)
    single = len(model.graph.input) == 1 and _is_table(model.graph.input[0])
    inputs = trial_inputs(model) if single else None
    original, learned = bytes(model.SerializeToString()), _tensors(path, model, labels_only)
    ready = prepare(path, bytes(model.SerializeToString()))
    made = parse_model(ready.content)
    by_file = by_library = Trial(0, None)
    if inputs is not None:
        found = outputs(ready.content, inputs)
        by_file = compared(outputs(original, inputs)[0], found[0])
        by_library = _by_library(loaded.model, inputs, found[0], names)
    for trial in (by_file, by_library):
        if trial.same is not None and trial.same < LEAST_SAME * trial.count:
            raise NetworkRefused(
                path,
                f"its tensors decide like it on {trial.same} of {trial.count} random inputs only: "
                "the converter or a rewriting does not fit it, report that with the model",
            )
    return Imported(
        ready.content,
        kind,
        tuple(_face(each) for each in made.graph.input),
        tuple(_face(each) for each in made.graph.output),
        names,
        loaded.said,
        (*taken, *learned, *ready.changes),
        by_file,
        by_library,
    )


def _tensors(path: Path, model: "ModelProto", labels_only: bool) -> tuple[str, ...]:
    try:
        left_out = keep_labels(model) if labels_only else ()
        return (*left_out, *to_tensors(model), *decide_by_scores(model))
    except ValueError as exc:
        raise NetworkRefused(path, str(exc)) from exc


def _by_library(trained: Any, inputs: Array, found: Array, names: tuple[str, ...]) -> Trial:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inputs without the names of their columns
        expected = None if trained is None else predictions(trained, inputs)
    if expected is None:
        return Trial(0, None)
    if expected.dtype.kind in "OUS":
        places = {name: place for place, name in enumerate(names)}
        expected = np.array([places.get(str(each), -1) for each in expected.reshape(-1)])
    return compared(expected, found)


def _is_table(value: "ValueInfoProto") -> bool:
    dims = value.type.tensor_type.shape.dim
    return len(dims) == 2 and dims[1].dim_value > 0 and value.type.tensor_type.elem_type == 1


def _face(value: "ValueInfoProto") -> Face:
    from onnx import helper

    kind = value.type.tensor_type
    shape = tuple(each.dim_value for each in kind.shape.dim)
    return Face(value.name, helper.tensor_dtype_to_np_dtype(kind.elem_type).name, shape)


__all__ = ["Face", "Imported", "import_model"]
