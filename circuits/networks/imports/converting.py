"""Makes ONNX files of trained models, by the converters of the ONNX project: skl2onnx for
scikit-learn, onnxmltools for XGBoost and LightGBM, also as a part of scikit-learn's pipelines.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.networks.imports.loading import library, translated

if TYPE_CHECKING:
    from onnx import ModelProto

INPUT = "x"
OPSETS = {"": 17, "ai.onnx.ml": 3}
OPSET = 15  # the newest one of onnxmltools
CLASSIFIER, REGRESSOR = "XGBClassifier LGBMClassifier".split(), "XGBRegressor LGBMRegressor".split()


def convert(path: Path, model: Any, features: int | None) -> "ModelProto":
    """One input "x" [n, features] of float32. path: for errors. features: where the model does not
    say how many. Raises NetworkRefused, EngineMissing."""
    count = features or features_of(model)
    if count is None:
        raise NetworkRefused(path, "it does not say how many features it takes: say --features N")
    with (
        translated(path, f"no ONNX file comes of its {type(model).__name__}"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        return _converted(model, count)


def features_of(model: Any) -> int | None:
    """How many features a model says that it takes."""
    for name in ("n_features_in_", "num_feature"):
        said = getattr(model, name, None)
        if said is not None:
            return int(said() if callable(said) else said)
    return None


def _converted(model: Any, count: int) -> "ModelProto":
    origin = type(model).__module__.partition(".")[0]
    if origin in ("xgboost", "lightgbm"):
        return _boosted(model, origin, count)
    skl2onnx = library("skl2onnx")
    _register(model)
    kind = library("skl2onnx.common.data_types").FloatTensorType([None, count])
    with _plain_integers():
        made: ModelProto = skl2onnx.convert_sklearn(
            model, initial_types=[(INPUT, kind)], target_opset=OPSETS
        )
    return made


def _boosted(model: Any, origin: str, count: int) -> "ModelProto":
    onnxmltools = library("onnxmltools")
    kind = library("onnxmltools.convert.common.data_types").FloatTensorType([None, count])
    convert_it = getattr(onnxmltools, f"convert_{origin}")
    made: ModelProto = convert_it(model, initial_types=[(INPUT, kind)], target_opset=OPSET)
    return made


def _register(model: Any) -> None:
    """Tell skl2onnx of XGBoost's and LightGBM's estimators, where the model has some."""
    for part in _parts(model):
        name, origin = type(part).__name__, type(part).__module__.partition(".")[0]
        if origin not in ("xgboost", "lightgbm") or name not in (*CLASSIFIER, *REGRESSOR):
            continue
        room = f"onnxmltools.convert.{origin}.operator_converters."
        room += "XGBoost" if origin == "xgboost" else "LightGbm"
        converter = getattr(library(room), f"convert_{origin}")
        shapes = library("skl2onnx.common.shape_calculator")
        is_classifier = name in CLASSIFIER
        kind = "classifier" if is_classifier else "regressor"
        calculate = getattr(shapes, f"calculate_linear_{kind}_output_shapes")
        options = {"nocl": [True, False], "zipmap": [True, False, "columns"]}
        library("skl2onnx").update_registered_converter(
            type(part), name, calculate, converter, options=options if is_classifier else None
        )


def _parts(model: Any) -> Iterator[Any]:
    """A model and what it is put together from."""
    yield model
    for name in ("steps", "transformer_list", "estimators"):
        for each in getattr(model, name, None) or ():
            yield from _parts(each[1] if isinstance(each, tuple) else each)


@contextmanager
def _plain_integers() -> Iterator[None]:
    """Of histogram-based trees skl2onnx hands numpy's unsigned integers and truth values on as they
    are, which protobuf refuses by now."""
    trees = library("skl2onnx.common.tree_ensemble")
    add_node = trees.add_node

    def add_plain_node(pairs: Any, *given: Any, **named: Any) -> None:
        plain = {name: _plain(value) for name, value in named.items()}
        add_node(pairs, *map(_plain, given), **plain)

    trees.add_node = add_plain_node
    try:
        yield
    finally:
        trees.add_node = add_node


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, (bool, np.integer, np.bool_)) else value


__all__ = ["INPUT", "convert", "features_of"]
