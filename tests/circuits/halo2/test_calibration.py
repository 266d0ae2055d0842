"""Scale and ranges fitted to samples: none of them is lost, and a build is the same each time."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from tests.support.operator_cases import Case
from tests.support.small_networks import (
    network,
    node,
    read_back,
    relu_network,
    saved_samples,
    square_network,
)
from zkagent.circuits.errors import NetworkRefused, OutsideRange, SettingsRefused
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import Stage, build_circuit, fidelity_of
from zkagent.circuits.halo2.build_process import build_isolated
from zkagent.circuits.halo2.calibration import Data, calibrate
from zkagent.circuits.halo2.fidelity import Fidelity, quantised
from zkagent.circuits.halo2.settings import RunArguments, default_arguments
from zkagent.circuits.networks.judging import Criterion
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.samples import Samples


def samples(given: Network, *rows: list[float]) -> Samples:
    (taken,) = given.inputs
    values = np.array(rows, dtype=taken.type).reshape(-1, *taken.shape)
    return Samples(Path("none"), "", (values,))


def test_large_samples_get_the_legs_that_they_need(tmp_path: Path) -> None:
    relu = read_back(tmp_path, relu_network())
    small = calibrate(relu, samples(relu, [1, 2, 3, 4]))
    large = calibrate(relu, samples(relu, [1, 2, 3, 4], [5e6, 1, 2, 3]))
    assert small.arguments.decomposition_legs < large.arguments.decomposition_legs
    assert large.fidelity == replace(large.fidelity, samples=2, agreement=1.0, outside=0)


def test_a_late_sample_out_of_the_first_ones_range_is_brought_in(tmp_path: Path) -> None:
    relu = read_back(tmp_path, relu_network())
    rows = [[1.0, 2, 3, 4]] * 16
    found = calibrate(relu, samples(relu, *rows, [5e6, 1, 2, 3]))
    assert (found.fidelity.samples, found.fidelity.outside) == (17, 0)


def test_a_table_reaches_twice_as_far_as_the_samples(tmp_path: Path) -> None:
    sigmoid = read_back(tmp_path, Case("Sigmoid").content())
    arguments = calibrate(sigmoid, samples(sigmoid, [-3, 1, 0, 2], [0, 5, 0, 0])).arguments
    assert arguments.lookup_range == (2 * -3 * 2**7 - 2, 2 * 5 * 2**7 + 2)


def test_an_agreement_that_needs_more_bits_gets_them(tmp_path: Path) -> None:
    """Numbers 1/512 apart are one number at 7 bits of fraction."""
    identity = network(
        [node("MatMul", ["x", "w"], "y")],
        {"w": np.eye(2, dtype=np.float32)},
        inputs=2,
        kind=TensorProto.FLOAT,
    )
    near = read_back(tmp_path, identity)
    close = samples(near, [1, 1 + 1 / 512], [1 + 1 / 512, 1])
    largest = Criterion(decisions=True)
    assert calibrate(near, close, criterion=largest).arguments.input_scale_bits == 10
    assert calibrate(near, close).arguments.input_scale_bits == 7  # near enough, as numbers
    apart = samples(near, [1, 2], [2, 1])
    assert calibrate(near, apart, criterion=largest).arguments.input_scale_bits == 7
    exactly = Criterion(tolerance=1e-5)
    assert calibrate(near, apart, criterion=exactly).arguments.input_scale_bits == 7
    assert calibrate(near, close, criterion=exactly).arguments.input_scale_bits == 10
    forced = calibrate(near, close, criterion=largest, fraction_bits=7)
    assert (forced.arguments.input_scale_bits, forced.fidelity.agreement) == (7, 0.5)


def test_a_scale_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    relu = read_back(tmp_path, relu_network())
    with pytest.raises(SettingsRefused, match="fraction_bits is 25, must be from 1 to 24"):
        calibrate(relu, samples(relu, [1, 2, 3, 4]), fraction_bits=25)
    exact = read_back(tmp_path, square_network())
    with pytest.raises(SettingsRefused, match="must be 0 for a network of integers"):
        calibrate(exact, samples(exact, [1, 2, 3, 4]), fraction_bits=7)


def test_a_sample_that_no_range_holds_is_an_error(tmp_path: Path) -> None:
    nodes = [node("Mul", ["x", "w"], "m"), node("Relu", ["m"], "y")]
    steep = network(
        nodes, {"w": np.full((1, 4), 2.0**23, np.float32)}, outputs=4, kind=TensorProto.FLOAT
    )
    given = read_back(tmp_path, steep)
    with pytest.raises(OutsideRange, match=r"numbers beyond 64\^8"):
        calibrate(given, samples(given, [2.0**24] * 4), fraction_bits=13)


def test_integers_are_compared_and_stay_exact(tmp_path: Path) -> None:
    onnx = read_back(tmp_path, square_network()).path
    built = build_circuit(
        onnx, cache=tmp_path, data=Data(saved_samples(tmp_path, [[2**20, -7, 0, 1], [1, 2, 3, 4]]))
    )
    assert built.facts.exact
    assert fidelity_of(built) == Fidelity(2, 1.0, 0.0, 0, None, kinds=("labels",))


def test_a_build_with_samples_proves_them_and_remembers_how_it_compares(tmp_path: Path) -> None:
    onnx = read_back(tmp_path, Case("Softmax").content()).path
    data = Data(saved_samples(tmp_path, [[0, 1, 2, 3.5], [-2, 0.25, 0, -1]]))
    seen: list[Stage] = []
    built = build_isolated(onnx, cache=tmp_path, data=data, progress=seen.append)
    assert seen == list(Stage)
    found = fidelity_of(built)
    assert found is not None
    assert (found.samples, found.agreement, found.outside) == (2, 1.0, 0)
    assert not built.facts.exact
    inputs = quantised((np.float32([-2, 0.25, 0, -1]),), [built.facts.input_scale_bits])[0]
    assert ezkl_engine.verify(built, ezkl_engine.prove(built, inputs))


def test_builds_with_the_same_samples_are_the_same_circuit(tmp_path: Path) -> None:
    onnx = read_back(tmp_path, relu_network()).path
    data = Data(saved_samples(tmp_path, [[0.5, 1, 2, 3], [4, 3, 2, 1.0]]))
    first = build_circuit(onnx, cache=tmp_path / "one", data=data)
    again = build_circuit(onnx, cache=tmp_path / "two", data=data, srs=first.srs)
    assert (again.digest, again.files) == (first.digest, {**first.files, **compiled(again.files)})


def compiled(files: dict[str, str]) -> dict[str, str]:
    """ezkl's compiled form carries the time."""
    return {name: digest for name, digest in files.items() if name == "network.ezkl"}


