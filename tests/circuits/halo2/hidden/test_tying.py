"""Networks whose hidden numbers are tied compute what they computed, or are refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.support.small_networks import network, node, read_back, relu_network, square_network
from zkagent.circuits.errors import NetworkRefused, SettingsRefused
from zkagent.circuits.halo2.hidden import check_tied, tied
from zkagent.circuits.halo2.keyless import KeylessCircuit, check_read
from zkagent.circuits.halo2.settings import RunArguments, default_arguments
from zkagent.circuits.visibility import OPEN, Visibility

HASHED = Visibility(weights="hashed")
RANDOM = np.random.default_rng(3)


def drawn(*shape: int) -> Any:
    return RANDOM.normal(size=shape).astype(np.float32)


def made(
    nodes: list[onnx.NodeProto],
    constants: dict[str, Any],
    shape: list[int],
    kind: int = TensorProto.FLOAT,
    *,
    opset: int = 17,
) -> bytes:
    """From x of this shape to y, float32."""
    graph = helper.make_graph(
        nodes,
        "made",
        [helper.make_tensor_value_info("x", kind, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(each), name) for name, each in constants.items()],
    )
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    return bytes(onnx.shape_inference.infer_shapes(model).SerializeToString())


def convolution(channels: int, groups: int, opset: int = 17, **given: Any) -> bytes:
    """Of 4 channels of 6 x 7, with a bias."""
    constants = {"w": drawn(channels, 4 // groups, 3, 2), "b": drawn(channels)}
    nodes = [node("Conv", ["x", "w", "b"], "c", group=groups, **given), node("Relu", ["c"], "y")]
    return made(nodes, constants, [1, 4, 6, 7], opset=opset)


def normalisation() -> bytes:
    constants = {"w": drawn(6), "b": drawn(6)}
    return made([node("LayerNormalization", ["x", "w", "b"], "y")], constants, [1, 3, 6])


def scaled() -> bytes:
    """A weight of one number, and a table whose rows the inputs choose."""
    nodes = [
        node("Gather", ["table", "x"], "e"),
        node("ReduceSum", ["e", "axes"], "s", keepdims=0),
        node("Mul", ["s", "half"], "y"),
    ]
    constants = {"table": drawn(5, 3), "half": np.float32(0.5), "axes": [1]}
    return made(nodes, constants, [1, 4], TensorProto.INT64)


NETWORKS = {
    "relu": relu_network(),
    "strided": convolution(2, 1, strides=[2, 1], pads=[0, 1, 2, 0]),
    "old": convolution(2, 1, opset=9, pads=[0, 1, 2, 0]),
    "grouped": convolution(6, 2, strides=[1, 2], dilations=[2, 1]),
    "depthwise": convolution(4, 4, pads=[1, 1, 1, 1]),
    "normalised": normalisation(),
    "scaled": scaled(),
    "mean": made(
        [node("MatMul", ["x", "w"], "m"), node("ReduceMean", ["m"], "y", axes=[1], keepdims=0)],
        {"w": drawn(4, 3)},
        [1, 5, 4],
    ),
}


# Numbers besides the weights: a zero, what keeps a divisor from it, and what means divide by.
MORE = {"normalised": 4, "mean": 2}


def outputs(content: bytes) -> Any:
    session = onnxruntime.InferenceSession(content)
    (given,) = session.get_inputs()
    draw = np.random.default_rng(4)
    integer = given.type == "tensor(int64)"
    x = draw.integers(0, 5, given.shape) if integer else draw.normal(size=given.shape)
    return session.run(None, {given.name: x if integer else x.astype(np.float32)})[0]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("visibility", [HASHED, Visibility(inputs="private")])
def test_a_tied_network_computes_the_same(
    tmp_path: Path, name: str, visibility: Visibility
) -> None:
    plain = replace(read_back(tmp_path, relu_network()), content=NETWORKS[name])
    content = tied(plain, visibility).content
    assert content != NETWORKS[name]
    np.testing.assert_allclose(outputs(content), outputs(NETWORKS[name]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_all_weights_of_a_tied_network_are_hashed_and_used_twice(tmp_path: Path, name: str) -> None:
    plain = replace(read_back(tmp_path, relu_network()), content=NETWORKS[name])
    settings = KeylessCircuit(tied(plain, HASHED), tmp_path).settings(default_arguments(False))
    model = onnx.load_from_string(NETWORKS[name])
    floats = [a for a in map(numpy_helper.to_array, model.graph.initializer) if a.dtype.kind == "f"]
    count = sum(array.size for array in floats) + MORE.get(name, 1)
    assert settings["module_sizes"]["poseidon"] == [41 * count + 2, [1]]


def test_a_network_that_shows_everything_stays_as_it_is(tmp_path: Path) -> None:
    plain = read_back(tmp_path, square_network())
    for visibility in (OPEN, Visibility(outputs="hashed"), Visibility(weights="private")):
        assert tied(plain, visibility).content is plain.content


def test_integers_stay_integers(tmp_path: Path) -> None:
    plain = read_back(tmp_path, square_network())
    for visibility in (HASHED, Visibility(inputs="hashed")):
        session = onnxruntime.InferenceSession(tied(plain, visibility).content)
        (y,) = session.run(None, {"x": np.array([[3, -1, 4, 1]])})
        assert y.dtype == np.int64
        assert y.tolist() == [[-33323, 26619]]


def test_weights_that_are_not_tied_are_refused(tmp_path: Path) -> None:
    untied = replace(read_back(tmp_path, square_network()), visibility=HASHED)
    with pytest.raises(NetworkRefused, match="21 of its constants would stay outside of the hash"):
        KeylessCircuit(untied, tmp_path).settings(RunArguments())


def test_a_constant_that_ezkl_puts_in_by_itself_is_refused(tmp_path: Path) -> None:
    """A transposed convolution has a bias of zeros, which a prover could choose."""
    constants = {"w": drawn(4, 2, 3, 3)}
    nodes = [node("ConvTranspose", ["x", "w"], "y", kernel_shape=[3, 3], strides=[1, 1])]
    content = made(nodes, constants, [1, 4, 5, 5])
    plain = replace(read_back(tmp_path, relu_network()), content=content)
    with pytest.raises(NetworkRefused, match="leave --weights fixed"):
        KeylessCircuit(tied(plain, HASHED), tmp_path).settings(default_arguments(False))


@pytest.mark.parametrize(("rows", "uses"), [(904 + 41, [2]), (904, [2, 1]), (904, [1])])
def test_numbers_outside_of_the_hash_are_refused(
    tmp_path: Path, rows: int, uses: list[int]
) -> None:
    hidden = tied(read_back(tmp_path, square_network()), HASHED)
    check_tied(hidden, 904, [2])  # 21 weights and a zero
    with pytest.raises(NetworkRefused):
        check_tied(hidden, rows, uses)


def test_weights_that_must_be_constants_are_refused_with_a_remedy(tmp_path: Path) -> None:
    """The slope of a leaky ReLU by channel is one to ezkl's reader."""
    content = made([node("PRelu", ["x", "w"], "y")], {"w": drawn(4, 1)}, [1, 4, 3])
    plain = replace(read_back(tmp_path, relu_network()), content=content)
    check_read(plain)
    with pytest.raises(NetworkRefused, match="leave --weights fixed"):
        check_read(tied(plain, HASHED))


def test_a_network_without_weights_has_none_to_hide(tmp_path: Path) -> None:
    plain = read_back(tmp_path, network([node("Neg", ["x"], "y")], {}, outputs=4))
    with pytest.raises(NetworkRefused, match="no weights to hide"):
        tied(plain, HASHED)


def test_hidden_truth_values_are_refused(tmp_path: Path) -> None:
    plain = read_back(tmp_path, relu_network())
    (given,) = plain.inputs
    bits = replace(plain, inputs=(replace(given, type="bool"),))
    with pytest.raises(NetworkRefused, match="'x' is of truth values"):
        tied(bits, Visibility(inputs="hashed"))
    assert tied(bits, Visibility(outputs="hashed"))


def test_arguments_that_show_something_else_are_refused(tmp_path: Path) -> None:
    hidden = tied(read_back(tmp_path, square_network()), Visibility(inputs="private"))
    with pytest.raises(SettingsRefused, match="must be inputs private, outputs public"):
        KeylessCircuit(hidden, tmp_path).settings(RunArguments(input_visibility="hashed"))
