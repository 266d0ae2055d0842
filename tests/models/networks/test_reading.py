"""The reader's network against its formula in Python integers."""

import numpy as np
import pytest

from tests.support.integer_networks import infer
from tests.support.reading import (
    filling_weights,
    formula,
    pair_formula,
    random_features,
    random_pairs,
    weights,
)
from zkagent.circuits.program.evaluation import evaluate
from zkagent.circuits.program.reader import read_program
from zkagent.models.networks.reading import CHOICES, FEATURES, TOOLS, export_reading
from zkagent.models.reader.files import NO_PAIRS
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.pairs import pair_features
from zkagent.models.reader.rows import Vector
from zkagent.models.reader.vectors import features

ONNX = export_reading(weights(3), filling_weights(3))
TEXT, NUMBER, SIGNED = ParamType.STRING, ParamType.UINT, ParamType.INT


def of_tools(prompt: Vector, tools: list[Vector]) -> tuple[int, ...]:
    return (*features(prompt, tools, TOOLS), *NO_PAIRS)


def chosen(prompt: Vector, tools: list[Vector]) -> tuple[int, ...]:
    return tuple(infer(ONNX, of_tools(prompt, tools)))[:CHOICES]


def test_onnxruntime_and_the_program_compute_the_formula() -> None:
    rng = np.random.default_rng(1)
    rows = [random_features(rng, tools) for tools in range(TOOLS + 1) for _ in range(20)]
    expected = [formula(weights(3), *row) for row in rows]
    x = [of_tools(prompt, tools) for prompt, tools in rows]
    assert [tuple(infer(ONNX, row))[:CHOICES] for row in x] == expected
    found = evaluate(read_program(ONNX), x).tolist()
    assert [tuple(row)[:CHOICES] for row in found] == expected


@pytest.mark.parametrize(
    "types",
    [
        (),
        (TEXT,),
        (TEXT, TEXT),
        (TEXT, NUMBER, TEXT),
        (NUMBER, SIGNED, TEXT, TEXT, ParamType.BOOL, NUMBER),
        (TEXT,) * 6,
    ],
)
def test_scores_of_pairs_are_the_formulas(types: tuple[ParamType, ...]) -> None:
    rng = np.random.default_rng(len(types))
    alike = ["number" if each is SIGNED else each.name for each in types]
    alike = ["number" if each == "UINT" else each for each in alike]
    for _ in range(20):
        counts = {each: int(rng.integers(0, 9)) for each in alike}
        pairs = random_pairs(rng, [counts[each] for each in alike])
        x = (*features(*random_features(rng, 3), TOOLS), *pair_features(pairs, types))
        expected = pair_formula(filling_weights(3), pairs, alike)
        assert tuple(infer(ONNX, x))[CHOICES:] == expected
        assert tuple(evaluate(read_program(ONNX), [x]).tolist()[0])[CHOICES:] == expected


def test_any_feature_has_an_output_in_onnxruntime_and_the_program_alike() -> None:
    x = np.random.default_rng(2).integers(-(1 << 15), 1 << 15, (50, FEATURES))
    found = evaluate(read_program(ONNX), x).tolist()
    assert found == [list(infer(ONNX, row.tolist())) for row in x]


@pytest.mark.parametrize("tools", range(2, TOOLS + 1))
def test_the_order_of_tools_moves_the_choice_and_nothing_else(tools: int) -> None:
    rng = np.random.default_rng(tools)
    prompt, given = random_features(rng, tools)
    order = rng.permutation(tools)
    which, *margins = chosen(prompt, given)
    moved, *same = chosen(prompt, [given[i] for i in order])
    assert (order[moved], same) == (which, margins)


def test_of_equal_tools_the_first_is_chosen_and_none_is_ahead() -> None:
    prompt, (tool, _) = random_features(np.random.default_rng(4), 2)
    assert chosen(prompt, [tool, tool])[:2] == (0, 0)


def test_an_absent_tool_is_never_chosen_before_one_that_scores_least() -> None:
    prompt = np.full(64, 127, dtype=np.int64)
    which, ahead, _ = chosen(prompt, [-prompt])
    assert which == 0
    assert ahead > 0
