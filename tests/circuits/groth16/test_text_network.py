"""A network that reads text: how many constraints it takes, and that they are its computation."""

from pathlib import Path

import numpy as np
import pytest

from tests.circuits.groth16.test_agreement import agree
from tests.support.integer_networks import infer
from tests.support.text_network import ROWS, text_network
from zkagent.circuits.groth16.compiler import compile_program
from zkagent.circuits.groth16.packing import Form
from zkagent.circuits.program.reader import read_program


@pytest.mark.slow
def test_a_network_that_reads_text_takes_fewer_than_2_to_the_15_rows_and_5_words(
    tmp_path: Path,
) -> None:
    onnx, rng = text_network(), np.random.default_rng(15)
    program = read_program(onnx, 14)
    compiled = compile_program(program, features=Form(14), outputs=Form(16))
    assert compiled.public == 5
    assert compiled.domain == 1 << 15
    assert compile_program(program).domain == 1 << 15
    x = [[0] * 64, [ROWS - 1] * 64, *rng.integers(0, ROWS, (6, 64)).tolist()]
    agree(tmp_path, compiled, x, [infer(onnx, row) for row in x])
