"""Linear models of scikit-learn's kind as products and sums: rules for ai.onnx.ml's
LinearRegressor, LinearClassifier and the linear ones among SVMRegressor.

Weights belong to features of any size, so small ones count: all are shifted left until none is lost
among a circuit's bits of fraction, and the result is shifted back, which costs nothing.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.networks.rewrites.building import (
    Around,
    Builder,
    Floats,
    attributes,
    shift_of,
)
from zkagent.circuits.networks.rewrites.scores import TRANSFORMS, Labels, Raw, complemented

if TYPE_CHECKING:
    from onnx import NodeProto


def classifier(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """LinearClassifier: label [n] and scores [n, classes]."""
    given = attributes(node)
    labels, transform = Labels.of(given), given.get("post_transform", "NONE")
    weights, bias = _rows(given, len(given.get("intercepts", ())) or len(labels))
    single = len(weights) == 1 and len(labels) == 2
    if transform not in TRANSFORMS or not (single or len(weights) == len(labels) > 1):
        return None
    if single and transform != "LOGISTIC":
        return None
    build = Builder(around, node.output[0] or "linear")
    raw = product(build, node.input[0], weights, bias)
    decided = raw.decided(build)
    if node.output[0] and single:
        labels.write_above(build, decided, 0.0, node.output[0])
    elif node.output[0]:
        labels.write_best(build, decided, node.output[0])
    if len(node.output) > 1 and node.output[1]:
        scores = raw.transformed(build, decided, transform)
        build.written(complemented(build, scores) if single else scores, node.output[1])
    return build.nodes


def regressor(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """LinearRegressor: [n, targets]."""
    given = attributes(node)
    transform = given.get("post_transform", "NONE")
    if transform not in TRANSFORMS:
        return None
    weights, bias = _rows(given, int(given.get("targets", 1)))
    build = Builder(around, node.output[0])
    raw = product(build, node.input[0], weights, bias)
    build.written(raw.transformed(build, raw.decided(build), transform), node.output[0])
    return build.nodes


def support_vector_regressor(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """SVMRegressor with a linear kernel: its support vectors are one row of weights."""
    given = attributes(node)
    kernel, vectors = given.get("kernel_type", "LINEAR"), int(given.get("n_supports", 0))
    plain = given.get("post_transform", "NONE") == "NONE" and not given.get("one_class", 0)
    if kernel != "LINEAR" or not plain:
        return None
    weights = np.asarray(given["coefficients"], dtype=np.float64)
    if vectors:
        weights = weights @ np.asarray(given["support_vectors"]).reshape(vectors, -1)
    build = Builder(around, node.output[0])
    raw = product(build, node.input[0], weights[None], np.asarray(given["rho"], np.float64)[:1])
    build.written(raw.transformed(build, raw.decided(build), "NONE"), node.output[0])
    return build.nodes


def product(build: Builder, x: str, weights: Floats, bias: Floats | None) -> Raw:
    """x [n, features] times weights [k, features]."""
    shift = shift_of(np.abs(weights).max(axis=0))
    rows = build.floats(weights.T * 2.0**shift)
    return Raw(build.add("MatMul", build.as_float(x), rows), 2.0**shift, bias)


def _rows(given: dict[str, Any], count: int) -> tuple[Floats, Floats | None]:
    """Weights [count, features] and what is added."""
    weights = np.asarray(given["coefficients"], dtype=np.float64).reshape(max(1, count), -1)
    bias = np.asarray(given.get("intercepts", ()), dtype=np.float64)
    return weights, bias if bias.any() else None


__all__ = ["classifier", "product", "regressor", "support_vector_regressor"]