def test_given_arguments_are_compared_and_not_changed(tmp_path: Path) -> None:
    onnx = read_back(tmp_path, relu_network()).path
    data = Data(saved_samples(tmp_path, [[0.5, 1, 2, 3], [9000.0, 9000, 9000, 9000]]))
    short = replace(default_arguments(False), decomposition_legs=2)
    found = fidelity_of(build_circuit(onnx, cache=tmp_path, arguments=short, data=data))
    assert found is not None
    assert (found.agreement, found.outside) == (0.5, 1)


def test_an_integer_circuit_that_differs_on_a_sample_is_refused(tmp_path: Path) -> None:
    """ezkl takes index -2 for 0."""
    nodes = [node("Gather", ["x", "i"], "g", axis=1), node("MatMul", ["g", "w"], "y")]
    onnx = read_back(tmp_path, network(nodes, {"i": [-2, 1], "w": [[1, 0], [0, 10]]})).path
    data = Data(saved_samples(tmp_path, [[1, 2, 3, 4]]))
    with pytest.raises(NetworkRefused, match="other integers than onnxruntime on the samples"):
        build_circuit(onnx, cache=tmp_path, data=data)


def test_a_single_output_is_compared_as_a_number(tmp_path: Path) -> None:
    one = network(
        [node("MatMul", ["x", "w"], "y")],
        {"w": np.ones((4, 1), np.float32)},
        outputs=1,
        kind=TensorProto.FLOAT,
    )
    onnx, data = read_back(tmp_path, one).path, Data(saved_samples(tmp_path, [[0.5, 1, 2, 3]]))
    built = build_circuit(onnx, cache=tmp_path, data=data)
    assert fidelity_of(built) == Fidelity(1, 1.0, 0.0, 0, None, kinds=("numbers",))
    built = build_circuit(onnx, cache=tmp_path, data=replace(data, tolerance=0.01))
    assert fidelity_of(built) == Fidelity(1, 1.0, 0.0, 0, 0.01, kinds=("numbers",))


def test_arguments_of_a_calibration_are_sound(tmp_path: Path) -> None:
    relu = read_back(tmp_path, relu_network())
    arguments = calibrate(relu, samples(relu, [1, 2, 3, 4])).arguments
    plain = RunArguments()
    for name in ("input_visibility", "output_visibility", "parameter_visibility"):
        assert getattr(arguments, name) == getattr(plain, name)
    assert arguments.disable_freivalds


def test_a_proof_reaches_to_the_table_s_edge_and_not_one_further(tmp_path: Path) -> None:
    """Beyond it ezkl would prove without end."""
    onnx = read_back(tmp_path, Case("Sigmoid").content()).path
    built = build_circuit(
        onnx, cache=tmp_path, data=Data(saved_samples(tmp_path, [[-1.0, 0, 0.5, 1]]))
    )
    low, high = -2 * 2**7 - 2, 2 * 2**7 + 2
    for edge in (low, high):
        assert ezkl_engine.verify(built, ezkl_engine.prove(built, [edge, 0, 0, 0]))
    for beyond in (low - 1, high + 1):
        with pytest.raises(OutsideRange, match=f"{beyond} is looked up in a table"):
            ezkl_engine.prove(built, [0, beyond, 0, 0])


def test_numbers_that_no_table_holds_are_an_error(tmp_path: Path) -> None:
    nodes = [node("Mul", ["x", "w"], "m"), node("Exp", ["m"], "y")]
    w = np.full((1, 4), 2.0**12, np.float32)
    steep = network(nodes, {"w": w}, outputs=4, kind=TensorProto.FLOAT)
    given = read_back(tmp_path, steep)
    assert calibrate(given, samples(given, [-(2.0**-12)] * 4), fraction_bits=13)
    with pytest.raises(OutsideRange, match="are looked up in a table"):
        calibrate(given, samples(given, [-64.0, 0, 0, 0]), fraction_bits=13)
