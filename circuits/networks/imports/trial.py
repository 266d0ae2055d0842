"""Whether an imported model is still the one that it was: on random inputs, by onnxruntime and by
the library that trained it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from zkagent.models.networks.inference import open_session

if TYPE_CHECKING:
    from onnx import ModelProto

Array = npt.NDArray[Any]
COUNT = 256
SEED = 13


@dataclass(frozen=True)
class Trial:
    """same: on how many of `count` inputs the first outputs were the same, that is labels, or
    numbers to a thousandth of their size; None where nothing was compared."""

    count: int
    same: int | None


def trial_inputs(model: "ModelProto", count: int = COUNT) -> Array:
    """[count, features] of float32: around the thresholds or the means that the model's first nodes
    compare its input with, or around 0. model: of one input [n, features]."""
    from zkagent.circuits.networks.rewrites.building import attributes

    (given,) = model.graph.input
    features = given.type.tensor_type.shape.dim[1].dim_value
    centre, spread = np.zeros(features), np.ones(features)
    for node in model.graph.node:
        if given.name not in node.input:
            continue
        said = attributes(node)
        if node.op_type == "Scaler":
            scale = np.broadcast_to(np.asarray(said["scale"], dtype=float), features)
            centre = np.broadcast_to(np.asarray(said["offset"], dtype=float), features)
            spread = 1 / np.where(scale == 0, 1, scale)
        elif "nodes_featureids" in said:
            values = said.get("nodes_values_as_tensor", said.get("nodes_values"))
            centre, spread = _of_thresholds(said, np.asarray(values, dtype=float), features)
    drawn = np.random.default_rng(SEED).normal(size=(count, features))
    found: Array = (centre + spread * drawn).astype(np.float32)
    return found


def _of_thresholds(said: dict[str, Any], values: Array, features: int) -> tuple[Array, Array]:
    centre, spread = np.zeros(features), np.ones(features)
    inner = np.array([mode != "LEAF" for mode in said["nodes_modes"]])
    where = np.asarray(said["nodes_featureids"])
    for feature in range(features):
        own = values[inner & (where == feature)]
        if own.size:
            centre[feature] = own.mean()
            spread[feature] = own.std() or max(1.0, abs(own.mean()))
    return centre, spread


def outputs(content: bytes, inputs: Array) -> list[Array]:
    """All outputs for inputs [n, features], of a network that takes one at a time."""
    session = open_session(content)
    name = session.get_inputs()[0].name
    rows = [session.run(None, {name: row[None]}) for row in inputs]
    return [np.concatenate(each) for each in zip(*rows, strict=True)]


def compared(expected: Array, found: Array) -> Trial:
    """expected, found: [n, ...] of one output."""
    expected, found = expected.reshape(len(expected), -1), found.reshape(len(found), -1)
    if expected.shape != found.shape:
        return Trial(len(expected), 0)
    if expected.dtype.kind in "iub":
        same = (expected == found).all(axis=1)
    else:
        same = np.isclose(expected, found, rtol=1e-3, atol=1e-5).all(axis=1)
    return Trial(len(expected), int(same.sum()))


def predictions(model: Any, inputs: Array) -> Array | None:
    """What the library that trained the model makes of the inputs: labels as they are, or numbers;
    None where it does not say. A class of LightGBM's boosters is the place of its score."""
    found: Array
    if type(model).__module__.startswith("lightgbm") and type(model).__name__ == "Booster":
        found = np.asarray(model.predict(inputs))
        if found.ndim == 2:
            return np.asarray(found.argmax(axis=1))
        binary = str(model.dump_model(num_iteration=1)["objective"]).startswith("binary")
        return (found > 0.5).astype(np.int64) if binary else found
    predict = getattr(model, "predict", None)
    return None if predict is None else np.asarray(predict(inputs))


__all__ = ["COUNT", "Trial", "compared", "outputs", "predictions", "trial_inputs"]
