"""Linear models and what stands before them compute as tensors what onnxruntime computes of them;
other forms are refused by name."""

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, helper

from tests.support.learned_models import (
    FLOAT,
    INT64,
    STRING,
    inputs,
    model,
    node,
    outputs,
    rewritten,
)
from zkagent.circuits.networks.rewrites.decisions import decide_by_scores, keep_labels
from zkagent.circuits.networks.rewrites.learned import to_tensors
from zkagent.circuits.networks.rewrites.names import take_names

WEIGHTS = np.random.default_rng(4).normal(size=(3, 4))
SMALL = [0.001, 2.0, -0.25, 1.0]


def assert_same(made: ModelProto, *, tolerance: float = 1e-6) -> ModelProto:
    x = inputs(whole=False)
    x[0] = 0
    changed = rewritten(made)
    for theirs, ours in zip(outputs(made, x), outputs(changed, x), strict=True):
        assert theirs.shape == ours.shape
        if theirs.dtype.kind == "i":
            assert np.array_equal(theirs, ours)
        else:
            assert np.allclose(theirs, ours, rtol=tolerance, atol=tolerance)
    return changed


def linear(rows: int, **attributes: Any) -> ModelProto:
    weights = (WEIGHTS[:rows] * SMALL).reshape(-1).tolist()
    given = {"coefficients": weights, "intercepts": [0.5, -0.25, 0.125][:rows], **attributes}
    made = node("LinearClassifier", "x", "label scores", **given)
    return model([made], {"label": INT64, "scores": FLOAT}, features=4)


@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC", "SOFTMAX"])
@pytest.mark.parametrize("labels", [[0, 1, 2], [2, 4, 6], [5, 1, 3]])
def test_linear_classifiers(labels: list[int], transform: str) -> None:
    assert_same(linear(3, classlabels_ints=labels, post_transform=transform))
    assert_same(linear(2, classlabels_ints=labels[:2], post_transform=transform))


def test_a_linear_classifier_of_one_row_of_weights() -> None:
    assert_same(linear(1, classlabels_ints=[3, 8], post_transform="LOGISTIC"))
    with pytest.raises(ValueError, match=r"^LinearClassifier \(node 'LinearClassifier'\)"):
        to_tensors(linear(1, classlabels_ints=[3, 8], post_transform="PROBIT"))
    with pytest.raises(ValueError, match="LinearClassifier"):
        to_tensors(linear(2, classlabels_ints=[3, 8, 9]))


def regression(operator: str, **attributes: Any) -> ModelProto:
    return model([node(operator, "x", "y", **attributes)], {"y": FLOAT}, features=4)


def test_linear_regressions_keep_small_weights() -> None:
    weights = (WEIGHTS[:2] * SMALL).reshape(-1).tolist()
    made = regression("LinearRegressor", coefficients=weights, intercepts=[1.0, 2.0], targets=2)
    changed = assert_same(made)
    divisions = [each for each in changed.graph.node if each.op_type == "Div"]
    assert len(divisions) == 1  # by a power of two, which costs a circuit nothing
    plain = regression("LinearRegressor", coefficients=[1.0, 2.0, -3.0, 0.5], targets=1)
    assert not any(each.op_type == "Div" for each in assert_same(plain).graph.node)


def test_linear_support_vector_regressions() -> None:
    given = {"coefficients": [0.5, -0.25], "support_vectors": WEIGHTS[:2].reshape(-1).tolist()}
    given |= {"n_supports": 2, "rho": [0.75], "kernel_params": [1.0, 0.0, 0.0]}
    assert_same(regression("SVMRegressor", kernel_type="LINEAR", **given))
    with pytest.raises(ValueError, match=r"SVMRegressor .* in a form that no circuit computes"):
        to_tensors(regression("SVMRegressor", kernel_type="RBF", **given))


@pytest.mark.parametrize(
    "made",
    [
        node("Scaler", "x", "y", offset=[1.0, -2.0, 0.0, 500.0], scale=[0.001, 3.0, 1.0, 0.02]),
        node("Scaler", "x", "y", offset=[0.5], scale=[0.125]),
        node("Normalizer", "x", "y", norm="L1"),
        node("Normalizer", "x", "y", norm="L2"),
        node("Binarizer", "x", "y", threshold=0.25),
        node("Imputer", "x", "y", replaced_value_float=float("nan"), imputed_value_floats=[9.0]),
        node(
            "Imputer", "x", "y", replaced_value_float=0.0, imputed_value_floats=[1.0, 2.0, 3.0, 4.0]
        ),
        node("FeatureVectorizer", "x x", "y", inputdimensions=[4, 4]),
        node("ArrayFeatureExtractor", "x places", "y"),
    ],
    ids=lambda made: made.op_type,
)
def test_features(made: NodeProto) -> None:
    """A row of zeros among them."""
    places = {"places": np.array([2, 0])} if "places" in made.input else None
    assert_same(model([made], {"y": FLOAT}, features=4, constants=places))


