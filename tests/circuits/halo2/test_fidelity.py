"""What is counted when a circuit's integers are compared with onnxruntime's numbers."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from tests.support.small_networks import network, node, relu_network, square_network
from zkagent.circuits.errors import InputRefused, OutsideRange
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.fidelity import Accuracy, Fidelity, circuit_outputs, measure_fidelity
from zkagent.circuits.halo2.settings import (
    RunArguments,
    Settings,
    canonical,
    default_arguments,
    to_bytes,
)
from zkagent.circuits.networks.judging import USUAL, Criterion
from zkagent.circuits.networks.network import Network, read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.networks.samples import Samples

FLOAT = TensorProto.FLOAT
LARGEST = Criterion(decisions=True)


def compiled(
    folder: Path, content: bytes, arguments: RunArguments
) -> tuple[Path, Settings, Network]:
    """The network and its circuit without keys."""
    onnx, settings = folder / "network.onnx", folder / "settings.json"
    onnx.write_bytes(content)
    made = canonical(ezkl_engine.make_settings(onnx, arguments, 17))
    settings.write_bytes(to_bytes(made))
    ezkl_engine.compile_network(onnx, settings, folder / "compiled")
    return folder / "compiled", made, read_network(onnx)


def samples(network: Network, rows: list[list[float]]) -> Samples:
    (taken,) = network.inputs
    values = np.array(rows, dtype=taken.type).reshape(-1, *taken.shape)
    return Samples(Path("samples.npz"), "", (values,))


def identity(weights: list[list[float]], outputs: int = 2) -> bytes:
    """y = x W over floats."""
    w = np.array(weights, dtype=np.float32)
    nodes = [node("MatMul", ["x", "w"], "y")]
    return network(nodes, {"w": w}, inputs=len(w), outputs=outputs, kind=FLOAT)


def test_an_exact_network_agrees_without_deviation(tmp_path: Path) -> None:
    parts = compiled(tmp_path, square_network(), RunArguments())
    given = samples(parts[2], [[1, 2, 3, 4], [-5, 6, 100, 0], [2**20, 1, -(2**20), 7]])
    assert measure_fidelity(*parts, given) == Fidelity(3, 1.0, 0.0, 0, None, kinds=("labels",))


def test_numbers_that_the_scale_merges_are_a_disagreement(tmp_path: Path) -> None:
    """At 2 bits of fraction 1.10 and 1.05 are both 1.0: the tie goes to the first."""
    coarse = RunArguments(input_scale_bits=2, parameter_scale_bits=2)
    parts = compiled(tmp_path, identity([[1, 0], [0, 1]]), coarse)
    given = samples(parts[2], [[1.05, 1.10], [1.10, 1.05], [-1, 2], [2, -1]])
    seen: list[tuple[int, int]] = []
    found = measure_fidelity(*parts, given, criterion=LARGEST, progress=lambda *at: seen.append(at))
    assert (found.samples, found.agreement, found.outside) == (4, 0.75, 0)
    assert found.largest_deviation == pytest.approx(0.1)
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_with_a_tolerance_every_number_must_be_within_it(tmp_path: Path) -> None:
    coarse = RunArguments(input_scale_bits=2, parameter_scale_bits=2)
    parts = compiled(tmp_path, identity([[1, 0], [0, 1]]), coarse)
    given = samples(parts[2], [[1.05, 1.10], [1.02, 1.01], [-1, 2]])
    for tolerance, agreement in ((0.05, 2 / 3), (0.2, 1.0)):
        found = measure_fidelity(*parts, given, criterion=Criterion(tolerance))
        assert found.agreement == pytest.approx(agreement)


def test_a_single_number_is_judged_as_a_number(tmp_path: Path) -> None:
    parts = compiled(tmp_path, identity([[1], [2]], outputs=1), default_arguments(False))
    given = samples(parts[2], [[1, 2]])
    for criterion in (USUAL, LARGEST, Criterion(0.01)):
        found = measure_fidelity(*parts, given, criterion=criterion)
        assert (found.agreement, found.kinds) == (1.0, ("numbers",))


def test_a_sample_that_the_decomposition_cannot_hold_is_counted_outside(tmp_path: Path) -> None:
    short = replace(default_arguments(False), decomposition_legs=2)
    parts = compiled(tmp_path, relu_network(), short)
    given = samples(parts[2], [[0.5, 0.25, -0.5, 1], [9000, 9000, 9000, 9000]])
    found = measure_fidelity(*parts, given)
    assert (found.agreement, found.outside) == (0.5, 1)
    assert found.largest_deviation < 0.1
    beyond = measure_fidelity(*parts, samples(parts[2], [[9000] * 4]))
    assert (beyond.agreement, beyond.largest_deviation) == (0.0, math.inf)
    assert Fidelity.from_json(beyond.to_json()) == beyond
    assert beyond.to_json()["largest_deviation"] is None


def test_a_sample_beyond_a_table_is_refused_before_a_proof_without_end(tmp_path: Path) -> None:
    nodes = [node("Sigmoid", ["x"], "y")]
    content = network(nodes, {}, inputs=2, outputs=2, kind=FLOAT)
    arguments = replace(default_arguments(False), lookup_range=(-1000, 1000))
    parts = compiled(tmp_path, content, arguments)
    for inside in (-1000 / 128, 1000 / 128):
        circuit_outputs(*parts, (np.float32([[inside, 0]]),))
    for beyond, found in ((-1001 / 128, -1001), (1001 / 128, 1001)):
        with pytest.raises(OutsideRange, match=f"{found} is looked up .* from -1000 to 1000"):
            circuit_outputs(*parts, (np.float32([[0, beyond]]),))


def test_an_output_that_is_no_number_is_refused(tmp_path: Path) -> None:
    onnx = tmp_path / "huge.onnx"
    onnx.write_bytes(identity([[3e38, 0], [3e38, 1]]))
    with pytest.raises(InputRefused, match="infinite number or NaN"):
        Reference(read_network(onnx)).outputs((np.float32([[1e3, 1e3]]),))


def test_labels_tell_how_often_both_are_right(tmp_path: Path) -> None:
    """At 2 bits of fraction 1.10 and 1.05 are both 1.0, and the tie goes to the first."""
    coarse = RunArguments(input_scale_bits=2, parameter_scale_bits=2)
    parts = compiled(tmp_path, identity([[1, 0], [0, 1]]), coarse)
    given = samples(parts[2], [[1.05, 1.10], [1.10, 1.05], [-1, 2], [2, -1]])
    labelled = replace(given, labels=np.array([1, 0, 1, 1]))
    found = measure_fidelity(*parts, labelled, criterion=LARGEST)
    assert found.accuracy == Accuracy(network=0.75, circuit=0.5)
    assert Fidelity.from_json(found.to_json()) == found
    assert measure_fidelity(*parts, given, criterion=LARGEST).accuracy is None


def test_notes_of_before_outputs_had_kinds_are_read() -> None:
    note = {"samples": 3, "agreement": 1.0, "largest_deviation": None, "outside": 3}
    found = Fidelity.from_json({**note, "tolerance": None})
    assert (found.largest_deviation, found.kinds, found.accuracy) == (
        math.inf,
        ("decisions",),
        None,
    )
