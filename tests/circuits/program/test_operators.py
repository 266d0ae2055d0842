"""Operators beside layers: which become layers, which steps of their own, which are refused."""

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, numpy_helper

from tests.support.integer_networks import NETWORKS, infer, samples
from tests.support.operator_networks import (
    OPERATORS,
    convolutions,
    largest,
    looked_up,
    sums,
    table,
)
from tests.support.small_networks import network, node
from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.evaluation import evaluate
from zkagent.circuits.program.program import ArgMax, Elementwise, Layer, LookUp, Sign
from zkagent.circuits.program.reader import read_program
from zkagent.models.networks.integer_graph import BITS_OPSET, IntegerGraph
from zkagent.verifier_contracts.errors import EvmModelError
from zkagent.verifier_contracts.evm.statements import Body


@pytest.mark.parametrize("name", [*NETWORKS, *OPERATORS])
def test_a_program_is_evaluated_as_its_graph_is(name: str) -> None:
    content = (NETWORKS | OPERATORS)[name]()
    program = read_program(content, 8)
    x = samples(program.inputs, bits=8)
    assert evaluate(program, x).tolist() == [infer(content, row) for row in x]


def test_sums_along_axes_are_layers() -> None:
    assert {type(step) for step in read_program(sums()).steps} == {Layer}


def test_convolutions_are_layers_with_one_number_that_is_zero() -> None:
    steps = read_program(convolutions(), 8).steps
    assert [type(step) for step in steps] == [Elementwise, Layer, Elementwise, Layer]


def test_places_and_rows_have_bounds() -> None:
    program = read_program(largest())
    (chosen,) = (step for step in program.steps if isinstance(step, ArgMax))
    (found,) = (step for step in program.steps if isinstance(step, LookUp))
    assert [program.bounds[i] for i in chosen.outputs] == [4, 4, 4]
    assert [program.bounds[i] for i in found.outputs[0]] == np.abs(table(7)).max(axis=0).tolist()


@pytest.mark.parametrize("content", [largest(), looked_up(table(5))])
def test_contracts_refuse_what_they_do_not_evaluate_by_its_node(content: bytes) -> None:
    with pytest.raises(EvmModelError, match=r"node '.*' \(Gather\): look-ups are not evaluated"):
        Body(read_program(content))


def of(*nodes: NodeProto, outputs: int = 4) -> bytes:
    constants = {
        "one": [1], "two": 2, "pads": [0, 1, 0, 1], "places": [[0, 1, 2, 3]], "nought": 0,
        "unit": 1, "masks": [[1, 2, 4, 1 << 16]], "negative": [[1, 2, 4, -1]],
    }  # fmt: skip
    return network(list(nodes), constants, outputs=outputs)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (of(node("ArgMax", ["x"], "y", axis=0, select_last_index=1)), "takes the last one"),
        (of(node("Pad", ["x", "pads"], "y", mode="reflect"), outputs=6), "something else than 0"),
        (of(node("Pad", ["x", "pads", "two"], "y"), outputs=6), "something else than 0"),
        (of(node("ReduceSum", ["x"], "y", noop_with_empty_axes=1)), "sums nothing"),
        (of(node("CumSum", ["places", "one"], "y")), "its first operand, and only that"),
        (of(node("Clip", ["x"], "y")), "clips to something else than 0 and 1"),
        (of(node("Clip", ["x", "nought"], "y")), "clips to something else"),
        (of(node("Clip", ["x", "", "unit"], "y")), "clips to something else"),
        (of(node("Clip", ["x", "nought", "two"], "y")), "clips to something else"),
        (of(node("Clip", ["x", "unit", "unit"], "y")), "clips to something else"),
    ],
)
def test_what_is_not_known_is_refused_by_its_node(content: bytes, reason: str) -> None:
    with pytest.raises(ProgramRefused, match=f"node 'y' .*{reason}"):
        read_program(content)


