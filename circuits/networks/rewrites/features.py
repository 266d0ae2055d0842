"""What stands before a model of scikit-learn's kind, as tensors: rules for ai.onnx.ml's Scaler,
Normalizer, Binarizer, Imputer, FeatureVectorizer, ArrayFeatureExtractor and LabelEncoder.

A circuit's inputs are numbers, never missing: an Imputer of NaN changes none of them.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.networks.rewrites.building import Around, Array, Builder, attributes, shift_of
from zkagent.circuits.networks.rewrites.scores import write_values

if TYPE_CHECKING:
    from onnx import NodeProto

NORMALISED_SHIFT = 10  # bits: reciprocals of sums of up to a thousand keep some of theirs
CLASSIFIERS = frozenset({"LinearClassifier", "TreeEnsembleClassifier"})


def scaler(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """(x - offset) * scale, where small scales are not rounded to 0."""
    given = attributes(node)
    offset = np.asarray(given.get("offset", [0.0]), dtype=np.float64)
    scale = np.asarray(given.get("scale", [1.0]), dtype=np.float64)
    build = Builder(around, node.output[0])
    x = build.as_float(node.input[0])
    if offset.any():
        x = build.add("Sub", x, build.floats(offset))
    build.written(build.multiplied(x, scale), node.output[0])
    return build.nodes


def product(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """Mul of ONNX itself by constants, some of them small: so scalers of ranges are written."""
    for name, other in (node.input, reversed(node.input)):
        factors = around.constants.get(name)
        if factors is None or factors.dtype != np.float32 or other in around.constants:
            continue
        build = Builder(around, node.output[0])
        build.written(build.multiplied(other, factors.astype(np.float64)), node.output[0])
        return build.nodes if shift_of(factors.astype(np.float64)) else None
    return None


def normalizer(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """Each row divided by its norm; a row of zeros stays as it is."""
    norm = attributes(node).get("norm", "MAX")
    build = Builder(around, node.output[0])
    if norm == "L1" and _adds_up_to_one(node.input[0], around):
        build.written(node.input[0], node.output[0])
        return build.nodes
    if not _may_have_rows(node.input[0], around) or norm not in ("L1", "L2"):
        return None
    x = build.as_float(node.input[0])
    if norm == "L1":
        length = build.summed("ReduceSum", build.add("Abs", x))
    else:
        length = build.summed("ReduceL2", x)
    safe = build.add("Add", length, _is_zero(build, length))
    shifted = build.add("Reciprocal", build.halved(safe, NORMALISED_SHIFT))
    build.written(build.halved(build.add("Mul", x, shifted), NORMALISED_SHIFT), node.output[0])
    return build.nodes


def _may_have_rows(name: str, around: Around) -> bool:
    """Whether a tensor is [n, m], as far as is known."""
    shape = around.shapes.get(name)
    return shape is None or len(shape) == 2


def _adds_up_to_one(name: str, around: Around) -> bool:
    """Whether these are the probabilities of a classifier that has made them add up already."""
    maker = around.makers.get(name)
    while maker is not None and maker.op_type == "Identity":
        maker = around.makers.get(maker.input[0])
    if maker is None:
        return False
    given = attributes(maker)
    if maker.op_type == "LinearClassifier" and given.get("post_transform") == "LOGISTIC":
        weights = np.asarray(given["coefficients"])
        half = weights.size // 2
        opposed = np.array_equal(weights[:half], -weights[half:])
        bias = given.get("intercepts", [0.0, 0.0])
        return len(bias) == 1 or (len(bias) == 2 and opposed and bias[0] == -bias[1])
    if maker.op_type in CLASSIFIERS:
        return bool(given.get("post_transform") == "SOFTMAX")
    return bool(maker.op_type == "Softmax" and given.get("axis", -1) in (1, -1))


def _is_zero(build: Builder, length: str) -> str:
    """1 for a length of 0, which a circuit also has for very short ones, else 0."""
    from onnx import TensorProto

    longer = build.add("Greater", length, build.floats(0.0))
    return build.add("Cast", build.add("Not", longer), to=TensorProto.FLOAT)


def binarizer(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """1 above the threshold, else 0."""
    from onnx import TensorProto

    build = Builder(around, node.output[0])
    limit = build.floats(attributes(node).get("threshold", 0.0))
    above = build.add("Greater", build.as_float(node.input[0]), limit)
    build.add("Cast", above, into=node.output[0], to=TensorProto.FLOAT)
    return build.nodes


def imputer(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """Another number in the place of one that stands for a missing value."""
    given = attributes(node)
    kind = "float" if "imputed_value_floats" in given else "int64"
    missing = given.get(f"replaced_value_{kind}", 0)
    build = Builder(around, node.output[0])
    if np.isnan(missing):
        build.written(node.input[0], node.output[0])
        return build.nodes
    if kind != "float":
        return None
    x, limit = build.as_float(node.input[0]), build.floats(missing)
    other = build.add("Or", build.add("Greater", x, limit), build.add("Less", x, limit))
    values = build.floats(given["imputed_value_floats"])
    build.add("Where", other, x, values, into=node.output[0])
    return build.nodes


def vectorizer(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """FeatureVectorizer: columns side by side."""
    if not all(_may_have_rows(name, around) for name in node.input):
        return None
    build = Builder(around, node.output[0])
    build.add("Concat", *(build.as_float(name) for name in node.input), into=node.output[0], axis=1)
    return build.nodes


def extractor(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """ArrayFeatureExtractor: columns; of constants by an index, as labels are, their values."""
    source, indices = node.input
    values, picked = around.constants.get(source), around.constants.get(indices)
    build = Builder(around, node.output[0])
    if values is not None and picked is None and values.size == max(values.shape[-1:], default=0):
        return _labels(build, node, values.reshape(-1))
    if picked is None or not _may_have_rows(source, around):
        return None
    columns = build.integers(picked.reshape(-1))
    build.add("Gather", source, columns, into=node.output[0], axis=1)
    return build.nodes


def _labels(build: Builder, node: "NodeProto", values: Array) -> "list[NodeProto] | None":
    """values[indices] as [1, n]: of texts their indices, as they have no numbers."""
    from onnx import TensorProto

    if values.dtype.kind == "f":
        named = build.add("Gather", build.floats(values), node.input[1], axis=0)
        build.add("Reshape", named, build.integers([1, -1]), into=node.output[0])
        return build.nodes
    whole = values.dtype.kind in "iu"
    numbers = tuple(values.tolist()) if whole else tuple(range(values.size))
    flat = build.add("Reshape", node.input[1], build.integers([1, -1]))
    kind = build.around.types.get(node.input[1])
    if kind != TensorProto.INT64:
        flat = build.add("Cast", flat, to=TensorProto.INT64)
    write_values(build, numbers, flat, node.output[0])
    return build.nodes


def label_encoder(node: "NodeProto", around: Around) -> "list[NodeProto] | None":
    """LabelEncoder of int64 0, 1, ... to int64 or, as indices, to texts."""
    given = attributes(node)
    keys: Any = given.get("keys_int64s", given.get("keys_tensor"))
    values: Any = given.get("values_int64s", given.get("values_tensor"))
    if values is None and "values_strings" in given:
        values = list(range(len(given["values_strings"])))
    if keys is None or values is None or list(keys) != list(range(len(keys))):
        return None
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu":
        return None
    build = Builder(around, node.output[0])
    write_values(build, tuple(numbers.tolist()), node.input[0], node.output[0])
    return build.nodes


__all__ = ["binarizer", "extractor", "imputer", "label_encoder", "normalizer", "product"]
__all__ += ["scaler", "vectorizer"]
