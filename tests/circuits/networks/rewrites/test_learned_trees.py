"""Tree ensembles decide as tensors what onnxruntime decides of them; other forms are refused by
name. Thresholds are met exactly by many inputs."""

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper, numpy_helper

from tests.support.learned_models import (
    FLOAT,
    INT64,
    MODES,
    Trees,
    inputs,
    model,
    node,
    outputs,
    rewritten,
)
from zkagent.circuits.networks.rewrites import forest
from zkagent.circuits.networks.rewrites.learned import to_tensors

LABELS = {2: [0, 1], 3: [4, 1, 7], 4: [1, 2, 3, 4]}


def classifier(trees: Trees, classes: int, **attributes: Any) -> ModelProto:
    made = node(
        "TreeEnsembleClassifier",
        "x",
        "label scores",
        **trees.attributes(),
        classlabels_int64s=LABELS[classes],
        **attributes,
    )
    return model([made], {"label": INT64, "scores": FLOAT}, features=trees.features)


def regressor(trees: Trees, **attributes: Any) -> ModelProto:
    given = {"n_targets": trees.targets, **trees.attributes(), **attributes}
    return model(
        [node("TreeEnsembleRegressor", "x", "y", **given)], {"y": FLOAT}, features=trees.features
    )


def assert_same(made: ModelProto, *, whole: bool = True) -> None:
    x = inputs(whole=whole)
    theirs, ours = outputs(made, x), outputs(rewritten(made), x)
    for expected, found in zip(theirs, ours, strict=True):
        assert expected.shape == found.shape
        if expected.dtype.kind == "i":
            assert np.array_equal(expected, found)
        else:
            assert np.allclose(expected, found, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_every_question_is_answered_alike_at_its_threshold(mode: str) -> None:
    trees = Trees("target", 1, modes=(mode,)).grow(np.random.default_rng(1), [3, 2])
    made = regressor(trees)
    assert_same(made)
    others = {each for each in MODES if each != mode}
    for node_ in made.graph.node:
        for attribute in node_.attribute:
            if attribute.name == "nodes_modes":
                kept = [text for text in attribute.strings if text != b"LEAF"]
                assert kept
                assert not {text.decode() for text in kept} & others


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC", "SOFTMAX"])
@pytest.mark.parametrize("classes", [3, 4])
def test_classes_of_several_scores(classes: int, transform: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    trees = Trees("class", classes, several=seed % 2 == 0, whole=seed % 3 > 0)
    trees.grow(rng, [3, 2, 1, 3][:classes])
    bias = {"base_values": rng.normal(size=classes).tolist()} if seed > 2 else {}
    assert_same(classifier(trees, classes, post_transform=transform, **bias), whole=trees.whole)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC"])
@pytest.mark.parametrize("sign", [-1.0, 0.0])
def test_two_classes_share_a_score(sign: float, transform: str, seed: int) -> None:
    """A share of the second class if no weight is negative, or else a number decided at 0."""
    trees = Trees("class", 1, sign=sign).grow(np.random.default_rng(seed), [3, 2, 0])
    bias = {"base_values": [0.25]} if seed % 2 else {}
    assert_same(classifier(trees, 2, post_transform=transform, **bias))


def test_a_forest_s_shares_are_means() -> None:
    """Weights of 1 / trees, which a circuit would round: pure leaves weigh 1 until the end."""
    trees = Trees("class", 3).grow(np.random.default_rng(3), [2] * 10)
    trees.weights = [
        (tree, at, target, 0.1 * (target == (tree + at) % 3))
        for tree, at, target, _ in trees.weights
    ]
    made = classifier(trees, 3)
    assert_same(made)
    products = [each for each in rewritten(made).graph.node if each.op_type == "MatMul"]
    stored = {each.name: each for each in rewritten(made).graph.initializer}
    for product in products:
        assert np.all(numpy_helper.to_array(stored[product.input[1]]) == 1)


@pytest.mark.parametrize("aggregated", ["SUM", "AVERAGE"])
def test_regressions_of_several_targets(aggregated: str) -> None:
    trees = Trees("target", 2, whole=False).grow(np.random.default_rng(7), [3, 3, 2])
    made = regressor(trees, aggregate_function=aggregated, base_values=[10.0, -3.0])
    assert_same(made, whole=False)


def test_the_ensemble_of_opset_5() -> None:
    """x0 <= 1, then x1 > -1 on its false side; two leaves each."""
    one = helper.make_tensor
    attributes = {
        "n_targets": 2,
        "nodes_featureids": [0, 1],
        "nodes_splits": one("s", FLOAT, [2], [1.0, -1.0]),
        "nodes_modes": one("m", 2, [2], [0, 3]),
        "nodes_truenodeids": [0, 1],
        "nodes_trueleafs": [1, 1],
        "nodes_falsenodeids": [1, 2],
        "nodes_falseleafs": [0, 1],
        "leaf_targetids": [0, 0, 0],
        "leaf_weights": one("w", FLOAT, [3], [5.0, 7.0, 9.0]),
        "tree_roots": [0],
        "aggregate_function": 1,
        "post_transform": 0,
    }
    attributes["n_targets"] = 1
    made = model([node("TreeEnsemble", "x", "y", **attributes)], {"y": FLOAT}, features=4, opset=5)
    assert_same(made)
    member = {**attributes, "nodes_modes": one("m", 2, [2], [0, 6])}
    other = model([node("TreeEnsemble", "x", "y", **member)], {"y": FLOAT}, features=4, opset=5)
    with pytest.raises(ValueError, match=r"^TreeEnsemble \(node 'TreeEnsemble'\) is in a form"):
        to_tensors(other)


def test_equal_questions_of_all_trees_are_asked_once() -> None:
    trees = Trees("target", 1, modes=("BRANCH_LEQ",)).grow(np.random.default_rng(2), [4] * 8)
    made = rewritten(regressor(trees))
    asked = {(each[2], each[6]) for each in trees.nodes if each[3] != "LEAF"}
    (comparison,) = [each for each in made.graph.node if each.op_type == "Greater"]
    (limits,) = [each for each in made.graph.initializer if each.name == comparison.input[1]]
    assert limits.dims[1] == len(asked) < sum(each[3] != "LEAF" for each in trees.nodes)


def test_thresholds_of_more_digits_split_float32_alike() -> None:
    """0.1 lies between two float32: whoever is compared with it is not rounded up to it."""
    trees = Trees("target", 1, modes=("BRANCH_LEQ",))
    trees.nodes = [(0, 0, 0, "BRANCH_LEQ", 1, 2, 0.0), (0, 1, 0, "LEAF", 0, 0, 0.0)]
    trees.nodes.append((0, 2, 0, "LEAF", 0, 0, 0.0))
    trees.weights = [(0, 1, 0, 1.0), (0, 2, 0, 2.0)]
    given = trees.attributes()
    del given["nodes_values"]
    given["nodes_values_as_tensor"] = np.array([0.1, 0.0, 0.0])
    read = forest.read_forest(given, "target", 1)
    inner = read.trees[0].nodes[0]
    assert isinstance(inner, forest.Inner)
    above = np.float32(0.1)
    assert float(above) > 0.1 > inner.question.threshold
    assert np.nextafter(np.float32(inner.question.threshold), np.float32(1)) == above


@pytest.mark.parametrize(
    ("trees", "attributes"),
    [
        (Trees("target", 1), {"aggregate_function": "MAX"}),
        (Trees("target", 1), {"post_transform": "LOGISTIC"}),  # which onnxruntime leaves out
        (Trees("target", 2), {"post_transform": "PROBIT"}),
        (Trees("target", 2), {"base_values": [1.0]}),
        (Trees("target", 2, several=False), {"n_targets": 3}),
    ],
)
def test_other_regressions_are_refused_by_name(trees: Trees, attributes: dict[str, Any]) -> None:
    made = regressor(trees.grow(np.random.default_rng(0), [2, 2]), **attributes)
    with pytest.raises(ValueError, match=r"^TreeEnsembleRegressor \(node .*no circuit computes"):
        to_tensors(made)


def test_two_classes_with_a_score_each_are_refused() -> None:
    """onnxruntime gives their labels as 0 and 1 whatever these are."""
    made = classifier(Trees("class", 2).grow(np.random.default_rng(0), [2, 2]), 2)
    with pytest.raises(ValueError, match="TreeEnsembleClassifier"):
        to_tensors(made)


@pytest.mark.parametrize("harm", ["loop", "nowhere", "twice"])
def test_what_is_no_tree_is_refused(harm: str) -> None:
    trees = Trees("target", 1).grow(np.random.default_rng(0), [2, 2])
    first = trees.nodes[0]
    way = {"loop": first[1], "nowhere": 99, "twice": first[5]}[harm]
    trees.nodes[0] = (*first[:4], way, *first[5:])
    with pytest.raises(ValueError, match="TreeEnsembleRegressor"):
        to_tensors(regressor(trees))


def test_a_chain_of_too_many_levels_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = Trees("target", 1).grow(np.random.default_rng(0), [3])
    assert_same(regressor(trees))
    monkeypatch.setattr(forest, "MOST_LEVELS", 1)
    with pytest.raises(ValueError, match="TreeEnsembleRegressor"):
        to_tensors(regressor(trees))
