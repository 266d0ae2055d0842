"""What becomes of trees, linear models and scalers in ezkl's circuits, by witness: labels as
onnxruntime has them, and small weights not lost."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper

from tests.support.learned_models import FLOAT, INT64, Trees, inputs, model, node
from zkagent.circuits.halo2.calibration import Calibrated, calibrate
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.samples import load_samples

BITS = 7  # the coarsest scale


def fitted(made: ModelProto, x: Any, folder: Path) -> Calibrated:
    onnx, samples = folder / "model.onnx", folder / "samples.npz"
    onnx.write_bytes(made.SerializeToString())
    np.savez(samples, x=x)
    network = read_network(onnx)
    return calibrate(network, load_samples(samples, network), fraction_bits=BITS)


@pytest.mark.parametrize("classes", [1, 3])
def test_trees_decide_alike_at_their_thresholds(classes: int, tmp_path: Path) -> None:
    trees = Trees("class", classes).grow(np.random.default_rng(6), [3, 3, 2])
    labels = [0, 1] if classes == 1 else [3, 5, 7]
    made = node(
        "TreeEnsembleClassifier", "x", "y z", **trees.attributes(), classlabels_int64s=labels
    )
    shapes = [["n"], ["n", len(labels)]]
    whole = model([made], {"y": INT64, "z": FLOAT}, features=4, shapes=shapes)
    found = fitted(whole, inputs(count=24), tmp_path).fidelity
    assert (found.agreement, found.outside) == (1.0, 0)
    assert found.largest_deviation < 0.05


SMALL = np.array([[0.002, -0.001, 0.003, 0.0005]], np.float32)


@pytest.mark.parametrize("learned", [True, False])
def test_small_weights_are_not_rounded_away(learned: bool, tmp_path: Path) -> None:
    """As they are by a plain product: each of them is below 1 / 2^7."""
    if learned:
        made = node("LinearRegressor", "x", "y", coefficients=SMALL.reshape(-1).tolist())
        constants = {}
    else:
        made, constants = helper.make_node("MatMul", ["x", "w"], ["y"]), {"w": SMALL.T}
    whole = model([made], {"y": FLOAT}, features=4, constants=constants, shapes=[["n", 1]])
    found = fitted(whole, 100 * inputs(whole=False, count=16), tmp_path).fidelity
    assert (found.largest_deviation < 0.01) is learned


@pytest.mark.parametrize("norm", ["L1", "L2"])
def test_rows_are_normalised_however_large_they_are(norm: str, tmp_path: Path) -> None:
    made = node("Normalizer", "x", "y", norm=norm)
    whole = model([made], {"y": FLOAT}, features=4, shapes=[["n", 4]])
    x = 50 * inputs(whole=False, count=16)
    x[0] = 0
    assert fitted(whole, x, tmp_path).fidelity.largest_deviation < 0.01


def test_scalers_of_features_of_any_size(tmp_path: Path) -> None:
    sizes = np.array([1000.0, 1.0, 0.1, 30.0])
    made = node("Scaler", "x", "y", offset=(sizes / 2).tolist(), scale=(1 / sizes).tolist())
    whole = model([made], {"y": FLOAT}, features=4, shapes=[["n", 4]])
    x = inputs(whole=False, count=16) * sizes
    found = fitted(whole, x.astype(np.float32), tmp_path).fidelity
    assert found.largest_deviation < 0.08  # of which 10 / 2^8 are the inputs' own rounding
