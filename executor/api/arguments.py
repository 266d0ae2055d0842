"""What users hand to the functions of this room, brought into one form or refused."""

import math
import os
from pathlib import Path

from zkagent.executor.api.limits import MOST_SECONDS
from zkagent.executor.errors import ArgumentRefused
from zkagent.models.catalogue import AnyModel, Model, load_model

AnyPath = str | os.PathLike[str]


def path_of(given: AnyPath | None) -> Path | None:
    return None if given is None else Path(given)


def model_of(given: Model | AnyPath) -> Model:
    """An agent's model by name or folder, or itself. Raises ModelError."""
    return load_model(os.fspath(given), Model) if isinstance(given, str | os.PathLike) else given


def any_model_of(given: AnyModel | AnyPath) -> AnyModel:
    """A model of any kind by name or folder, or itself. Raises ModelError."""
    return load_model(os.fspath(given)) if isinstance(given, str | os.PathLike) else given


def setup_file(given: AnyPath | None) -> Path | None:
    """A file that is no set-up is refused here, also where a circuit from the cache would need
    none. Points are checked when it is used. Raises SrsUnreadable."""
    from zkagent.circuits.bn254.srs_file import read_logrows

    if given is not None:
        read_logrows(Path(given))
    return path_of(given)


def check_number(name: str, value: float | None, low: float, high: float = math.inf) -> None:
    """None passes. Raises ArgumentRefused for what is not finite, too."""
    if value is None or (math.isfinite(value) and low <= value <= high):
        return
    bounds = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
    raise ArgumentRefused(name, value, f"a number {bounds}")


def check_time(name: str, seconds: float) -> None:
    """Raises ArgumentRefused."""
    if not 0 < seconds <= MOST_SECONDS:
        raise ArgumentRefused(name, seconds, f"seconds above 0, at most {MOST_SECONDS:,.0f}")


__all__ = ["AnyPath", "any_model_of", "check_number", "check_time", "model_of", "path_of"]
__all__ += ["setup_file"]
