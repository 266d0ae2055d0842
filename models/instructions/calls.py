"""From a network's tags to the calls that a prompt asks for, by rules. Mirrored by
`instructions/Calls.sol`.

A tag at an amount, an asset or a payee begins a call, or adds to the one that was begun before it.
What a call lacks it borrows: of the nearest call of its own action, an earlier one first ("5 DAI to
A and 3 to B", "20 each to A and B"); if none has it, of the nearest other ("withdraw 10 USDC and
send it to A"). So no call mixes the words of two others where one of its own kind has what it
lacks.

What a prompt says and no call takes keeps clauses apart. A call does not reach over an amount, an
asset or a payee when it has one of that slot already (3 DAI to B in "3 DAI to A, 4 DAI to B"),
nor does it borrow what is said where it stands itself. Corrections go the other way: what is said
later is taken. The owner's "me" and what all but an amount leaves out are not passed over so.

Whatever does not come out whole is no call at all: all or nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from zkagent.models.instructions.reader import AMOUNTS, PAYEES, Kind, Token

MOST_CALLS = 4


class Tag(IntEnum):
    """Of a token: no part of a call, a part of the one before, or the first of another."""

    NONE = 0
    ARGUMENT = 1
    DEPOSIT = 2
    WITHDRAW = 3
    TRANSFER = 4
    VIEW = 5


class Slot(IntEnum):
    """What a token fills."""

    AMOUNT = 0
    ASSET = 1
    PAYEE = 2


#: What a call of each action needs.
NEEDED: dict[Tag, tuple[Slot, ...]] = {
    Tag.DEPOSIT: (Slot.AMOUNT, Slot.ASSET),
    Tag.WITHDRAW: (Slot.AMOUNT, Slot.ASSET),
    Tag.TRANSFER: (Slot.AMOUNT, Slot.ASSET, Slot.PAYEE),
    Tag.VIEW: (Slot.ASSET,),
}


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """action: DEPOSIT and on. filled: by slot, the place of the token in the prompt's tokens; of
    the slots that the action needs, and no others."""

    action: Tag
    filled: dict[Slot, int]


def slot_of(token: Token) -> Slot | None:
    """What it can fill; None for words, marks and amounts in doubt."""
    if token.kind in AMOUNTS:
        return Slot.AMOUNT
    if token.kind is Kind.SYMBOL:
        return Slot.ASSET
    return Slot.PAYEE if token.kind in PAYEES else None


def planned_calls(tokens: Sequence[Token], tags: Sequence[int]) -> tuple[PlannedCall, ...]:
    """The calls in order, four at most; none where the tags do not come to whole calls. tags: one
    of `Tag` for each token; those of tokens that fill nothing do not count."""
    own = _own(tokens, tags)
    if own is None or len(own) > MOST_CALLS or _mixes_clauses(tokens, tags, own):
        return ()
    calls = []
    for at, (action, _) in enumerate(own):
        filled = {slot: _found(own, at, slot) for slot in NEEDED[action]}
        whole = {slot: place for slot, place in filled.items() if place is not None}
        if len(whole) < len(filled):
            return ()
        calls.append(PlannedCall(action, whole))
    return tuple(calls)


_Own = list[tuple[Tag, dict[Slot, int]]]


def _own(tokens: Sequence[Token], tags: Sequence[int]) -> _Own | None:
    """Each call with what is tagged as its own; None where a part belongs to nothing, or a slot
    would be filled twice."""
    found: _Own = []
    for place, (token, tag) in enumerate(zip(tokens, map(Tag, tags), strict=True)):
        slot = slot_of(token)
        if slot is None or tag is Tag.NONE:
            continue
        if tag is not Tag.ARGUMENT:
            found.append((tag, {}))
        if not found or slot in found[-1][1]:
            return None
        found[-1][1][slot] = place
    return found


def _mixes_clauses(tokens: Sequence[Token], tags: Sequence[int], own: _Own) -> bool:
    untaken = [
        (place, slot)
        for place, (token, tag) in enumerate(zip(tokens, tags, strict=True))
        if tag == Tag.NONE and (slot := slot_of(token)) is not None and token.kind is not Kind.OWNER
    ]
    around = [-1, *(place for _, filled in own for place in _ends(filled)), len(tokens)]
    return any(
        _reaches_over(tokens, filled, place, slot)
        or (
            slot in NEEDED[action]
            and slot not in filled
            and around[2 * at] < place < around[2 * at + 3]
        )
        for at, (action, filled) in enumerate(own)
        for place, slot in untaken
    )


def _reaches_over(tokens: Sequence[Token], filled: dict[Slot, int], place: int, slot: Slot) -> bool:
    first, last = _ends(filled)
    if not first < place < last or filled.get(slot, place) >= place:
        return False
    quantity = tokens[filled[slot]].quantity
    return quantity is None or not quantity.but


def _ends(filled: dict[Slot, int]) -> tuple[int, int]:
    """The places of its first and its last token."""
    return min(filled.values()), max(filled.values())


def _found(own: _Own, at: int, slot: Slot) -> int | None:
    """What fills a slot of the call at `at`; None where no call has it."""
    if slot in own[at][1]:
        return own[at][1][slot]
    return next((own[i][1][slot] for i in _lenders(own, at) if slot in own[i][1]), None)


def _lenders(own: _Own, at: int) -> Iterator[int]:
    """The other calls: those of the same action first, earlier ones first, near ones first."""
    near = [*range(at - 1, -1, -1), *range(at + 1, len(own))]
    action = own[at][0]
    yield from (i for i in near if own[i][0] is action)
    yield from (i for i in near if own[i][0] is not action)


__all__ = ["MOST_CALLS", "NEEDED", "PlannedCall", "Slot", "Tag", "planned_calls", "slot_of"]
