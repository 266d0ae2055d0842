"""From ONNX to steps: what is refused, what is folded, what is bounded."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from onnx import NodeProto, helper, load_model_from_string, numpy_helper

from tests.support.integer_networks import classifier, elementwise, policy, relu
from tests.support.operator_networks import Table
from tests.support.small_networks import network, node, relu_network
from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.program import Activation, Layer
from zkagent.circuits.program.reader import read_program
from zkagent.models.networks.integer_graph import IntegerGraph


def with_node(operator: str, build: Callable[[IntegerGraph], list[str]]) -> bytes:
    graph = IntegerGraph("refused", 4)
    return graph.finish(graph.node(operator, build(graph)), 4)


def scaled(**attributes: float) -> bytes:
    """y = x W + b with these attributes."""
    constants = {"w": np.ones((4, 2), dtype=np.int64), "b": [[1, 2]]}
    return network([node("Gemm", ["x", "w", "b"], "y", **attributes)], constants)


def shaped_by_its_input() -> bytes:
    nodes = [
        node("Reshape", ["x", "four"], "flat"),
        node("Gather", ["flat", "places"], "shape"),
        node("Reshape", ["x", "shape"], "y"),
    ]
    return network(nodes, {"four": [4], "places": [0, 1]}, outputs=4)


def of_opset(version: int, nodes: list[NodeProto]) -> bytes:
    """Nodes that read x [1, 4] and weights b [4] by what they meant in an older opset."""
    model = load_model_from_string(network(nodes, {"b": [1, 2, 3, 4]}, outputs=4))
    model.opset_import[0].version = version
    return bytes(model.SerializeToString())


def squeezed() -> bytes:
    """Only the first axis goes: y = x + b is [4, 4], not [4]."""
    nodes = [
        node("Transpose", ["x"], "t"),
        node("Reshape", ["t", "shape"], "r"),
        node("Squeeze", ["r"], "s", axes=[0]),
        node("Add", ["s", "b"], "y"),
    ]
    model = load_model_from_string(of_opset(11, nodes))
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 4, 1]), "shape"))
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 4
    return bytes(model.SerializeToString())


def looked_up_by_its_input() -> bytes:
    nodes = [node("Gather", ["x", "x"], "g", axis=1), node("Squeeze", ["g", "first"], "y")]
    return network(nodes, {"first": [0]}, outputs=4)


def sparse_constant() -> bytes:
    values, places = (numpy_helper.from_array(np.array([v]), str(v)) for v in (5, 1))
    sparse = helper.make_sparse_tensor(values, places, [4])
    constant = helper.make_node("Constant", [], ["w"], sparse_value=sparse)
    return network([constant, node("Add", ["x", "w"], "y")], {}, outputs=4)


def squares_of_squares(factor: int) -> bytes:
    """(4 factor x)^4 in three outputs."""
    graph = IntegerGraph("powers", 4)
    h = graph.matmul("x", np.full((4, 3), factor))
    return graph.finish(graph.square(graph.square(h)), 3)


def test_an_unsupported_operator_is_named_with_its_node() -> None:
    onnx = with_node("Sign", lambda graph: ["x"])
    with pytest.raises(ProgramRefused, match=r"node 'sign_0' \(Sign\): not one of Add, .* Relu"):
        read_program(onnx)


@pytest.mark.parametrize(
    ("onnx", "reason"),
    [
        (relu_network(), "input 'x' is FLOAT, expected INT64"),
        (scaled(alpha=2.0), "alpha and beta must be 1"),
        (with_node("Identity", lambda graph: [graph.constant([[1] * 4])]), "moves constants"),
        (shaped_by_its_input(), "Reshape .* does not follow from the file"),
        (looked_up_by_its_input(), "where it moves numbers to depends on the input"),
        (squeezed(), "operators are those of opset 11: export it with opset 13 or later"),
        (of_opset(6, [node("Add", ["x", "b"], "y", broadcast=1, axis=1)]), "opset 6"),
        (sparse_constant(), r"\(Constant\): its constant is sparse"),
    ],
)
def test_what_would_not_be_exact_is_refused(onnx: bytes, reason: str) -> None:
    with pytest.raises(ProgramRefused, match=reason):
        read_program(onnx)


@pytest.mark.parametrize("bits", [0, 1, 17])
def test_inputs_have_the_width_of_features_at_most(bits: int) -> None:
    with pytest.raises(ProgramRefused, match=f"inputs of {bits} bits: expected 2 to 16"):
        read_program(classifier(), bits)


def test_a_product_of_two_computed_matrices_is_refused() -> None:
    graph = IntegerGraph("refused", 4)
    onnx = graph.finish(graph.node("MatMul", ["x", graph.reshape("x", [4, 1])]), 1)
    with pytest.raises(ProgramRefused, match=r"\(MatMul\): its second factor"):
        read_program(onnx)


def test_numbers_that_could_leave_int64_are_refused() -> None:
    with pytest.raises(
        ProgramRefused, match=r"\(Mul\): its result could need 70 bits with the sign"
    ):
        read_program(squares_of_squares(1))
    assert read_program(squares_of_squares(1), 13).input_bits == 13


@pytest.mark.parametrize("content", [b"", b"not a model", classifier()[:100]])
def test_bytes_that_are_no_model_are_refused(content: bytes) -> None:
    with pytest.raises(ProgramRefused, match="not a valid ONNX model"):
        read_program(content)


def test_wires_biases_and_squares_leave_no_step_of_their_own() -> None:
    for onnx in (classifier(), policy(), relu()):
        program = read_program(onnx)
        layers = [step for step in program.steps if isinstance(step, Layer)]
        used = Activation.RELU if onnx == relu() else Activation.SQUARE
        assert [layer.activation for layer in layers] == [used, Activation.NONE] * (
            len(layers) // 2
        )
        assert len(layers) == len(program.steps)


def test_multiply_adds_are_counted_for_every_row() -> None:
    assert read_program(policy()).multiply_adds == 41 * 5 + 5 * 10 + 6 * (16 * 4 + 4 * 3)
    assert read_program(elementwise()).multiply_adds == 0


def test_bounds_hold_the_worst_case() -> None:
    program = read_program(elementwise())
    x = 1 << 15
    expected = [(c + 2 * x * w + x) * x for c, w in ((1, 3), (2, 5), (3, 7))]
    assert [program.bounds[i] for i in program.outputs] == expected


def test_what_no_chain_evaluates_is_refused_before_it_is_read() -> None:
    names = ["x", *(f"d{number}" for number in range(19))]
    doubled = [node("Concat", [a, a], b, axis=1) for a, b in itertools.pairwise(names)]
    last = names[-1]
    content = network(
        [*doubled, node("Gather", [last, "first"], "y", axis=1)], {"first": [0]}, outputs=1
    )
    with pytest.raises(ProgramRefused, match=r"have [\d,]+ numbers, at most 2,097,152 are taken"):
        read_program(content)


def scored(values: Table, weights: Table, count: int = 3) -> bytes:
    """Sums over all rows of a table at the inputs, and the inputs' own sum."""
    nodes = [
        node("Gather", ["t", "x"], "g"),
        node("Reshape", ["g", "flat"], "f"),
        node("Concat", ["f", "x"], "c", axis=1),
        node("MatMul", ["c", "w"], "y"),
    ]
    constants = {"t": values, "w": weights, "flat": [1, count * values.shape[1]]}
    return network(nodes, constants, inputs=count, outputs=weights.shape[1])


