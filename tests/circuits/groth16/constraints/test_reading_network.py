"""The reader's network as constraints: how many it takes, and that they are its computation."""

from pathlib import Path

import numpy as np
import pytest

from tests.circuits.groth16.constraints.test_agreement import agree
from tests.support.integer_networks import infer
from tests.support.reading import random_features, weights
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.program.reader import read_program
from zkagent.models.networks.reading import FEATURES, TOOLS, export_reading
from zkagent.models.reader.vectors import features


@pytest.mark.slow
def test_a_reader_takes_fewer_than_2_to_the_13_rows_and_21_words(tmp_path: Path) -> None:
    """289 features take 20 words, three outputs one."""
    onnx, rng = export_reading(weights(1, hidden=16)), np.random.default_rng(15)
    compiled = compile_program(read_program(onnx))
    assert compiled.public == 21
    assert compiled.domain == 1 << 13
    x = [list(features(*random_features(rng, tools), TOOLS)) for tools in (0, 1, 5, 8)]
    x += [[0] * FEATURES, [-1] * FEATURES, rng.integers(-(1 << 15), 1 << 15, FEATURES).tolist()]
    agree(tmp_path, compiled, x, [list(infer(onnx, row)) for row in x])
