"""A network of single bits of the size that reads instructions: how many constraints it takes, and
that they are its computation."""

from pathlib import Path

import numpy as np
import pytest

from tests.circuits.groth16.constraints.test_agreement import agree
from tests.support.integer_networks import infer
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.program.reader import read_program
from zkagent.models.examples.gated import gated_network, gated_samples


@pytest.mark.slow
def test_a_network_that_reads_30_tokens_takes_fewer_than_2_to_the_16_rows_and_7_words(
    tmp_path: Path,
) -> None:
    """90 features take six words, three outputs one."""
    onnx, rng = gated_network(), np.random.default_rng(15)
    compiled = compile_program(read_program(onnx))
    assert compiled.public == 7
    assert compiled.domain == 1 << 16
    x = [row[0].tolist() for row in gated_samples(5)]
    x += [[0] * 90, [-1] * 90, rng.integers(-(1 << 15), 1 << 15, 90).tolist()]
    agree(tmp_path, compiled, x, [infer(onnx, row) for row in x])