def test_places_outside_of_a_table_have_no_value() -> None:
    with pytest.raises(ValueError, match="a place outside of its table"):
        evaluate(read_program(looked_up(table(5))), [[0, -1, 4]])


def bitwise(mask: str, source: str = "x", *first: NodeProto) -> bytes:
    """Of opset 18, from where on there is such an operator."""
    model = onnx.load_from_string(of(*first, node("Neg", ["x"], "y")))
    model.graph.node[-1].CopyFrom(node("BitwiseAnd", [source, mask], "y"))
    model.opset_import[0].version = BITS_OPSET
    return bytes(model.SerializeToString())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (bitwise("masks"), "a mask is none of 16 bits"),
        (bitwise("negative"), "a mask is none of 16 bits"),
        (bitwise("x"), "masks something else than features by a constant"),
        (bitwise("places", "n", node("Neg", ["x"], "n")), "masks something else than features"),
        (bitwise("places", "places"), "masks something else than features"),
    ],
)
def test_masks_are_of_features_alone_and_no_wider(content: bytes, reason: str) -> None:
    with pytest.raises(ProgramRefused, match=f"node 'y' .*{reason}"):
        read_program(content)


def test_a_mask_is_no_wider_than_features_of_fewer_bits() -> None:
    """places: 3 has two bits."""
    assert read_program(bitwise("places"), 2).bounds[-4:] == (0, 1, 2, 3)
    wide = bitwise("places", "x")
    model = onnx.load_from_string(wide)
    model.graph.initializer[3].CopyFrom(numpy_helper.from_array(np.array([[0, 1, 2, 4]]), "places"))
    with pytest.raises(ProgramRefused, match="a mask is none of 2 bits"):
        read_program(model.SerializeToString(), 2)


def truth(source: str, to: int, *first: NodeProto) -> bytes:
    return of(*first, node("Cast", [source], "t", to=to), node("Where", ["t", "x", "places"], "y"))


CLIPPED = node("Clip", ["x", "nought", "unit"], "c")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (truth("x", TensorProto.BOOL), "casts what is not 0 or 1"),
        (truth("d", TensorProto.BOOL, CLIPPED, node("Add", ["c", "c"], "d")), "casts what is not"),
        (truth("d", TensorProto.BOOL, CLIPPED, node("Neg", ["c"], "d")), "casts what is not"),
        (truth("places", TensorProto.BOOL), "casts what is not"),
        (of(node("Cast", ["x"], "y", to=TensorProto.INT64)), "casts what is not"),
        (
            of(CLIPPED, node("Cast", ["c"], "i", to=TensorProto.INT32),
               node("Cast", ["i"], "y", to=TensorProto.INT64)),
            "casts to something else than BOOL and INT64",
        ),
    ],
)  # fmt: skip
def test_truth_values_are_made_of_bits_alone(content: bytes, reason: str) -> None:
    with pytest.raises(ProgramRefused, match=reason):
        read_program(content)


def test_what_is_chosen_is_between_the_ends_of_both() -> None:
    program = read_program(truth("c", TensorProto.BOOL, CLIPPED), 8)
    assert [program.bounds[i] for i in program.outputs] == [128] * 4
    (sign,) = (step for step in program.steps if isinstance(step, Sign))
    assert sign.ends.tolist() == [[-128, 128]] * 4


def test_sums_of_bits_reach_as_far_as_their_weights_of_one_sign() -> None:
    """And not as far as all magnitudes together, which would take more bits to compare."""
    graph = IntegerGraph("sums", 2, BITS_OPSET)
    single = graph.bits(graph.pick("x", [0, 0, 1]), [[1, 2, 4]])
    total = graph.add(graph.matmul(single, [[5], [-3], [4]]), [-2])
    program = read_program(graph.finish(graph.positive(total), 1))
    assert [step.ends.tolist() for step in program.steps if isinstance(step, Sign)][-1] == [[-5, 7]]
