"""What circuits are compared with: the same network in units, as ezkl's calibration takes it."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from tests.support.progress import quiet
from tests.support.small_networks import network, node, square_network, squares
from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.program.reader import read_program
from zkagent.executor.bench.defaults import float_network
from zkagent.executor.bench.examples import example
from zkagent.executor.bench.subjects import Subject, random_square, saved, wallet, wallet_decision
from zkagent.executor.bench.unit_form import unit_form


def subject(folder: Path, content: bytes) -> Subject:
    x = np.random.default_rng(3).integers(-9, 10, (40, 1, 4))
    return Subject("tiny", "tiny", "tiny", saved(content, folder, "tiny"), x)


def test_a_network_in_units_is_a_constant_times_the_integer_one(tmp_path: Path) -> None:
    whole = subject(tmp_path, square_network())
    network, unit = float_network(whole, tmp_path)
    assert unit == 9
    assert (network.integer, network.inputs[0].type) == (False, "float32")
    given = (whole.samples / unit).astype(np.float32)
    parts = Subject("units", "", "", network, given)
    pairs = zip(parts.reference(), whole.samples, strict=True)
    ratios = {
        round(found / expected, 9)
        for y, x in pairs
        for found, expected in zip(y, squares(x[0].tolist()), strict=True)
        if abs(expected) > 1000
    }
    assert max(ratios) == pytest.approx(min(ratios), rel=1e-3)
    # x / 9, W1 / 9, so that the squares are in 81 * 81, and W2 / 5
    assert max(ratios) == pytest.approx(1 / (81 * 81 * 5), rel=1e-3)


def test_the_wallet_model_decides_alike_in_units(tmp_path: Path) -> None:
    whole = wallet(tmp_path, quiet)
    network, unit = float_network(whole, tmp_path)
    given = (whole.samples / unit).astype(np.float32)
    decisions = [wallet_decision(y) for y in whole.reference()]
    found = [wallet_decision(y) for y in Subject("u", "", "", network, given).reference()]
    same = sum(a == b for a, b in zip(decisions, found, strict=True))
    assert same >= 0.99 * len(decisions)  # float32 has 24 bits
    assert len(set(decisions)) > 5


def test_a_network_with_other_operators_has_no_form_in_units(tmp_path: Path) -> None:
    content = network(
        [node("Relu", ["x"], "r"), node("MatMul", ["r", "w"], "y")], {"w": [[1, 2]] * 4}
    )
    with pytest.raises(NetworkRefused, match="Relu has no form in units"):
        unit_form(tmp_path, content, 1.0)


def test_a_float_network_is_given_as_it_is(tmp_path: Path) -> None:
    content = network(
        [node("MatMul", ["x", "w"], "y")],
        {"w": np.ones((4, 2), np.float32)},
        kind=TensorProto.FLOAT,
    )
    given = subject(tmp_path, content)
    assert float_network(given, tmp_path) == (given.network, 1.0)


@pytest.mark.parametrize("kind", ["mlp", "cnn", "transformer", "trees"])
def test_the_example_networks_take_their_samples_and_are_mostly_right(
    tmp_path: Path, kind: str
) -> None:
    given = example(kind, tmp_path, quiet)
    assert given.samples.shape[1:] == given.network.inputs[0].shape
    accuracy = given.describe().accuracy
    assert accuracy is not None
    assert accuracy.value > 2 / given.network.output_count


@pytest.mark.parametrize(("layers", "bits"), [((128, 512, 16), 12), ((512, 2048, 32), 11)])
def test_networks_of_many_weights_stay_within_64_bits(
    layers: tuple[int, int, int], bits: int, tmp_path: Path
) -> None:
    made = random_square(layers, bits, tmp_path, quiet)
    program = read_program(made.network.content, made.input_bits)
    assert program.multiply_adds == layers[1] * (layers[0] + layers[2])
    assert max(program.bounds) < 1 << 63
