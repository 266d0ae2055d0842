"""Whether a model gives a tool each argument in the place where the tool takes it.

A call is shown by what each argument is for, its slot, and carried out by its place. The contracts
compare types alone, so that two addresses change places unseen. A manifest's names for arguments
cannot say another slot than theirs (`models/encoding/manifest.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from zkagent.models.catalogue import Model
from zkagent.models.encoding.manifest import SLOTS, Action

#: Of each tool of the wallet, what the function behind it takes, in its order.
WALLET: Mapping[str, tuple[str, ...]] = {
    "ViewBalance": ("asset",),
    "Deploy": ("asset", "amount"),
    "Withdraw": ("asset", "amount"),
    "Transfer": ("asset", "amount", "recipient"),
}


@dataclass(frozen=True, slots=True)
class Swapped:
    """A tool whose arguments a model gives in another order than it takes them."""

    name: str
    given: str
    taken: str


def swapped_arguments(model: Model, tools: Iterable[tuple[str, Sequence[str]]]) -> Swapped | None:
    """The first of these tools, each a name and what it takes in its order, that this model calls
    otherwise."""
    actions = {action.name: action for action in model.manifest.actions}
    for name, taken in tools:
        if (action := actions.get(name)) and len(action.parameters) == len(taken):
            given = [each.slot for each in action.parameters]
            if any(map(_differs, given, taken)) or _elsewhere(action, taken):
                return Swapped(name, ", ".join(given), ", ".join(taken))
    return None


def _named(action: Action) -> list[str]:
    return [each.name for each in action.parameters]


def _differs(slot: str, taken: str) -> bool:
    """A place that is called as a slot is for that slot."""
    return taken in SLOTS and slot != taken


def _elsewhere(action: Action, taken: Sequence[str]) -> bool:
    """Whether a name that both have has another place."""
    names = _named(action)
    return any(each in names and names.index(each) != at for at, each in enumerate(taken))


__all__ = ["WALLET", "Swapped", "swapped_arguments"]
