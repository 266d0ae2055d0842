"""Operators that we let pass are computed as onnxruntime does; others are refused by name."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.support.operator_cases import (
    ELSEWHERE,
    MISREAD,
    REFUSED,
    SUPPORTED,
    Case,
    model,
)
from tests.support.small_networks import relu_network
from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.fidelity import Fidelity, measure_fidelity
from zkagent.circuits.halo2.settings import canonical, default_arguments, to_bytes
from zkagent.circuits.networks.judging import Criterion
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.operators import OPERATORS
from zkagent.circuits.networks.samples import Samples

FINE = replace(
    default_arguments(False), input_scale_bits=10, parameter_scale_bits=10, decomposition_legs=6
)
TOLERANCE = 0.05


def compared(case: Case, folder: Path, *, as_it_is: bool = False) -> Fidelity:
    """Three samples of the case, in the circuit and by onnxruntime; -2, 0, 2 and 4 among them.

    as_it_is: the circuit of the file before it was prepared."""
    onnx, settings, compiled = (folder / name for name in ("onnx", "settings", "compiled"))
    onnx.write_bytes(case.content())
    read = read_network(onnx)
    if not as_it_is:
        onnx.write_bytes(read.content)
    made = canonical(ezkl_engine.make_settings(onnx, FINE, 17))
    settings.write_bytes(to_bytes(made))
    ezkl_engine.compile_network(onnx, settings, compiled)
    values = np.random.default_rng(1).uniform(case.low, case.high, (3, *read.inputs[0].shape))
    if case.low == -2 and case.high == 2 and case.shape == (1, 4):
        values[0] = [[-2, 0, 2, 1]]
    samples = Samples(Path("none"), "", (values.astype(np.float32),))
    return measure_fidelity(compiled, made, read, samples, criterion=Criterion(TOLERANCE))


@pytest.mark.parametrize("case", SUPPORTED, ids=str)
def test_an_operator_that_passes_means_in_the_circuit_what_it_means(
    case: Case, tmp_path: Path
) -> None:
    assert compared(case, tmp_path).agreement == 1.0


def test_no_operator_passes_untested() -> None:
    assert {case.operator for case in SUPPORTED} == OPERATORS - ELSEWHERE


def test_where_and_constants_made_by_nodes_are_computed_too(tmp_path: Path) -> None:
    nothing = numpy_helper.from_array(np.zeros(1, np.float32))
    nodes = [
        helper.make_node("Constant", [], ["zero"], value_float=0.0),
        helper.make_node("ConstantOfShape", ["size"], ["zeros"], value=nothing),
        helper.make_node("Range", ["zero", "four", "one"], ["numbers"]),
        helper.make_node("Greater", ["x", "zero"], ["positive"]),
        helper.make_node("Add", ["x", "numbers"], ["moved"]),
        helper.make_node("Where", ["positive", "moved", "zeros"], ["r"]),
    ]
    constants = [("size", np.array([1, 4])), ("four", np.float32(4)), ("one", np.float32(1))]

    class Chain(Case):
        def content(self) -> bytes:
            return model(nodes, constants, self.shape, self.opset)

    assert compared(Chain("Where"), tmp_path).agreement == 1.0


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=str)
def test_an_operator_that_cannot_be_computed_is_named_with_its_node(
    case: Case, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "refused.onnx"
    path.write_bytes(case.content())
    with pytest.raises(NetworkRefused, match=reason):
        read_network(path)


@pytest.mark.parametrize("case", MISREAD, ids=str)
def test_what_is_rewritten_as_misread_is_misread_and_then_is_not(
    case: Case, tmp_path: Path
) -> None:
    assert compared(case, tmp_path, as_it_is=True).agreement < 1.0
    assert compared(case, tmp_path).agreement == 1.0


def test_a_padded_pool_passes_where_nothing_is_below_zero(tmp_path: Path) -> None:
    pool = {"kernel_shape": [2, 2], "strides": [1, 1], "pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Relu", ["x"], ["positive"]),
        helper.make_node("MaxPool", ["positive"], ["r"], **pool),
    ]

    class Chain(Case):
        def content(self) -> bytes:
            return model(nodes, [], self.shape, self.opset)

    assert compared(Chain("MaxPool", shape=(1, 2, 4, 4)), tmp_path).agreement == 1.0


def test_what_is_computed_from_shapes_alone_may_use_any_operator(tmp_path: Path) -> None:
    """As exports of attention do; the reader computes it before there is a circuit."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Mod", ["shape", "three"], ["rest"]),
        helper.make_node("Cast", ["rest"], ["number"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["x", "number"], ["r"]),
    ]

    class Chain(Case):
        def content(self) -> bytes:
            return model(nodes, [("three", np.array([3]))], self.shape, self.opset)

    assert compared(Chain("Mod", shape=(1, 2)), tmp_path).agreement == 1.0
    with pytest.raises(NetworkRefused, match="Mod"):
        compared(Case("Mod", (np.float32(3),), {"fmod": 1}), tmp_path)


def test_several_faults_are_counted(tmp_path: Path) -> None:
    unknown = "LpNormalization"
    nodes = [helper.make_node(unknown, ["x"], ["m0"], name="first")]
    nodes += [helper.make_node(unknown, [f"m{at}"], [f"m{at + 1}"]) for at in range(4)]
    nodes.append(helper.make_node(unknown, ["m4"], ["r"], name="last"))
    path = tmp_path / "many.onnx"
    path.write_bytes(model(nodes, [], (1, 4), 18))
    with pytest.raises(NetworkRefused, match=r"LpNormalization \(node 'first'\).*; and 3 more$"):
        read_network(path)


def test_trees_in_a_form_that_no_rule_knows_are_named(tmp_path: Path) -> None:
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], name="t", domain="ai.onnx.ml")
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node],
        "g",
        [value("x", TensorProto.FLOAT, [1, 4])],
        [value("y", TensorProto.FLOAT, [1, 1])],
    )
    path = tmp_path / "trees.onnx"
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    path.write_bytes(helper.make_model(graph, opset_imports=domains).SerializeToString())
    with pytest.raises(
        NetworkRefused, match=r"TreeEnsembleRegressor \(node 't'\) is .* no circuit"
    ):
        read_network(path)


def test_ordinary_networks_pass(tmp_path: Path) -> None:
    path = tmp_path / "relu.onnx"
    path.write_bytes(relu_network())
    assert not read_network(path).integer
