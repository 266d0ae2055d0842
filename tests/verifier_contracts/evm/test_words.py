"""Weights to words and parts: what fits a contract, and what adds up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.integer_networks import mlp
from zkagent.circuits.program.reader import read_program
from zkagent.models.networks.integer_graph import IntegerGraph
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.errors import EvmModelError
from zkagent.verifier_contracts.evm import generate_evm_model
from zkagent.verifier_contracts.evm.statements import Body
from zkagent.verifier_contracts.evm.words import Lanes

WORD = 1 << 256


def test_a_fan_in_beyond_a_contract_is_refused() -> None:
    graph = IntegerGraph("wide", 800)
    onnx = graph.finish(graph.matmul("x", -np.ones((800, 1))), 1)
    with pytest.raises(EvmModelError, match="adds up 800 inputs, more than fit"):
        Body(read_program(onnx), frozenset({0}))


def test_parts_hold_as_many_words_as_fit_a_contract() -> None:
    graph = IntegerGraph("wide", 300)
    onnx = graph.finish(graph.matmul("x", -np.ones((300, 40), dtype=np.int64)), 40)
    body = Body(read_program(onnx), frozenset({0}))  # 4 words of 300 terms, two of them a part
    assert [len(part) > 20_000 for part in body.parts] == [True, True]
    assert all(len(part) <= MAX_CODE_BYTES for part in body.parts)


@given(st.data())
def test_lanes_of_a_packed_sum_come_apart_again(data: st.DataObject) -> None:
    fan_in, count = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 9))
    numbers = st.integers(-(1 << 30), 1 << 30)
    weights = data.draw(
        st.lists(
            st.lists(numbers, min_size=count, max_size=count), min_size=fan_in, max_size=fan_in
        )
    )
    x = data.draw(st.lists(st.integers(-(1 << 15), 1 << 15), min_size=fan_in, max_size=fan_in))
    sums = [sum(a * row[j] for a, row in zip(x, weights, strict=True)) for j in range(count)]
    lanes = Lanes(count, (fan_in << 45).bit_length() + 1)
    total = lanes.pack([lanes.half] * count)
    for a, row in zip(x, weights, strict=True):
        total = [(t + a * w) % WORD for t, w in zip(total, lanes.pack(row), strict=True)]
    for word, packed in enumerate(total):
        for place, j in enumerate(lanes.lanes_of(word)):
            assert (packed >> (place * lanes.width) & lanes.mask) - lanes.half == sums[j]


def test_what_the_reader_refuses_is_an_error_of_the_contracts() -> None:
    with pytest.raises(EvmModelError, match="inputs of 17 bits: expected 2 to 16"):
        generate_evm_model(mlp(), input_bits=17)
