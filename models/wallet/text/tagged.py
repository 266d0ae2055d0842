"""The writers' messages as a network is to read them: tokens, a verdict, and a tag for each token.

A label names calls, not words, so the words that say them are looked for: tags from which
`instructions/calls.py` makes those calls and no others. Messages without such tags are left out of
training.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import islice, product

from zkagent.models.errors import RefusedText
from zkagent.models.instructions.calls import NEEDED, Slot, Tag, planned_calls, slot_of
from zkagent.models.instructions.packing import Verdict
from zkagent.models.instructions.quantities import Quantity
from zkagent.models.instructions.reader import Kind, Names, Token, read
from zkagent.models.wallet.text.rows import ADDRESSES
from zkagent.models.wallet.text.written import SYMBOLS, Call, Message, messages, mixes_balances

#: Ways to tag one message that are tried at most.
MOST_WAYS = 4000
#: Tokens that could fill one slot of one call, and are tried.
MOST_PLACES = 4


#: Kinds of which something is missing or doubtful; others that move nothing are declined.
ASKED = frozenset({"missing", "doubtful", "partly", "alternative"})
HELPED = frozenset({"smalltalk"})

_ACTIONS = {
    "ViewBalance": Tag.VIEW,
    "Deploy": Tag.DEPOSIT,
    "Withdraw": Tag.WITHDRAW,
    "Transfer": Tag.TRANSFER,
}
_PARTS = {"all": Fraction(1), "rest": Fraction(1), "half": Fraction(1, 2)}


@dataclass(frozen=True, slots=True)
class Tagged:
    """A message as it is read. text: what the tokens' places are bytes of. tags: one each."""

    message: Message
    text: bytes
    tokens: tuple[Token, ...]
    verdict: Verdict
    tags: tuple[Tag, ...]


def tagged(written: Sequence[Message]) -> Iterator[Tagged | None]:
    """One for each message; None for one that is refused, or whose calls no tags come to."""
    contacts = {number: contacts_of(number) for number in {m.writer for m in written}}
    return (_tagged(message, contacts[message.writer]) for message in written)


@cache
def contacts_of(writer: int) -> frozenset[bytes]:
    """Whom a writer pays by name: in the contact book of that writer's wallet."""
    calls = (call for m in messages() if m.writer == writer for call in m.calls)
    names = {call.recipient[1:].encode() for call in calls if call.recipient.startswith("@")}
    return frozenset(names - {b"me"})


def names_of(contacts: frozenset[bytes]) -> Names:
    symbols = {symbol.lower().encode() for symbol in SYMBOLS}
    return Names(symbols.__contains__, contacts.__contains__, lambda address: False)


def _tagged(message: Message, contacts: frozenset[bytes]) -> Tagged | None:
    text = with_addresses(message.text)
    try:
        tokens = read(text.encode(), names_of(contacts))
    except RefusedText:
        return None
    verdict = verdict_of(message)
    calls = () if mixes_balances(message.calls) else message.calls
    tags = _tags(text.encode(), tokens, calls)
    return Tagged(message, text.encode(), tokens, verdict, tags) if tags is not None else None


def with_addresses(text: str) -> str:
    """In the place of the letters that stand for them."""
    for mark, address in ADDRESSES.items():
        text = text.replace(mark, address)
    return text


def verdict_of(message: Message) -> Verdict:
    if mixes_balances(message.calls):
        return Verdict.ASK
    if any(call.action != "ViewBalance" for call in message.calls):
        return Verdict.ACT
    if message.calls:
        return Verdict.VIEW
    if message.kind in HELPED:
        return Verdict.HELP
    return Verdict.ASK if message.kind in ASKED else Verdict.DECLINE


