"""Networks as torch exports them: their operators pass, and circuits decide as they do."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zkagent.circuits.halo2.calibration import calibrate
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.samples import load_samples

torch = pytest.importorskip("torch")
nn = torch.nn


def mlp() -> Any:
    return nn.Sequential(nn.Linear(8, 6), nn.GELU(), nn.Linear(6, 3), nn.Softmax(-1))


def convolutions() -> Any:
    first = (nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.SiLU(), nn.AvgPool2d(2))
    last = (nn.Conv2d(2, 2, 3), nn.ReLU(), nn.MaxPool2d(2, padding=1), nn.Flatten())
    return nn.Sequential(*first, *last, nn.Linear(8, 3))


def attention() -> Any:
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    return nn.Sequential(layer, nn.Flatten(), nn.Linear(8, 3))


def exported(module: Any, shape: tuple[int, ...], path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that needs no further package is an old one
        torch.onnx.export(module.eval(), torch.zeros(shape), path, dynamo=False, opset_version=17)


@pytest.mark.parametrize(
    ("make", "shape"),
    [(mlp, (1, 8)), (convolutions, (1, 1, 8, 8)), (attention, (1, 2, 4))],
    ids=["mlp", "convolutions", "attention"],
)
def test_what_torch_exports_is_taken_as_it_is(
    make: Callable[[], Any], shape: tuple[int, ...], tmp_path: Path
) -> None:
    torch.manual_seed(1)
    onnx, data = tmp_path / "model.onnx", tmp_path / "samples.npz"
    exported(make(), shape, onnx)
    np.savez(data, torch.randn(6, *shape).numpy())
    network = read_network(onnx)
    fidelity = calibrate(network, load_samples(data, network)).fidelity
    assert (fidelity.samples, fidelity.agreement, fidelity.outside) == (6, 1.0, 0)
    assert fidelity.largest_deviation < 0.1