@pytest.mark.parametrize(
    "made",
    [
        node("Normalizer", "x", "y", norm="MAX"),
        node("ArrayFeatureExtractor", "x x", "y"),
        node("Imputer", "x", "y", replaced_value_int64=0, imputed_value_int64s=[1]),
        node("TreeEnsembleRegressor", "x", "y", n_targets=1),
        node("SVMClassifier", "x", "y z"),
        node("Scaler\n", "x", "y"),
    ],
    ids=lambda made: made.op_type.strip(),
)
def test_what_no_rule_takes_is_refused_with_its_name(made: NodeProto) -> None:
    with pytest.raises(ValueError, match=rf"^{made.op_type} \(node '"):
        to_tensors(model([made], {"y": FLOAT}, features=4))


def test_an_extractor_names_labels_by_sums_where_these_are_evenly_spaced() -> None:
    for labels, looked_up in (([0, 1, 2, 3], False), ([3, 5, 7, 9], False), ([3, 5, 6, 9], True)):
        nodes = [
            helper.make_node("ArgMax", ["x"], ["best"], axis=1, keepdims=0),
            node("ArrayFeatureExtractor", "labels best", "y"),
        ]
        made = model(nodes, {"y": INT64}, features=4, constants={"labels": np.array(labels)})
        changed = assert_same(made)
        assert any(each.op_type == "Gather" for each in changed.graph.node) is looked_up


def test_probabilities_that_add_up_are_not_normalised_again() -> None:
    for transform, kept in (("SOFTMAX", False), ("LOGISTIC", True)):
        made = linear(3, classlabels_ints=[0, 1, 2], post_transform=transform)
        made.graph.node.append(node("Normalizer", "scores", "shares", norm="L1"))
        made.graph.output[1].name = "shares"
        changed = assert_same(made)
        assert any(each.op_type == "Reciprocal" for each in changed.graph.node) is kept


@pytest.mark.parametrize(("factors", "changed"), [([0.5, 2, 1, 3], False), (SMALL, True)])
def test_small_factors_of_ranges_are_kept_too(factors: list[float], changed: bool) -> None:
    nodes = [
        helper.make_node("Mul", ["x", "factors"], ["scaled"]),
        node("Binarizer", "scaled", "y", threshold=0.25),
    ]
    made = model(
        nodes, {"y": FLOAT}, features=4, constants={"factors": np.array(factors, np.float32)}
    )
    found = assert_same(made)
    assert any(each.op_type == "Div" for each in found.graph.node) is changed


@pytest.mark.parametrize(("operator", "risen"), [("Identity", True), ("Softmax", False)])
def test_an_old_opset_rises_where_all_operators_mean_the_same(operator: str, risen: bool) -> None:
    nodes = [helper.make_node(operator, ["x"], ["z"]), node("Binarizer", "z", "y")]
    made = model(nodes, {"y": FLOAT}, features=4)
    made.opset_import[0].version = 8
    assert rewritten(made).opset_import[0].version == (17 if risen else 8)


def test_names_of_classes_become_places_and_dictionaries_tensors() -> None:
    made = linear(3, classlabels_strings=["low", "middle", "high"], post_transform="SOFTMAX")
    made.graph.node.append(node("ZipMap", "scores", "maps", classlabels_strings=["l", "m", "h"]))
    made.graph.output[0].type.tensor_type.elem_type = STRING
    mapping = helper.make_map_type_proto(STRING, helper.make_tensor_type_proto(FLOAT, []))
    maps = helper.make_value_info("maps", helper.make_sequence_type_proto(mapping))
    made.graph.output[1].CopyFrom(maps)
    x = inputs(whole=False)
    theirs = outputs(made, x)
    with pytest.raises(ValueError, match="ZipMap"):
        rewritten(made)
    names, said = take_names(made)
    assert names == ("l", "m", "h")
    assert len(said) == 2
    label, scores = outputs(rewritten(made), x)
    assert [("low", "middle", "high")[at] for at in label] == theirs[0].tolist()
    assert np.allclose(scores, [[row[name] for name in names] for row in theirs[1].tolist()])


def test_a_network_of_numbers_keeps_its_names() -> None:
    made = linear(3, classlabels_ints=[0, 1, 2])
    before = made.SerializeToString()
    assert take_names(made) == ((), ())
    assert made.SerializeToString() == before


def test_labels_alone_need_no_scores() -> None:
    made = linear(3, classlabels_ints=[0, 1, 2], post_transform="SOFTMAX")
    (expected, _), x = outputs(made, inputs()), inputs()
    assert keep_labels(made) == ("output 'scores' was left out",)
    changed = rewritten(made)
    assert np.array_equal(outputs(changed, x)[0], expected)
    assert not any(each.op_type == "Softmax" for each in changed.graph.node)
    with pytest.raises(ValueError, match="0 outputs of labels"):
        keep_labels(regression("LinearRegressor", coefficients=[1.0] * 4))


@pytest.mark.parametrize(("axis", "shortened"), [(1, True), (0, False)])
def test_an_arg_max_looks_ahead_of_a_soft_max_along_its_axis(axis: int, shortened: bool) -> None:
    nodes = [
        helper.make_node("Softmax", ["x"], ["shares"], axis=axis),
        helper.make_node("ArgMax", ["shares"], ["y"], axis=1, keepdims=0),
    ]
    made = model(nodes, {"y": INT64}, features=4)
    assert bool(decide_by_scores(made)) is shortened
    assert (made.graph.node[1].input[0] == "x") is shortened
