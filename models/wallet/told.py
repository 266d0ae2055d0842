"""From the writers' messages to the states that training reads, beside the older corpus's samples.

The model takes one call at a time, amounts in digits or whole balances, and knows no contacts. What
a message asks for beyond that ("half my DAI", "five", "withdraw 5 and send it on", "to bob") it is
to ask about.
"""

from decimal import Decimal

from zkagent.models.encoding.decoder import SLOT_TYPES
from zkagent.models.encoding.encoder import Parse
from zkagent.models.encoding.manifest import SlotName
from zkagent.models.training.training_data import Target
from zkagent.models.wallet.evaluation.dataset import held_out_words
from zkagent.models.wallet.states import (
    ACTIONS,
    ASK,
    DECLINE,
    VIEW,
    carried_out,
    held_back,
    looked_up,
    state,
)
from zkagent.models.wallet.text.rows import ADDRESSES
from zkagent.models.wallet.text.tagged import ASKED
from zkagent.models.wallet.text.written import APART, Call, Message, messages, without

Slots = list[frozenset[int] | None]
NO_SLOTS: Slots = [None, None, None]


def learned_from() -> list[Message]:
    """The messages of the writers that it learns from, but for those with a word of the held-out
    set."""
    seen = [message for message in messages() if message.writer < APART.start]
    left_out = held_out_words()
    return without(left_out | {f"{word}'s" for word in left_out}, seen)


def only_views(message: Message) -> bool:
    return bool(message.calls) and all(call.action == ACTIONS[VIEW] for call in message.calls)


def meant(message: Message, text: str, parse: Parse) -> tuple[Slots, list[Target]]:
    """For each slot the candidates that are right, and what is right in each state of a run.

    text: the message with addresses. None for a slot that no right call has.
    """
    if only_views(message):
        return _viewed(message.calls, text, parse)
    if len(message.calls) == 1:
        return _called(message.calls[0], text, parse)
    if message.calls or message.kind in ASKED:
        return NO_SLOTS, held_back({ASK})
    return NO_SLOTS, held_back({ASK, DECLINE})


def _viewed(calls: tuple[Call, ...], text: str, parse: Parse) -> tuple[Slots, list[Target]]:
    """One balance at a time: asked for several or for all, it may ask which."""
    if len(calls) == 1 and (asset := _saying("asset", calls[0].asset, text, parse)):
        return [asset, None, None], looked_up()
    return NO_SLOTS, [state({VIEW, ASK})]


def _called(call: Call, text: str, parse: Parse) -> tuple[Slots, list[Target]]:
    tool, pays = ACTIONS.index(call.action), bool(call.recipient)
    asset = _saying("asset", call.asset, text, parse)
    paid = ADDRESSES.get(call.recipient, "")  # of a contact none
    payee = _saying("recipient", paid, text, parse) if pays else None
    if not asset or (pays and not payee):
        return [asset, None, payee], held_back({ASK, tool})  # of which an argument is missing
    if call.amount == "all":
        return [asset, None, payee], carried_out(call.action, everything=True)
    amount = frozenset[int]() if call.is_part else _saying("amount", call.amount, text, parse)
    if not amount:
        return NO_SLOTS, held_back({ASK})
    return [asset, amount, payee], carried_out(call.action, everything=False)


def _saying(slot: SlotName, value: str, text: str, parse: Parse) -> frozenset[int]:
    """The candidates that say it."""
    found = (
        (place, text[token.start : token.end])
        for place, token in enumerate(parse.candidates)
        if token.type in SLOT_TYPES[slot]
    )
    if slot == "amount":
        return frozenset(place for place, said in found if Decimal(said) == Decimal(value))
    return frozenset(place for place, said in found if said.lower() == value.lower())


__all__ = ["learned_from", "meant", "only_views"]
