"""What people export becomes a network for a circuit, and every step is said."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.support.rewrite_cases import written
from tests.support.small_networks import relu_network, square_network
from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.networks.prepare import prepare, together

PATH = Path("model.onnx")
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def operators(content: bytes) -> list[str]:
    return [node.op_type for node in onnx.load_from_string(content).graph.node]


def shapes(content: bytes) -> dict[str, list[int]]:
    made = onnx.load_from_string(content).graph
    return {
        each.name: [axis.dim_value for axis in each.type.tensor_type.shape.dim]
        for each in (*made.input, *made.output)
    }


OPEN = "g (float[batch, n, 4] x, float[batch, 4] z) => (float[batch, n, 4] y) { y = Mul(x, x) }"


def test_open_axes_become_1_and_that_is_said() -> None:
    made = prepare(PATH, written(OPEN))
    assert shapes(made.content) == {"x": [1, 1, 4], "z": [1, 4], "y": [1, 1, 4]}
    assert made.changes == (
        "axis 0 of input 'x' (batch) became 1",
        "axis 1 of input 'x' (n) became 1",
        "axis 0 of input 'z' (batch) became 1",
    )


def test_axes_become_what_is_said_by_name_or_by_place() -> None:
    made = prepare(PATH, written(OPEN), {"batch": 3, "x.1": 2})
    assert shapes(made.content) == {"x": [3, 2, 4], "z": [3, 4], "y": [3, 2, 4]}
    unnamed = prepare(PATH, written("g (float[?, 4] x) => (float y) { y = Relu(x) }"), {"x.0": 5})
    assert shapes(unnamed.content) == {"x": [5, 4], "y": [5, 4]}


@pytest.mark.parametrize(
    ("dims", "reason"),
    [
        ({"length": 3}, "it has no open axis 'length': open are batch, n"),
        ({"x.2": 3}, "no open axis 'x.2'"),
        ({"batch": 0}, "the axis 'batch' cannot be 0: from 1 to"),
        ({"batch": 2**31}, "the axis 'batch' cannot be 2147483648"),
    ],
)
def test_an_axis_that_is_not_open_is_refused(dims: dict[str, int], reason: str) -> None:
    with pytest.raises(NetworkRefused, match=reason):
        prepare(PATH, written(OPEN), dims)


def test_shapes_of_the_file_that_are_out_of_date_are_made_again() -> None:
    model = onnx.load_from_string(written(OPEN))
    model.graph.value_info.append(helper.make_tensor_value_info("y", FLOAT, ["batch", 9]))
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", FLOAT, ["batch", "m", 4]))
    made = prepare(PATH, model.SerializeToString())
    assert shapes(made.content)["y"] == [1, 1, 4]


def test_what_needs_nothing_stays_byte_for_byte() -> None:
    for content in (relu_network(), square_network()):
        made = prepare(PATH, content)
        assert (made.content, made.reference, made.changes) == (content, content, ())


def test_an_exact_network_is_bound_and_else_left_alone() -> None:
    made = prepare(PATH, written("g (int64[b, 4] x) => (int64[b, 4] y) { y = Mul(x, x) }"))
    assert operators(made.content) == ["Mul"]
    assert made.changes == ("axis 0 of input 'x' (b) became 1",)


@pytest.mark.parametrize(
    ("kind", "becomes"),
    [
        ("double", "float"),
        ("float16", "float"),
        ("int8", "int64"),
        ("int32", "int64"),
        ("uint8", "int64"),
        ("uint64", "int64"),
    ],
)
def test_types_become_two_in_the_circuit_and_stay_in_the_reference(kind: str, becomes: str) -> None:
    made = prepare(
        PATH, written(f"g ({kind}[1,4] x) => ({kind} y) <{kind} c = {{2}}> {{ y = Sub(x, c) }}")
    )
    ours, theirs = (onnxruntime.InferenceSession(each) for each in (made.content, made.reference))
    assert ours.get_inputs()[0].type == f"tensor({becomes})"
    assert theirs.get_inputs()[0].type == f"tensor({kind})"
    assert any(" became " in line for line in made.changes)


def test_truth_values_stay() -> None:
    content = written("g (bool[1,4] x, bool[1,4] z) => (bool[1,4] y) { y = Xor(x, z) }")
    assert prepare(PATH, content).content == content


def test_a_constant_beyond_64_bits_is_refused() -> None:
    model = onnx.load_from_string(written("g (uint64[1,2] x) => (uint64 y) { y = Sub(x, c) }"))
    large = np.array([2**63, 1], dtype=np.uint64)
    model.graph.initializer.append(numpy_helper.from_array(large, "c"))
    with pytest.raises(NetworkRefused, match="'c' holds 9223372036854775808, more than 63 bits"):
        prepare(PATH, model.SerializeToString())


def test_shapes_that_nodes_compute_are_folded_once_axes_are_bound() -> None:
    made = prepare(
        PATH,
        written(
            "g (float[b, 2, 3] x) => (float y)"
            "<int64 z = {0}, int64[1] m = {-1}, int64[1] a = {0}> {"
            "s = Shape(x) n = Gather(s, z) u = Unsqueeze(n, a) t = Concat<axis=0>(u, m)"
            "y = Reshape(x, t) }"
        ),
        {"b": 5},
    )
    assert operators(made.content) == ["Reshape"]
    assert shapes(made.content)["y"] == [5, 6]
    assert made.changes[-1] == "5 nodes became 1, as some depend on no input"


def test_places_of_what_is_constant_are_found() -> None:
    text = (
        "g (float[1,4] x) => (float y) <int64[1] n = {3}> {"
        "o = ConstantOfShape(n) w = Not(t) p = NonZero(w) f = Squeeze(p, a)"
        "y = Gather<axis=1>(x, f) }"
    ).replace("o = ConstantOfShape(n) w = Not(t)", "t = Greater(n, n) w = Not(t)")
    made = prepare(PATH, written(text.replace("<int64[1] n", "<int64[1] a = {0}, int64[1] n")))
    assert operators(made.content)[-1] == "Gather"
    assert shapes(made.content)["y"] == [1, 1]


def test_places_of_what_varies_are_refused() -> None:
    with pytest.raises(NetworkRefused, match=r"how large NonZero .* does not follow"):
        prepare(PATH, written("g (float[1,4] x) => (float y) { y = NonZero(x) }"))


def test_files_older_than_what_they_hold_are_repaired_and_compared_so() -> None:
    """As exporters write masks: Equal of fractions before opset 11, which onnxruntime refuses."""
    text = (
        "g (float[1,4] x) => (float y) <float h = {0.5}, float m = {-9}>"
        "{ e = Equal(x, h) y = Where(e, m, x) }"
    )
    made = prepare(PATH, written(text, opset=10))
    (found,) = onnxruntime.InferenceSession(made.reference).run(
        None, {"x": np.array([[0.5, 1, 2, 0.25]], np.float32)}
    )
    assert found.tolist() == [[-9, 1, 2, 0.25]]
    assert "Equal 'e' became Greater, Less, Or, Not" in made.changes
    assert any(line.startswith("compared with its repaired form") for line in made.changes)


def test_the_same_file_gives_the_same_bytes() -> None:
    content = written(
        "g (float[b,5] x) => (float y) <int64[2] r={1,2}> { t = Tile(x, r) y = ReduceMean(t) }"
    )
    assert prepare(PATH, content) == prepare(PATH, content)


def test_an_output_that_is_an_input_or_a_constant_gets_a_node() -> None:
    made = prepare(
        PATH,
        written(
            "g (double[1,4] x) => (double y, double z) <double[2] c = {1, 2}>"
            "{ y = Neg(x) z = Identity(c) }"
        ),
    )
    assert sorted(operators(made.content)) == ["Identity", "Neg"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF", "not a valid ONNX model"),
        (written("g () => (float[2] y) <float[2] c = {1, 2}> { y = Relu(c) }"), "it has no inputs"),
        (written("g (float[1,2] x) => (float y) { y = MatMul(x, x) }"), "do not fit together"),
    ],
)
def test_what_cannot_be_prepared_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(NetworkRefused, match=reason):
        prepare(PATH, content)


def test_changes_that_differ_in_the_node_alone_are_one_line() -> None:
    lines = [f"Cast 'n{at}' became Sign, Mul" for at in range(3)] + ["Tile 't' became Gather"]
    assert list(together(lines)) == [
        "Cast 'n0' and 2 more became Sign, Mul",
        "Tile 't' became Gather",
    ]
