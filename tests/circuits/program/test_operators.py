"""Operators beside layers: which become layers, which steps of their own, which are refused."""

import numpy as np
import pytest
from onnx import NodeProto

from tests.support.integer_networks import NETWORKS, infer, samples
from tests.support.operator_networks import OPERATORS, convolutions, largest, looked_up, sums, table
from tests.support.small_networks import network, node
from zkagent.circuits.errors import ProgramRefused
from zkagent.circuits.program.evaluation import evaluate
from zkagent.circuits.program.program import ArgMax, Elementwise, Layer, LookUp
from zkagent.circuits.program.reader import read_program
from zkagent.verifier_contracts.errors import EvmModelError
from zkagent.verifier_contracts.evm.statements import Body


@pytest.mark.parametrize("name", [*NETWORKS, *OPERATORS])
def test_a_program_is_evaluated_as_its_graph_is(name: str) -> None:
    onnx = (NETWORKS | OPERATORS)[name]()
    program = read_program(onnx, 8)
    x = samples(program.inputs, bits=8)
    assert evaluate(program, x).tolist() == [infer(onnx, row) for row in x]


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


@pytest.mark.parametrize("onnx", [largest(), looked_up(table(5))])
def test_contracts_refuse_what_they_do_not_evaluate_by_its_node(onnx: bytes) -> None:
    with pytest.raises(EvmModelError, match=r"node '.' \((ArgMax|Gather)\): look-ups and arg-max"):
        Body(read_program(onnx))


def of(*nodes: NodeProto, outputs: int = 4) -> bytes:
    constants = {"one": [1], "two": 2, "pads": [0, 1, 0, 1], "places": [[0, 1, 2, 3]]}
    return network(list(nodes), constants, outputs=outputs)


@pytest.mark.parametrize(
    ("onnx", "reason"),
    [
        (of(node("ArgMax", ["x"], "y", axis=0, select_last_index=1)), "takes the last one"),
        (of(node("Pad", ["x", "pads"], "y", mode="reflect"), outputs=6), "something else than 0"),
        (of(node("Pad", ["x", "pads", "two"], "y"), outputs=6), "something else than 0"),
        (of(node("ReduceSum", ["x"], "y", noop_with_empty_axes=1)), "sums nothing"),
        (of(node("CumSum", ["places", "one"], "y")), "its first operand, and only that"),
    ],
)
def test_what_is_not_known_is_refused_by_its_node(onnx: bytes, reason: str) -> None:
    with pytest.raises(ProgramRefused, match=f"node 'y' .*{reason}"):
        read_program(onnx)


def test_places_outside_of_a_table_have_no_value() -> None:
    with pytest.raises(ValueError, match="a place outside of its table"):
        evaluate(read_program(looked_up(table(5))), [[0, -1, 4]])
