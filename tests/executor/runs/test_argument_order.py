"""What a call is shown as is what the tool does with it: by slot and place, whatever the names."""

import itertools
from collections.abc import Sequence

import pytest

from zkagent.executor.runs.argument_order import WALLET, Swapped, swapped_arguments
from zkagent.models.catalogue import Model
from zkagent.models.encoding.manifest import Parameter, SlotName
from zkagent.models.wallet.train import TOOLS

SLOTS: tuple[SlotName, ...] = ("asset", "amount", "recipient")


class Committed:
    """As much of a model as is looked at."""

    def __init__(self, slots: Sequence[SlotName], names: Sequence[str]) -> None:
        self.manifest = self
        parameters = tuple(
            Parameter(name=name, type="uint" if slot == "amount" else "address", slot=slot)
            for name, slot in zip(names, slots, strict=True)
        )
        self.actions = (TOOLS[-1].model_copy(update={"parameters": parameters}),)


def found(slots: Sequence[SlotName], names: Sequence[str], taken: Sequence[str]) -> Swapped | None:
    model: Model = Committed(slots, names)  # type: ignore[assignment]
    return swapped_arguments(model, [("Transfer", taken)])


@pytest.mark.parametrize("slots", list(itertools.permutations(SLOTS)))
@pytest.mark.parametrize("names", [("payee", "sum", "token"), ("x", "y", "z"), None])
def test_a_tool_that_says_what_it_takes_is_given_it_in_that_order_whatever_the_names(
    slots: tuple[SlotName, ...], names: Sequence[str] | None
) -> None:
    swapped = found(slots, names or slots, SLOTS)
    assert (swapped is None) == (slots == SLOTS)
    assert swapped is None or swapped == Swapped(
        "Transfer", ", ".join(slots), "asset, amount, recipient"
    )


@pytest.mark.parametrize("slots", list(itertools.permutations(SLOTS)))
def test_a_tool_that_takes_another_order_is_given_that_one(slots: tuple[SlotName, ...]) -> None:
    assert found(slots, slots, slots) is None
    assert found(slots, ("x", "y", "z"), slots) is None


@pytest.mark.parametrize(
    ("names", "taken", "right"),
    [
        (("token", "sum", "payee"), ("token", "sum", "payee"), True),
        (("token", "sum", "payee"), ("payee", "sum", "token"), False),
        (("token", "sum", "payee"), ("payee", "sum", "coin"), False),
        (("token", "sum", "payee"), ("coin", "units", "to"), True),  # nothing is known
        (("token", "sum", "payee"), ("coin", "units", "asset"), False),
        (("token", "sum", "payee"), ("coin", "units", "recipient"), True),
        (("token", "sum", "payee"), ("recipient", "units", "coin"), False),
    ],
)
def test_a_place_that_either_names_is_the_same_for_both(
    names: Sequence[str], taken: Sequence[str], right: bool
) -> None:
    assert (found(SLOTS, names, taken) is None) == right


def test_the_wallets_own_tools_are_what_its_model_was_made_for() -> None:
    assert {each.name: tuple(p.slot for p in each.parameters) for each in TOOLS} == WALLET
