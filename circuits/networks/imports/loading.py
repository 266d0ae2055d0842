"""Reads a trained model from its file: a pickle of scikit-learn's kind, or what XGBoost or LightGBM
saved.

A pickle is a program: whoever reads it runs it. So none is opened unless the user says that whoever
made it may be trusted with that; the formats of XGBoost and LightGBM are data.
"""

import importlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from zkagent.circuits.errors import EngineMissing, NetworkRefused
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json

EXTRA = "import"
MOST_BYTES = 1 << 28
MOST_SAID = 3  # warnings of a library that are handed on


class Kind(StrEnum):
    """What a file holds, by the end of its name."""

    PICKLE = "pickle"
    ONNX = "onnx"
    XGBOOST = "XGBoost"
    LIGHTGBM = "LightGBM"


KINDS = {
    ".pkl": Kind.PICKLE,
    ".pickle": Kind.PICKLE,
    ".joblib": Kind.PICKLE,
    ".onnx": Kind.ONNX,
    ".json": Kind.XGBOOST,
    ".ubj": Kind.XGBOOST,
    ".txt": Kind.LIGHTGBM,
}


@dataclass(frozen=True)
class Loaded:
    """model: an estimator or a booster. said: what its library said when it was read."""

    model: Any
    said: tuple[str, ...]


def kind_of(path: Path) -> Kind:
    """Raises NetworkRefused for other ends of names."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise NetworkRefused(
            path,
            f"what ends in {path.suffix or 'nothing'!r} is not known: give a pickle (.pkl, "
            ".joblib), .onnx, XGBoost's .json or .ubj, or LightGBM's .txt",
        )
    return kind


def load(path: Path, kind: Kind, *, trusted: bool) -> Loaded:
    """The model in a file that is no ONNX file. trusted: whether a pickle may run what is in it.

    Raises NetworkRefused, EngineMissing.
    """
    refuse_untrusted(path, kind, trusted=trusted)
    readers: dict[Kind, Callable[[Path], Any]] = {
        Kind.PICKLE: _unpickled,
        Kind.XGBOOST: _xgboost,
        Kind.LIGHTGBM: _lightgbm,
    }
    with translated(path), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = readers[kind](path)
    return Loaded(found, tuple(_lines(caught)))


def refuse_untrusted(path: Path, kind: Kind, *, trusted: bool) -> None:
    """Of pickles alone, before any is opened. Raises NetworkRefused."""
    if kind is Kind.PICKLE and not trusted:
        raise NetworkRefused(
            path,
            "a pickle runs the code that is in it, and nothing of it was read: say --trust if you "
            "trust whoever made it, or give an ONNX file",
        )


def library(name: str, package: str | None = None) -> Any:
    """A library that is no part of a plain installation. Raises EngineMissing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        if exc.name is None or exc.name.partition(".")[0] != name.partition(".")[0]:
            raise
        raise EngineMissing(package or name, EXTRA) from exc


@contextmanager
def translated(path: Path, what: str = "it is not the model that its name says") -> Iterator[None]:
    """These libraries' errors share no root. what: went wrong, if anything did."""
    try:
        yield
    except (EngineMissing, NetworkRefused):
        raise
    except ModuleNotFoundError as exc:  # that a pickle names
        raise NetworkRefused(
            path, f"it needs the Python module {exc.name}, which is not installed: pip install it"
        ) from exc
    except OSError as exc:
        raise NetworkRefused(path, f"it cannot be read ({exc.strerror or exc})") from exc
    except Exception as exc:
        reason = " ".join(str(exc).split())[:300] or type(exc).__name__
        raise NetworkRefused(path, f"{what} ({reason})") from exc


def _unpickled(path: Path) -> Any:
    read_limited(path, MOST_BYTES)
    return library("joblib", "scikit-learn").load(path)


def _xgboost(path: Path) -> Any:
    """As scikit-learn's kind of estimator, which knows how scores become labels."""
    xgboost = library("xgboost")
    content = bytearray(read_limited(path, MOST_BYTES))
    objective = str(_objective(xgboost, content))
    classes = objective.startswith(("binary:", "multi:"))
    if not classes and not objective.startswith("reg:"):
        raise NetworkRefused(
            path, f"its objective is {objective}: binary:, multi: or reg: is taken"
        )
    estimator = xgboost.XGBClassifier() if classes else xgboost.XGBRegressor()
    estimator.load_model(content)
    return estimator


def _objective(xgboost: Any, content: bytearray) -> Any:
    booster = xgboost.Booster()
    booster.load_model(content)
    return load_json(booster.save_config())["learner"]["objective"]["name"]


def _lightgbm(path: Path) -> Any:
    text = read_limited(path, MOST_BYTES).decode()
    if not text.startswith("tree\n"):
        raise NetworkRefused(path, "it does not begin like a model that LightGBM saved")
    return library("lightgbm").Booster(model_str=text)


def _lines(caught: Sequence[warnings.WarningMessage]) -> Iterator[str]:
    said = dict.fromkeys(" ".join(str(each.message).split()) for each in caught)
    yield from list(said)[:MOST_SAID]


__all__ = ["EXTRA", "Kind", "Loaded", "kind_of", "library", "load"]
__all__ += ["refuse_untrusted", "translated"]
