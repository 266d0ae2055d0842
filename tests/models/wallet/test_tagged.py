"""What the writers' labels become for a network: tags from which the rules make the same calls."""

from fractions import Fraction

import pytest

from zkagent.models.instructions.calls import Slot, Tag, planned_calls
from zkagent.models.instructions.packing import Verdict
from zkagent.models.instructions.reader import Kind
from zkagent.models.wallet.text.tagged import Tagged, contacts_of, tagged, verdict_of
from zkagent.models.wallet.text.written import Message, messages, understood

WRITER = 1


def of(line: str) -> Tagged | None:
    (found,) = tagged([understood(WRITER, line)])
    return found


def tags_of(line: str) -> list[tuple[str, Tag]]:
    """The words with a tag."""
    found = of(line)
    assert found is not None
    return [
        (found.text[token.start : token.end].decode(), tag)
        for token, tag in zip(found.tokens, found.tags, strict=True)
        if tag is not Tag.NONE
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "plain | abeg put 40 dai inside the pool | D 40 DAI",
            [("40", Tag.DEPOSIT), ("dai", Tag.ARGUMENT)],
        ),
        (
            "elliptical | 5 DAI to tunde and 3 to amaka | T 5 DAI @tunde ; T 3 DAI @amaka",
            [("5", Tag.TRANSFER), ("DAI", Tag.ARGUMENT), ("tunde", Tag.ARGUMENT),
             ("3", Tag.TRANSFER), ("amaka", Tag.ARGUMENT)],
        ),
        (
            "corrected | send 5, no wait, 6 DAI to amaka | T 6 DAI @amaka",
            [("6", Tag.TRANSFER), ("DAI", Tag.ARGUMENT), ("amaka", Tag.ARGUMENT)],
        ),
        (
            "corrected | send 6 DAI, I mean 6 DAI, to amaka | T 6 DAI @amaka",
            [("6", Tag.TRANSFER), ("DAI", Tag.ARGUMENT), ("amaka", Tag.ARGUMENT)],
        ),
        (
            "pair | withdraw 5 USDC and send it to me | W 5 USDC ; T 5 USDC @me",
            [("5", Tag.WITHDRAW), ("USDC", Tag.ARGUMENT), ("me", Tag.TRANSFER)],
        ),
        # What each part is a part of is asked, whatever the label says.
        ("pair | withdraw half my USDC and send it to me | W half USDC ; T half USDC @me", []),
        ("view | balance of DAI? | V DAI", [("DAI", Tag.VIEW)]),
        ("view | what have I got | V all", []),
        (
            "pair | what is my USDC balance, and deposit 5 DAI | V USDC ; D 5 DAI",
            [("5", Tag.DEPOSIT), ("DAI", Tag.ARGUMENT)],
        ),
        ("question | can I withdraw 5 DAI | -", []),
    ],
)  # fmt: skip
def test_each_call_is_tagged_where_its_words_are(
    line: str, expected: list[tuple[str, Tag]]
) -> None:
    assert tags_of(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("plain | put 4 dai in the pool | D 4 DAI", Verdict.ACT),
        ("pair | draw half my DAI, send it to me | W half DAI ; T half DAI @me", Verdict.ASK),
        ("pair | draw all my DAI, send it to me | W all DAI ; T all DAI @me", Verdict.ASK),
        ("pair | half my DAI in, half my USDC in | D half DAI ; D 50% USDC", Verdict.ASK),
        ("pair | draw 5 DAI, send it to me | W 5 DAI ; T 5 DAI @me", Verdict.ACT),
        ("pair | half my DAI in, the rest to me | D half DAI ; T rest DAI @me", Verdict.ACT),
        ("pair | half my DAI out, 5 LINK to me | W half DAI ; T 5 LINK @me", Verdict.ACT),
        ("view | balance of DAI? | V DAI", Verdict.VIEW),
        ("view | balances | V all", Verdict.VIEW),
        ("missing | send 5 DAI | -", Verdict.ASK),
        ("doubtful | send about 5 DAI to amaka | -", Verdict.ASK),
        ("smalltalk | hi | -", Verdict.HELP),
        ("negation | do not send 5 DAI to amaka | -", Verdict.DECLINE),
        ("twin | amaka puts 4 dai in the pool | -", Verdict.DECLINE),
    ],
)
def test_verdicts_go_by_calls_and_else_by_kind(line: str, expected: Verdict) -> None:
    found = of(line)
    assert found is not None
    assert found.verdict is expected


@pytest.mark.parametrize(
    "line",
    [
        "plain | pay amaka her due in dai | T 5 DAI @amaka",  # no token says 5
        "pair | send amaka 5 and tunde 6 | T 5 DAI @amaka ; T 6 DAI @tunde",
        "plain | " + "la " * 40 + "put 4 dai in the pool | D 4 DAI",  # too long to be read
    ],
)
def test_what_no_tags_say_is_left_out(line: str) -> None:
    assert of(line) is None


def test_contacts_are_those_whom_a_writer_pays() -> None:
    assert {b"amaka", b"tunde"} <= contacts_of(WRITER)
    assert b"me" not in contacts_of(WRITER)
    found = of("story | amaka and renate like tunde | -")
    assert found is not None
    kinds = [token.kind for token in found.tokens]
    assert kinds == [Kind.CONTACT, Kind.WORD, Kind.WORD, Kind.WORD, Kind.CONTACT]


def amount(found: Tagged, place: int) -> Fraction:
    quantity = found.tokens[place].quantity
    assert quantity is not None
    return Fraction(quantity.digits, quantity.share or 10**quantity.places)


def test_the_rules_make_the_labels_calls_of_the_tags_again() -> None:
    """Of every writer's tenth message: as many calls, and of plain numbers the same amounts."""
    acting = [m for m in messages()[::10] if verdict_is_act(m)]
    found = [(m, t) for m, t in zip(acting, tagged(acting), strict=True) if t is not None]
    assert len(found) > 0.9 * len(acting)
    compared = 0
    for message, each in found:
        calls = [call for call in message.calls if call.action != "ViewBalance"]
        made = planned_calls(each.tokens, each.tags)
        assert len(made) == len(calls)
        for call, plan in zip(calls, made, strict=True):
            if call.amount.replace(".", "").isdigit():
                assert amount(each, plan.filled[Slot.AMOUNT]) == Fraction(call.amount)
                compared += 1
    assert compared > len(found)


def verdict_is_act(message: Message) -> bool:
    return verdict_of(message) is Verdict.ACT
