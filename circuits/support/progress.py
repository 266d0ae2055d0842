"""Telling somebody what is being done, where all that matters is its name."""

from collections.abc import Callable

#: Called with the name of each stage as it begins.
Told = Callable[[str], None]


def silent(stage: str) -> None:
    """Progress for nobody."""


__all__ = ["Told", "silent"]
