"""What constraints a program takes, and which programs take none."""

from collections import Counter

import numpy as np
import pytest

from tests.support.integer_networks import classifier, mlp, relu
from tests.support.operator_networks import largest, looked_up, low_rank_table
from zkagent.circuits.errors import InputRefused, ProgramRefused
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.constraints.packing import Form
from zkagent.circuits.groth16.constraints.wires import Family
from zkagent.circuits.program.reader import read_program
from zkagent.models.catalogue import load_model
from zkagent.models.networks.integer_graph import IntegerGraph


def compiled(onnx: bytes, bits: int = 16) -> Compiled:
    return compile_program(read_program(onnx, bits))


def counted(onnx: bytes) -> Counter[Family]:
    return Counter(row.family for row in compiled(onnx).constraints)


def affine(layers: int, width: int = 6) -> bytes:
    rng = np.random.default_rng(9)
    graph, name = IntegerGraph("affine", width), "x"
    for _ in range(layers):
        name = graph.add(graph.matmul(name, rng.integers(-3, 4, (width, width))), range(width))
    return graph.finish(name, width)


def test_affine_layers_take_no_constraints_of_their_own() -> None:
    for family in (Family.PRODUCT, Family.PACKING, Family.SUM):
        assert counted(affine(5))[family] == counted(affine(1))[family]


def test_a_square_takes_one_constraint() -> None:
    assert counted(mlp(hidden=7))[Family.PRODUCT] == 7
    assert counted(mlp(hidden=9))[Family.PRODUCT] == 9


def test_a_long_sum_is_written_once() -> None:
    """Of 40 inputs: as a wire, which is squared."""
    found = compiled(mlp(inputs=40, hidden=5))
    squares = [row for row in found.constraints if row.family is Family.PRODUCT]
    assert all(len(row.a) == len(row.b) == 1 for row in squares)


def test_a_sum_that_many_read_becomes_a_wire() -> None:
    """1,000 numbers to one and back: 1,000 sums of a wire each, not of 1,000."""
    graph = IntegerGraph("bottleneck", 200)
    h = graph.matmul("x", np.ones((200, 1), dtype=np.int64))
    onnx = graph.finish(graph.matmul(h, np.ones((1, 200), dtype=np.int64)), 200)
    terms = sum(len(side) for row in compiled(onnx).constraints for side in (row.a, row.c))
    assert terms < 40_000


def test_the_domain_has_rows_for_all_public_words_and_one() -> None:
    found = compiled(mlp())
    assert found.rows == len(found.constraints) + found.public + 1
    assert found.domain // 2 < found.rows <= found.domain


def test_fewer_wires_are_taken_where_that_halves_the_domain() -> None:
    """The wallet's constraints are a few more than 2^12 with a wire for each long sum."""
    found = compiled(load_model("wallet").onnx_path.read_bytes())
    assert found.domain == 1 << 12


def test_a_relu_takes_its_bits() -> None:
    found = counted(relu(hidden=6))
    assert found[Family.PRODUCT] == 6
    assert found[Family.RANGE] == 6
    checked = compile_program(read_program(relu(hidden=6)), checked_outputs=True)
    ranges = [row for row in checked.constraints if row.family is Family.RANGE]
    assert len(ranges) == 6 + 3  # and the outputs


@pytest.mark.parametrize(("outputs", "words"), [(1, 1), (3, 1), (6, 2), (7, 2), (28, 2), (90, 2)])
def test_outputs_take_two_public_words_at_most(outputs: int, words: int) -> None:
    found = compiled(mlp(outputs=outputs))
    folds = [row for row in found.constraints if row.family is Family.FOLD]
    assert found.public == 1 + words
    assert len(folds) == (-(-outputs // 3) - 1 if outputs > 6 else 0)


def test_the_wallet_has_twelve_public_words() -> None:
    found = compiled(load_model("wallet").onnx_path.read_bytes())
    assert found.public == len(found.words([0] * 137, [0] * 28)) == 12


def test_narrow_inputs_take_fewer_bits() -> None:
    bits = [
        sum(row.family is Family.BIT for row in compiled(classifier(), width).constraints)
        for width in (16, 8)
    ]
    assert bits[0] - bits[1] >= 12 * 8


def test_tables_of_low_rank_take_few_products() -> None:
    """Two of 16 and 16 functions each, where all sets of 8 bits would be 247 products."""
    found = compiled(looked_up(low_rank_table(1 << 8, 5, 2, 4), 1))
    products = sum(row.family is Family.LOOK_UP for row in found.constraints)
    assert products == 2 * (16 - 4 - 1) + 5 * 2


def test_a_row_at_an_arg_max_takes_no_products() -> None:
    assert not counted(largest())[Family.LOOK_UP]


@pytest.mark.parametrize("x", [[0] * 8, [0] * 10, [1 << 15, *[0] * 8], [-(1 << 15) - 1, *[0] * 8]])
def test_inputs_of_another_count_or_width_are_refused(x: list[int]) -> None:
    with pytest.raises(InputRefused, match="expected"):
        compiled(mlp()).witness(x)


def test_outputs_that_could_leave_their_form_are_refused() -> None:
    with pytest.raises(ProgramRefused, match="an output could need 48 bits with the sign"):
        compile_program(read_program(mlp()), outputs=Form(40))


def test_inputs_wider_than_their_form_are_refused() -> None:
    with pytest.raises(ProgramRefused, match="inputs of 16 bits do not fit 8"):
        compile_program(read_program(mlp()), features=Form(8))


def test_a_comparison_of_numbers_beyond_the_witness_is_refused_with_its_node() -> None:
    graph = IntegerGraph("wide", 4)
    large = graph.matmul("x", np.full((4, 4), 1 << 45))
    other = graph.node("Neg", [large])
    onnx = graph.finish(graph.node("Max", [large, other]), 4)
    with pytest.raises(ProgramRefused, match=r"node 'max_2' \(Max\): it compares .* 65 bits"):
        compile_program(read_program(onnx))
