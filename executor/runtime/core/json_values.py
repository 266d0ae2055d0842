"""What steps, inputs, outputs and events are made of: JSON, so that all of it can be kept."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

#: null, true, numbers, text, lists and objects; mypy knows no recursive form that pydantic reads.
Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
JsonObject: TypeAlias = Mapping[str, Json]

__all__ = ["Json", "JsonObject"]
