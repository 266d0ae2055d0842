"""Which ONNX files become circuits, and what the refusals say."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support.small_networks import network, node, relu_network, square_network
from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.faces import Face
from zkagent.circuits.networks.network import read_network


def written(folder: Path, content: bytes) -> Path:
    path = folder / "model.onnx"
    path.write_bytes(content)
    return path


def test_an_int64_network_is_exact_and_a_float_one_is_not(tmp_path: Path) -> None:
    exact = read_network(written(tmp_path, square_network()))
    assert (exact.integer, exact.input_count, exact.output_count) == (True, 4, 2)
    assert read_network(written(tmp_path, relu_network())).integer is False


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NetworkRefused, match=r"nowhere\.onnx .* \(No such file"):
        read_network(tmp_path / "nowhere.onnx")


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"{}", square_network()[:-40]])
def test_a_file_that_is_not_onnx_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(NetworkRefused, match="not a valid ONNX model"):
        read_network(written(tmp_path, content))


def test_an_integer_that_float32_cannot_hold_is_refused(tmp_path: Path) -> None:
    nodes = [node("Add", ["x", "b"], "y")]
    large = network(nodes, {"b": [[0, 0, 0, 2**24 + 1]]}, outputs=4)
    with pytest.raises(NetworkRefused, match="holds 16777217, which ezkl would round"):
        read_network(written(tmp_path, large))
    even = network(nodes, {"b": [[0, 0, 0, 2**24 + 2]]}, outputs=4)
    assert read_network(written(tmp_path, even)).integer


@pytest.mark.parametrize("value", [2**53 + 1, 2**62 + 1, -(2**62) - 1])
def test_integers_beyond_float64_are_compared_exactly(tmp_path: Path, value: int) -> None:
    large = network([node("Add", ["x", "b"], "y")], {"b": [[value] * 4]}, outputs=4)
    with pytest.raises(NetworkRefused, match="would round"):
        read_network(written(tmp_path, large))


@pytest.mark.parametrize(("operator", "exact"), [("Mul", True), ("Div", False), ("Pow", False)])
def test_an_operator_with_a_choice_of_rounding_makes_no_exact_network(
    tmp_path: Path, operator: str, exact: bool
) -> None:
    constant = [[2] * 4] if operator != "Pow" else 2
    made = network([node(operator, ["x", "d"], "y")], {"d": constant}, outputs=4)
    assert read_network(written(tmp_path, made)).integer is exact


def test_a_constant_node_is_checked_like_an_initializer(tmp_path: Path) -> None:
    nodes = [node("Constant", [], "b", value_ints=[2**24 + 1] * 4), node("Add", ["x", "b"], "y")]
    with pytest.raises(NetworkRefused, match="would round"):
        read_network(written(tmp_path, network(nodes, {}, outputs=4)))


def test_a_float_constant_in_an_integer_network_is_refused(tmp_path: Path) -> None:
    nodes = [node("Identity", ["x"], "y")]
    mixed = network(nodes, {"f": np.array([0.5], dtype=np.float32)}, outputs=4)
    with pytest.raises(NetworkRefused, match="constant 'f' is float32, expected int64"):
        read_network(written(tmp_path, mixed))


def test_several_inputs_and_outputs_keep_names_types_and_shapes(tmp_path: Path) -> None:
    faces = [("a", TensorProto.FLOAT, [1, 4]), ("b", TensorProto.INT64, [2])]
    given = [helper.make_tensor_value_info(*face) for face in faces]
    made = [helper.make_tensor_value_info(f"{name}2", *rest) for name, *rest in faces]
    nodes = [node("Relu", ["a"], "a2"), node("Mul", ["b", "b"], "b2")]
    graph = helper.make_graph(nodes, "g", given, made)
    found = read_network(written(tmp_path, helper.make_model(graph).SerializeToString()))
    assert found.inputs == (Face("a", "float32", (1, 4)), Face("b", "int64", (2,)))
    assert [each.name for each in found.outputs] == ["a2", "b2"]
    assert (found.integer, found.input_count, found.output_count) == (False, 6, 6)


def test_a_network_without_inputs_is_refused(tmp_path: Path) -> None:
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    graph = helper.make_graph([node("Constant", [], "y", value_floats=[1.0])], "g", [], [y])
    with pytest.raises(NetworkRefused, match="it has no inputs"):
        read_network(written(tmp_path, helper.make_model(graph).SerializeToString()))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (TensorProto.STRING, "it holds text, of which no circuit is made"),
        (TensorProto.COMPLEX64, "complex"),
    ],
)
def test_an_input_that_is_no_number_is_refused(tmp_path: Path, kind: int, reason: str) -> None:
    x, y = (helper.make_tensor_value_info(name, kind, [1]) for name in "xy")
    graph = helper.make_graph([node("Identity", ["x"], "y")], "g", [x], [y])
    with pytest.raises(NetworkRefused, match=reason):
        read_network(written(tmp_path, helper.make_model(graph).SerializeToString()))


def test_a_small_file_of_large_tensors_is_refused_before_anything_computes_it(
    tmp_path: Path,
) -> None:
    names = ["x", *(f"c{number}" for number in range(34)), "y"]
    nodes = [
        node("Concat", [before, before], after, axis=1)
        for before, after in itertools.pairwise(names)
    ]
    content = network(nodes, {}, outputs=4 << 35)
    assert len(content) < 2000
    with pytest.raises(NetworkRefused, match=r"Concat \(node 'c22'\) has 33,554,432 numbers"):
        read_network(written(tmp_path, content))
