"""The reader's network as constraints: how many it takes, and that they are its computation."""

from pathlib import Path

import numpy as np
import pytest

from tests.circuits.groth16.constraints.test_agreement import agree
from tests.support.integer_networks import infer
from tests.support.reading import filling_weights, random_features, random_pairs, weights
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.program.reader import read_program
from zkagent.models.networks.reading import FEATURES, TOOLS, export_reading
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.pairs import pair_features
from zkagent.models.reader.vectors import features


def _pairs(rng: np.random.Generator, count: int) -> tuple[int, ...]:
    types = [ParamType.STRING, ParamType.UINT, ParamType.STRING][: count % 4]
    return pair_features(random_pairs(rng, [count] * len(types)), types)


@pytest.mark.slow
def test_a_reader_takes_fewer_than_2_to_the_15_rows_and_31_words(tmp_path: Path) -> None:
    """434 features take 29 words, 51 outputs, folded, two."""
    onnx = export_reading(weights(1, hidden=16), filling_weights(1, hidden=8))
    rng = np.random.default_rng(15)
    compiled = compile_program(read_program(onnx))
    assert compiled.public == 31
    assert compiled.domain == 1 << 15
    x = [
        [*features(*random_features(rng, tools), TOOLS), *_pairs(rng, tools)]
        for tools in (0, 1, 5, 8)
    ]
    x += [[0] * FEATURES, [-1] * FEATURES, rng.integers(-(1 << 15), 1 << 15, FEATURES).tolist()]
    agree(tmp_path, compiled, x, [list(infer(onnx, row)) for row in x])
