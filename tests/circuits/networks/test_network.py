"""Which ONNX files become circuits, and what the refusals say."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support.small_networks import network, node, relu_network, square_network
from zkagent.circuits.errors import NetworkRefused
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


@pytest.mark.parametrize("operator", ["Div", "Mod", "Pow"])
def test_an_operator_with_a_choice_of_rounding_is_refused(tmp_path: Path, operator: str) -> None:
    dividing = network([node(operator, ["x", "d"], "y")], {"d": [[2] * 4]}, outputs=4)
    with pytest.raises(NetworkRefused, match=f"{operator} .* is not exact integer arithmetic"):
        read_network(written(tmp_path, dividing))


def test_a_constant_node_is_checked_like_an_initializer(tmp_path: Path) -> None:
    nodes = [node("Constant", [], "b", value_ints=[2**24 + 1] * 4), node("Add", ["x", "b"], "y")]
    with pytest.raises(NetworkRefused, match="would round"):
        read_network(written(tmp_path, network(nodes, {}, outputs=4)))


def test_a_float_constant_in_an_integer_network_is_refused(tmp_path: Path) -> None:
    nodes = [node("Identity", ["x"], "y")]
    mixed = network(nodes, {"f": np.array([0.5], dtype=np.float32)}, outputs=4)
    with pytest.raises(NetworkRefused, match="constant 'f' is float32, expected int64"):
        read_network(written(tmp_path, mixed))


def test_an_open_shape_or_a_second_input_is_refused(tmp_path: Path) -> None:
    x = helper.make_tensor_value_info("x", TensorProto.INT64, ["batch", 4])
    z = helper.make_tensor_value_info("z", TensorProto.INT64, [1, 4])
    y = helper.make_tensor_value_info("y", TensorProto.INT64, [1, 4])
    for inputs, reason in (([x], "shape of 'x' is open"), ([z, x], "2 inputs, expected one")):
        graph = helper.make_graph([node("Identity", [inputs[0].name], "y")], "g", inputs, [y])
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
