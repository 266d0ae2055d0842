"""What users hand to the functions of this room, brought into one form or refused."""

import math
import numbers
import os
from collections.abc import Iterable
from pathlib import Path

from zkagent.executor.api.limits import MOST_SECONDS
from zkagent.executor.errors import ArgumentRefused
from zkagent.models.catalogue import (
    AnyModel,
    Model,
    Reader,
    as_decider,
    load_decider,
    load_model,
)
from zkagent.models.classifier.files import TextClassifier

AnyPath = str | os.PathLike[str]


def path_of(given: AnyPath | None) -> Path | None:
    """Raises ArgumentRefused."""
    return None if given is None else file_of("path", given)


def file_of(name: str, given: AnyPath) -> Path:
    """Raises ArgumentRefused."""
    if not isinstance(given, str | os.PathLike):
        raise ArgumentRefused(name, given, "a path")
    return Path(given)


def text_of(name: str, given: str) -> str:
    """Raises ArgumentRefused."""
    if not isinstance(given, str):
        raise ArgumentRefused(name, given, "a text")
    return given


def texts_of(name: str, given: Iterable[str]) -> tuple[str, ...]:
    """Raises ArgumentRefused, for a single text, too, which would be taken for its letters."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ArgumentRefused(name, given, "a list of texts")
    return tuple(text_of(name, each) for each in given)


def model_of(given: Model | TextClassifier | Reader | AnyPath) -> Model:
    """What an agent decides by, by name or folder, or itself; a text classifier or a reader as an
    agent's model. Raises ArgumentRefused, ModelError."""
    if isinstance(given, str | os.PathLike):
        return load_decider(os.fspath(given))
    if (decider := as_decider(given)) is None:
        raise ArgumentRefused("model", given, "an agent's model, its name or folder")
    return decider


def any_model_of(given: AnyModel | AnyPath) -> AnyModel:
    """A model of any kind by name or folder, or itself. Raises ArgumentRefused, ModelError."""
    if isinstance(given, str | os.PathLike):
        return load_model(os.fspath(given))
    if not hasattr(given, "onnx_path"):
        raise ArgumentRefused("model", given, "a model, its name or folder")
    return given


def setup_file(given: AnyPath | None) -> Path | None:
    """A file that is no set-up is refused here, also where a circuit from the cache would need
    none. Points are checked when it is used. A verifying key names the Groth16 circuit that has it.
    Raises SrsUnreadable."""
    from zkagent.circuits.bn254.srs_file import read_logrows
    from zkagent.circuits.groth16.keys.setups import named_key

    if given is not None and named_key(file_of("srs", given)) is None:
        read_logrows(file_of("srs", given))
    return path_of(given)


def check_number(name: str, value: float | None, low: float, high: float = math.inf) -> None:
    """None passes. Raises ArgumentRefused for what is not finite, too."""
    if value is None or (_is_finite(value) and low <= value <= high):
        return
    bounds = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
    raise ArgumentRefused(name, value, f"a number {bounds}")


def check_whole(name: str, value: int, low: int, high: int) -> None:
    """Raises ArgumentRefused."""
    if not (_is_whole(value) and low <= value <= high):
        raise ArgumentRefused(name, value, f"a whole number from {low:,} to {high:,}")


def check_time(name: str, seconds: float) -> None:
    """Raises ArgumentRefused."""
    if not (_is_finite(seconds) and 0 < seconds <= MOST_SECONDS):
        raise ArgumentRefused(name, seconds, f"seconds above 0, at most {MOST_SECONDS:,.0f}")


def _is_whole(value: object) -> bool:
    return isinstance(value, int)


def _is_finite(value: object) -> bool:
    return isinstance(value, numbers.Real) and math.isfinite(value)


__all__ = ["AnyPath", "any_model_of", "check_number", "check_time", "check_whole", "file_of"]
__all__ += ["model_of", "path_of", "setup_file", "text_of", "texts_of"]
