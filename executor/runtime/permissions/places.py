"""The places at which an engine is asked, for rules that an owner puts at some of them."""

from collections.abc import Collection
from typing import get_args

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.permissions import Place

PLACES: frozenset[Place] = frozenset(get_args(Place))


def checked_places(name: str, places: Collection[Place]) -> frozenset[Place]:
    """name: of the argument, for the error. Raises AgentConfigRefused for what is no place: a rule
    at a place that is misspelt would be at none."""
    listed = ", ".join(sorted(PLACES))
    if isinstance(places, str) or not isinstance(places, Collection):
        raise AgentConfigRefused(f"{name} = {places!r:.80}: give a list of some of {listed}")
    if unknown := [each for each in places if each not in tuple(PLACES)]:
        raise AgentConfigRefused(f"{name}: {unknown[0]!r:.80} is no place: take some of {listed}")
    return frozenset(places)


__all__ = ["PLACES", "checked_places"]
