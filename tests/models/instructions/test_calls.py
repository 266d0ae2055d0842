"""Tags to calls: each clause's own words, borrowed ones by rule, all or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkagent.models.instructions.calls import (
    MOST_CALLS,
    NEEDED,
    PlannedCall,
    Tag,
    planned_calls,
    slot_of,
)
from zkagent.models.instructions.reader import Names, Token, read

NAMES = Names(
    is_symbol=lambda word: word in {b"usdc", b"dai"},
    is_contact=lambda word: word in {b"ann", b"bob", b"cy"},
    is_token=lambda address: False,
)
TAGS = {"-": Tag.NONE, "a": Tag.ARGUMENT, "D": Tag.DEPOSIT, "W": Tag.WITHDRAW, "T": Tag.TRANSFER}
TAGS |= {"V": Tag.VIEW}


def tokens(text: str) -> tuple[Token, ...]:
    return read(text.encode(), NAMES)


def told(text: str, tags: str) -> str:
    """``T 5 usdc bob; W 3 dai``. tags: a letter for each token that can fill something."""
    found, letters = tokens(text), iter(tags)
    given = [TAGS[next(letters)] if slot_of(t) is not None else Tag.TRANSFER for t in found]
    assert next(letters, None) is None
    calls = planned_calls(found, given)
    words = (
        [
            text[found[call.filled[slot]].start : found[call.filled[slot]].end]
            for slot in call.filled
        ]
        for call in calls
    )
    return "; ".join(
        " ".join((call.action.name[0], *each)) for call, each in zip(calls, words, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "tags", "calls"),
    [
        ("send 5 usdc to bob", "Taa", "T 5 usdc bob"),
        ("bob gets 5 usdc", "Taa", "T 5 usdc bob"),
        ("at 9, deposit 5 dai", "-Da", "D 5 dai"),
        ("balance of usdc and dai", "VV", "V usdc; V dai"),
        ("5 dai to ann and 3 to bob", "TaaTa", "T 5 dai ann; T 3 dai bob"),
        ("deposit 5 usdc and 5 dai", "DaDa", "D 5 usdc; D 5 dai"),
        ("withdraw 10 usdc and send it to ann", "WaT", "W 10 usdc; T 10 usdc ann"),
        ("20 dai each to ann and bob", "TaaT", "T 20 dai ann; T 20 dai bob"),
        ("ann, bob and cy get 20 dai", "TTTaa", "T 20 dai ann; T 20 dai bob; T 20 dai cy"),
        (
            "withdraw 60 usdc and give ann and bob 20 dai each",
            "WaTTaa",
            "W 60 usdc; T 20 dai ann; T 20 dai bob",
        ),
        ("deposit 5, no wait, 6 dai", "-Da", "D 6 dai"),
        ("half my dai to ann, the rest to bob", "TaaTa", "T half dai ann; T rest dai bob"),
    ],
)
def test_each_clause_has_its_own_words_and_borrows_by_rule(
    text: str, tags: str, calls: str
) -> None:
    assert told(text, tags) == calls


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("send 3 dai to ann, then 4 dai to bob", "Ta---a"),  # 3 dai to bob, over ann
        ("send 3 dai to ann, then 4 dai to bob", "-T-a-a"),  # dai, 4, bob over ann and dai
        ("send 3 dai to ann, then 4 dai to bob", "TaaT--"),  # 4 dai to ann, over bob
        ("send 3 dai to ann, then 4 dai to bob", "T-a-a-"),  # 3 dai to ann of two clauses
        ("send 3 dai to ann, then 4 dai to bob", "Taa--T"),  # 3 dai to bob, over 4 dai
        ("deposit 5 usdc and send 3 dai to ann", "Ta--a"),
        ("withdraw 10 usdc, 5 to bob", "Ta-a"),
        ("pay ann 15 usdc and bob 16", "TaaT-"),
        ("send 5 usdc to ann, hm, bob", "Taaa"),
    ],
)
def test_what_no_call_takes_keeps_clauses_apart(text: str, tags: str) -> None:
    assert told(text, tags) == ""


@pytest.mark.parametrize(
    ("text", "tags", "calls"),
    [
        ("send 5 usdc to ann, no, to bob", "Ta-a", "T 5 usdc bob"),  # what is said later is taken
        ("send 5, no, 6 usdc, no, dai, to ann", "-T-aa", "T 6 dai ann"),
        ("deposit all but 10 of my dai", "D-a", "D all dai"),
        ("take 20 out for me, dai that is", "W-a", "W 20 dai"),
        ("deposit 5 dai, 7 is my number", "Da-", "D 5 dai"),  # behind a call, nobody reaches over
        ("7 is my number, deposit 5 dai", "-Da", "D 5 dai"),
        ("send 3 dai to ann, then 4 to bob", "TaaTa", "T 3 dai ann; T 4 dai bob"),
    ],
)
def test_corrections_and_words_aside_do_not(text: str, tags: str, calls: str) -> None:
    assert told(text, tags) == calls


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("send 5 usdc to bob", "---"),
        ("send 5 usdc to bob", "aaa"),  # parts of nothing
        ("send 5 usdc to bob", "-Ta"),  # no amount anywhere
        ("send 5 usdc", "Ta"),  # no payee anywhere
        ("send 5 6.5 usdc to bob", "Ta"),  # two numbers side by side are in doubt
        ("send 5, 6 usdc to bob", "Taaa"),  # two amounts of one call
        ("send 5 usdc dai to bob", "Taaa"),
        ("send 5 usdc to ann bob", "Taaa"),
        ("1 usdc, 2 usdc, 3 usdc, 4 usdc, 5 usdc", "DaDaDaDaDa"),  # five
    ],
)
def test_what_does_not_come_out_whole_is_no_call(text: str, tags: str) -> None:
    assert told(text, tags) == ""


@given(st.lists(st.sampled_from("5 7 usdc dai ann bob word ,".split()), max_size=12), st.data())
def test_a_slot_is_filled_by_what_can_fill_it_and_a_call_is_whole_or_none_is(
    words: list[str], data: st.DataObject
) -> None:
    found = tokens(" , ".join(["go", *words]))
    tags = data.draw(st.lists(st.sampled_from(Tag), min_size=len(found), max_size=len(found)))
    calls = planned_calls(found, tags)
    assert len(calls) <= MOST_CALLS
    begins = [
        tag
        for tag, token in zip(tags, found, strict=True)
        if slot_of(token) is not None and tag > Tag.ARGUMENT
    ]
    assert [call.action for call in calls] in ([], begins)
    for call in calls:
        assert isinstance(call, PlannedCall)
        assert tuple(call.filled) == NEEDED[call.action]
        for slot, place in call.filled.items():
            assert slot_of(found[place]) is slot
            assert tags[place] is not Tag.NONE


@given(st.permutations("DWTV"))
def test_what_a_clause_says_itself_is_never_borrowed(actions: list[str]) -> None:
    """Clauses that lack nothing keep to themselves, whatever stands around them."""
    parts = {"D": "5 dai", "W": "6 usdc", "T": "7 dai ann", "V": "usdc"}
    tags = {"D": "Da", "W": "Wa", "T": "Taa", "V": "V"}
    text = ", ".join(parts[a] for a in actions)
    calls = told(text, "".join(tags[a] for a in actions)).split("; ")
    assert calls == [f"{a} {parts[a]}" for a in actions]