@pytest.mark.parametrize("factor", [1, 1 << 34])  # beyond what machine words hold
def test_sums_over_rows_of_tables_are_bounded_by_what_the_rows_have_in_them(factor: int) -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(-9, 10, (7, 4)) * factor
    weights = rng.integers(-5, 6, (15, 6))
    program = read_program(scored(values, weights))
    rows = np.abs(np.array([values @ part for part in weights[:12].reshape(3, 4, 6)])).max(axis=1)
    expected = rows.sum(axis=0) + np.abs(weights[12:]).sum(axis=0) * (1 << 15)
    assert [program.bounds[i] for i in program.outputs] == expected.tolist()
    coarse = 3 * np.abs(values).max(axis=0).sum() * 5
    assert expected.max() < coarse + 15 * (1 << 15)


def test_rows_at_the_same_place_are_one() -> None:
    """A number that is added to itself less itself is 0."""
    nodes = [
        node("Gather", ["t", "x"], "g"),
        node("Concat", ["g", "g"], "c", axis=2),
        node("Reshape", ["c", "flat"], "f"),
        node("MatMul", ["f", "w"], "y"),
    ]
    constants = {"t": [[5], [-7], [3]], "w": [[1], [-1]], "flat": [1, 2]}
    program = read_program(network(nodes, constants, inputs=1, outputs=1))
    assert [program.bounds[i] for i in program.outputs] == [0]
