"""What a circuit costs, what a user wants least of, and which circuits are worth showing."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, TypeVar

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Cost:
    """Of one proof.

    seconds: to prove, witness and keys at hand. peak_bytes: of memory while the keys are made and
    while it proves. proof_bytes: on chain. gas: to execute the verification, without the
    transaction's base cost and calldata.
    """

    seconds: float
    peak_bytes: int
    proof_bytes: int
    gas: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Objective(StrEnum):
    """What `zkagent circuit tune` makes small."""

    LATENCY = "latency"
    GAS = "gas"
    MEMORY = "memory"
    BALANCED = "balanced"

    def of(self, cost: Cost) -> float:
        """A figure that is smaller for the better one of two circuits of the same network.

        Balanced: the product, so that a tenth off one cost weighs like a tenth off another.
        """
        match self:
            case Objective.LATENCY:
                return cost.seconds
            case Objective.GAS:
                return cost.gas
            case Objective.MEMORY:
                return cost.peak_bytes
            case Objective.BALANCED:
                return math.prod((cost.seconds, cost.gas, cost.peak_bytes)) ** (1 / 3)

    def rank(self, cost: Cost) -> tuple[float, float]:
        """To sort by: equals are told apart by all costs together."""
        return self.of(cost), Objective.BALANCED.of(cost)


def pareto(choices: Iterable[Choice], axes: Callable[[Choice], Sequence[float]]) -> list[Choice]:
    """Those that no other one beats or equals on every axis while beating it on one.

    axes: figures of which less is better. Of equal ones the first stays; order is kept.
    """
    known = [(choice, tuple(axes(choice))) for choice in choices]
    kept = []
    for index, (choice, figures) in enumerate(known):
        others = [other for at, (_, other) in enumerate(known) if at != index]
        twins = [other for _, other in known[:index] if other == figures]
        if not twins and not any(_beats(other, figures) for other in others):
            kept.append(choice)
    return kept


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


__all__ = ["Cost", "Objective", "pareto"]
