"""A network that reads text: how many constraints it takes, and that they are its computation."""

from pathlib import Path

import numpy as np
import pytest

from tests.circuits.groth16.constraints.test_agreement import agree
from tests.support.integer_networks import infer
from zkagent.circuits.errors import InputRefused
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.program.reader import read_program
from zkagent.models.examples.text import INPUT_BITS, ROWS, text_network


@pytest.mark.slow
def test_a_network_that_reads_text_takes_fewer_than_2_to_the_15_rows_and_6_words(
    tmp_path: Path,
) -> None:
    """64 rows' numbers of 13 bits and a sign take four words, five outputs two."""
    onnx, rng = text_network(), np.random.default_rng(15)
    compiled = compile_program(read_program(onnx, INPUT_BITS))
    assert compiled.public == 6
    assert compiled.domain == 1 << 15
    x = [[0] * 64, [ROWS - 1] * 64, *rng.integers(0, ROWS, (6, 64)).tolist()]
    agree(tmp_path, compiled, x, [infer(onnx, row) for row in x])
    for wrong, why in (
        (ROWS, "leads a look-up"),
        (8191, "leads"),
        (-1, "leads"),
        (8192, "14 bits"),
    ):
        for place in (0, 17, 18, 63):
            with pytest.raises(InputRefused, match=why):
                compiled.witness([*x[2][:place], wrong, *x[2][place + 1 :]])