def _tags(
    text: bytes, tokens: tuple[Token, ...], calls: tuple[Call, ...]
) -> tuple[Tag, ...] | None:
    """The first tags that come to these calls, those with the most of their own first."""
    wanted = [_wanted(call) for call in calls if call.asset != "all"]
    if len({tag is Tag.VIEW for tag, _ in wanted}) == 2:
        wanted = [each for each in wanted if each[0] is not Tag.VIEW]
    said = [_said(text, token) for token in tokens]
    if not wanted:
        return (Tag.NONE,) * len(tokens)
    choices = [_places(said, tag, values) for tag, values in wanted]
    ways = [list(_own(each)) for each in choices]
    for way in islice(_ordered(ways), MOST_WAYS):
        tags = [Tag.NONE] * len(tokens)
        for (tag, _), places in zip(wanted, way, strict=True):
            first, *rest = sorted(places)
            tags[first] = tag
            for place in rest:
                tags[place] = Tag.ARGUMENT
        if _comes_to(tokens, said, tags, wanted):
            return tuple(tags)
    return None


_Value = tuple[str, object]
_Wanted = tuple[Tag, dict[Slot, _Value]]


def _wanted(call: Call) -> _Wanted:
    values: dict[Slot, _Value] = {Slot.ASSET: ("asset", call.asset.lower())}
    if call.amount:
        values[Slot.AMOUNT] = _labelled(call.amount)
    if call.recipient:
        paid = ADDRESSES.get(call.recipient, call.recipient.removeprefix("@"))
        values[Slot.PAYEE] = ("payee", paid.lower())
    return _ACTIONS[call.action], values


def _labelled(amount: str) -> _Value:
    if amount in _PARTS:
        return "share", _PARTS[amount]
    if amount.startswith("all-"):
        return "but", Fraction(amount.removeprefix("all-"))
    if amount.endswith("%"):
        return "share", Fraction(amount[:-1]) / 100
    return "share" if "/" in amount else "exact", Fraction(amount)


def _said(text: bytes, token: Token) -> _Value | None:
    """What a token says, as labels say it."""
    slot = slot_of(token)
    word = text[token.start : token.end].decode().lower()
    if slot is Slot.AMOUNT:
        return _amount(token.quantity)
    if slot is Slot.ASSET:
        return "asset", word
    if slot is None:
        return None
    return "payee", "me" if token.kind is Kind.OWNER else word


def _amount(quantity: Quantity | None) -> _Value | None:
    if quantity is None:
        return None
    number = Fraction(quantity.digits, 10**quantity.places)
    if quantity.but:
        return "but", number
    if quantity.exact:
        return "exact", number
    return "share", Fraction(quantity.digits, quantity.share)


def _places(
    said: Sequence[_Value | None], tag: Tag, values: dict[Slot, _Value]
) -> list[list[int | None]]:
    """For each slot of a call the tokens that say it, the last ones first, and None: borrowed."""
    found: list[list[int | None]] = []
    for slot in NEEDED[tag]:
        saying = [place for place, value in enumerate(said) if value == values[slot]]
        found.append([*saying[-MOST_PLACES:], None])
    return found


def _own(choices: list[list[int | None]]) -> Iterator[tuple[int, ...]]:
    """Ways to fill one call with tokens of its own, close ones with many tokens first."""
    ways = [tuple(p for p in way if p is not None) for way in product(*choices)]
    filled = [way for way in ways if way and len(set(way)) == len(way)]
    yield from sorted(filled, key=lambda way: (-len(way), max(way) - min(way), -way[0]))


def _ordered(ways: list[list[tuple[int, ...]]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """One way for each call, in order and without overlap, those with the most tokens first."""
    found: list[tuple[tuple[int, ...], ...]] = [()]
    for each in ways:
        found = [
            (*before, way)
            for before in found
            for way in each
            if not before or max(before[-1]) < min(way)
        ][:MOST_WAYS]
    yield from sorted(found, key=lambda way: -sum(map(len, way)))


def _comes_to(
    tokens: Sequence[Token],
    said: Sequence[_Value | None],
    tags: Sequence[Tag],
    wanted: Sequence[_Wanted],
) -> bool:
    made = planned_calls(tokens, tags)
    return len(made) == len(wanted) and all(
        call.action is tag and {slot: said[place] for slot, place in call.filled.items()} == values
        for call, (tag, values) in zip(made, wanted, strict=True)
    )


__all__ = ["Tagged", "contacts_of", "names_of", "tagged", "verdict_of", "with_addresses"]
