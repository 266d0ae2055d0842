"""Which drafts are worth measuring: a few for the objective, one for each of the others."""

from collections.abc import Iterable, Sequence

from zkagent.circuits.halo2.tuning.candidates import Draft
from zkagent.circuits.halo2.tuning.objectives import Objective
from zkagent.circuits.support.memory import Budget

FAVOURITES = 3
ALIKE = 0.02  # drafts whose seconds, gas and memory differ less than this are one


def ranked(drafts: Iterable[Draft], objective: Objective) -> list[Draft]:
    """Best first; of equally cheap ones the finer, whose numbers are nearer to the network's."""
    return sorted(
        drafts,
        key=lambda d: (objective.rank(d.predicted), -d.precision.fraction_bits),
    )


def favourites(drafts: Sequence[Draft], objective: Objective) -> list[Draft]:
    """The FAVOURITES best ones for the objective and the best one for each other, no two alike."""
    chosen: list[Draft] = []
    for each in ranked(drafts, objective):
        if len(chosen) < FAVOURITES:
            _add(chosen, each)
    for other in Objective:
        if other is not objective:
            _add(chosen, ranked(drafts, other)[0])
    return chosen


def fitting(drafts: Iterable[Draft], budget: Budget) -> list[Draft]:
    """Those whose predicted memory is within the budget."""
    return [draft for draft in drafts if draft.predicted.peak_bytes <= budget.size]


def _add(chosen: list[Draft], draft: Draft) -> None:
    if not any(_alike(draft, other) for other in chosen):
        chosen.append(draft)


def _alike(one: Draft, other: Draft) -> bool:
    a, b = one.predicted, other.predicted
    pairs = ((a.seconds, b.seconds), (a.gas, b.gas), (a.peak_bytes, b.peak_bytes))
    return all(abs(x - y) <= ALIKE * max(x, y) for x, y in pairs)


__all__ = ["favourites", "fitting", "ranked"]
