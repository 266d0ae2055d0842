"""The reader's network against its formula in Python integers."""

import numpy as np
import pytest

from tests.support.integer_networks import infer
from tests.support.reading import formula, random_features, weights
from zkagent.circuits.program.evaluation import evaluate
from zkagent.circuits.program.reader import read_program
from zkagent.models.networks.reading import FEATURES, TOOLS, export_reading
from zkagent.models.reader.vectors import features

ONNX = export_reading(weights(3))


def test_onnxruntime_and_the_program_compute_the_formula() -> None:
    rng = np.random.default_rng(1)
    rows = [random_features(rng, tools) for tools in range(TOOLS + 1) for _ in range(20)]
    expected = [formula(weights(3), *row) for row in rows]
    x = [features(prompt, tools, TOOLS) for prompt, tools in rows]
    assert [tuple(infer(ONNX, row)) for row in x] == expected
    assert [tuple(row) for row in evaluate(read_program(ONNX), x).tolist()] == expected


def test_any_feature_has_an_output_in_onnxruntime_and_the_program_alike() -> None:
    x = np.random.default_rng(2).integers(-(1 << 15), 1 << 15, (50, FEATURES))
    found = evaluate(read_program(ONNX), x).tolist()
    assert found == [list(infer(ONNX, row.tolist())) for row in x]


@pytest.mark.parametrize("tools", range(2, TOOLS + 1))
def test_the_order_of_tools_moves_the_choice_and_nothing_else(tools: int) -> None:
    rng = np.random.default_rng(tools)
    prompt, given = random_features(rng, tools)
    order = rng.permutation(tools)
    which, *margins = infer(ONNX, features(prompt, given, TOOLS))
    moved, *same = infer(ONNX, features(prompt, [given[i] for i in order], TOOLS))
    assert (order[moved], same) == (which, margins)


def test_of_equal_tools_the_first_is_chosen_and_none_is_ahead() -> None:
    prompt, (tool, _) = random_features(np.random.default_rng(4), 2)
    assert tuple(infer(ONNX, features(prompt, [tool, tool], TOOLS)))[:2] == (0, 0)


def test_an_absent_tool_is_never_chosen_before_one_that_scores_least() -> None:
    prompt = np.full(64, 127, dtype=np.int64)
    which, ahead, _ = infer(ONNX, features(prompt, [-prompt], TOOLS))
    assert which == 0
    assert ahead > 0
