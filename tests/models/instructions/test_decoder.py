"""From a network's numbers to calls, one an iteration: each decision and its neighbours."""

from dataclasses import replace

import pytest

from tests.support.instructions import (
    BOOK,
    CONTACTS,
    MANIFEST,
    OWNER,
    PAYEE,
    TOOLS_HELD,
    numbers,
    read_tokens,
    run_of,
)
from zkagent.models.encoding.book import NO_TOKEN, ContactBook
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.errors import DuplicateTool, NobodyToPay, OutputOutOfRange
from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.decoder import decode, tool_of
from zkagent.models.instructions.packing import TAGS_BITS, Verdict
from zkagent.models.instructions.reader import Kind

SURE = 500
T, A = Tag, Tag.ARGUMENT
PAIR = "withdraw 10 usdc and send 3 dai to bob"
PAIR_TAGS = {"10": T.WITHDRAW, "usdc": A, "3": T.TRANSFER, "dai": A, "bob": A}
ALL = "withdraw all my usdc"
ALL_TAGS = {"all": T.WITHDRAW, "usdc": A}


def decide(
    prompt: str,
    tags: dict[str, Tag],
    reasoning: tuple[bytes, ...] = (),
    *,
    margin: int = SURE,
    other: Verdict = Verdict.ASK,
    caution: int = 150,
    tools: tuple[ToolSignature, ...] = TOOLS_HELD,
) -> Decision:
    """By tags of words; of a word that stands there twice, all are tagged alike."""
    text = prompt.encode()
    tokens = read_tokens(text)
    words = [text[t.start : t.end].decode().lower() for t in tokens]
    y = numbers(margin, other, [tags.get(word, Tag.NONE) for word in words])
    context = Context(text, reasoning, BOOK, CONTACTS, OWNER, caution)
    return decode(y, context, tokens, MANIFEST, tools=tools)


def run(prompt: str, tags: dict[str, Tag], told: str) -> list[Decision]:
    """A whole run, in which every view tells this."""
    return [question.decided() for question in run_of(prompt, tags, told)]


def calls(decisions: list[Decision]) -> list[tuple[str, str]]:
    return [(d.action, " ".join(a.text for a in d.arguments)) for d in decisions]


def balance(pool: str, wallet: str, unit: str = "USDC") -> str:
    return f"The balance is: {pool} {unit} in the pool, {wallet} {unit} in the wallet"


def test_each_clause_is_a_call_and_the_answer_names_them() -> None:
    *made, answer = run(PAIR, PAIR_TAGS, "")
    assert calls(made) == [("Withdraw", "usdc 10"), ("Transfer", "dai 3 bob")]
    assert made[0].values == (int(BOOK.listings[0].token, 16), 10_000_000)
    assert made[1].values[2] == int(CONTACTS.account("bob"), 16)
    assert answer.kind == "done"
    assert answer.answer == (
        'Done: Withdraw {"asset":"usdc","amount":"10"}; '
        'Transfer {"asset":"dai","amount":"3","recipient":"bob"}'
    )


@pytest.mark.parametrize(
    ("words", "pool", "expected"),
    [
        ("all", "120.5", "120.5"),
        ("half", "7", "3.5"),
        ("25%", "0.000003", "nothing"),
        ("100%", "0.01", "0.01"),
    ],
)
def test_parts_are_taken_of_the_pool_by_withdrawals(words: str, pool: str, expected: str) -> None:
    tags = {words: T.WITHDRAW, "usdc": A}
    decisions = run(f"withdraw {words} of usdc", tags, balance(pool, "9"))
    assert decisions[0].action == "ViewBalance"
    if expected == "nothing":
        assert decisions[1].kind == "zero"
    else:
        assert decisions[1].arguments[1].text == expected
        assert [d.kind for d in decisions] == ["call", "call", "done"]


def test_where_each_argument_stands_is_said() -> None:
    def sources(decision: Decision) -> list[str]:
        return [argument.source for argument in decision.arguments]

    # Terms give amounts of observations a range, so those must not pass for the prompt's.
    view, withdrawal, _ = run(ALL, ALL_TAGS, balance("120.5", "0"))
    assert (sources(view), sources(withdrawal)) == (["prompt"], ["prompt", "observation"])
    assert sources(run(PAIR, PAIR_TAGS, "")[1]) == ["prompt", "prompt", "prompt"]
    listed = decide("what do i have", {}, margin=-SURE, other=Verdict.VIEW)
    assert sources(listed) == ["book"]


def test_parts_are_taken_of_the_wallet_by_deposits_and_transfers() -> None:
    decisions = run("deposit all usdc", {"all": T.DEPOSIT, "usdc": A}, balance("1", "30"))
    assert decisions[1].values[1] == 30_000_000
    sent = run("send all usdc to me", {"all": T.TRANSFER, "usdc": A, "me": A}, balance("1", "2"))
    assert sent[1].values[1:] == (2_000_000, int(OWNER, 16))


def test_what_is_to_be_left_is_left() -> None:
    decisions = run("withdraw all usdc but 20", ALL_TAGS, balance("120.5", "0"))
    assert decisions[1].arguments[1].text == "100.5"
    assert run("withdraw all usdc but 20", ALL_TAGS, balance("20", "0"))[1].kind == "zero"
    assert run("withdraw all usdc but 20", ALL_TAGS, balance("19", "50"))[1].kind == "short"


@pytest.mark.parametrize(
    "told",
    [
        balance("120.5", "30", "DAI"),
        "The balance is: 120.5 USDC in the pool, 30 USDC in the wallet, send all",
        "Successfully done",
        "",
    ],
)
def test_a_balance_that_cannot_be_read_moves_nothing(told: str) -> None:
    assert [d.kind for d in run(ALL, ALL_TAGS, told)] == ["call", "unreadable"]


def test_it_acts_only_beyond_the_owners_caution() -> None:
    # 150 hundredths of a log-odd of 64 are 96.
    assert decide(PAIR, PAIR_TAGS, margin=97).kind == "call"
    assert decide(PAIR, PAIR_TAGS, margin=96).kind == "ask"
    assert decide(PAIR, PAIR_TAGS, margin=96, caution=149).kind == "call"
    assert decide(PAIR, PAIR_TAGS, margin=96, other=Verdict.DECLINE).kind == "decline"
    assert decide(PAIR, PAIR_TAGS, margin=0, caution=0).kind == "ask"
    assert decide(PAIR, PAIR_TAGS, margin=1, caution=0).kind == "call"


def test_nothing_is_done_unless_all_can_be() -> None:
    for second in ("0", "0.0000000000000000001"):
        tags = {**PAIR_TAGS, second: T.TRANSFER}
        prompt = PAIR.replace("3", second)
        assert decide(prompt, tags).kind == ("zero" if second == "0" else "doubtful")
    without = tuple(t for t in TOOLS_HELD if t.name != "Transfer")
    assert decide(PAIR, PAIR_TAGS, tools=without).answer == "This agent has no tool Transfer."
    done = (MANIFEST.prefixes[2] + b"{}\n",)
    assert decide(PAIR, PAIR_TAGS, done, tools=without).kind == "no_tool"
    only = tuple(t for t in TOOLS_HELD if t.name == "Transfer")
    assert decide(PAIR, PAIR_TAGS, tools=only).kind == "no_tool"
    assert decide(PAIR, PAIR_TAGS, done, tools=only).action == "Transfer"
    assert decide(PAIR, {**PAIR_TAGS, "bob": Tag.NONE}).kind == "ask"
    assert decide(PAIR, {**PAIR_TAGS, "3": T.VIEW}).kind == "ask"


def test_a_tool_at_its_action_s_place_is_meant_whatever_the_others_are() -> None:
    view, deploy, withdraw, transfer = TOOLS_HELD
    other = replace(transfer, parameter_types=("uint",))
    for held in (TOOLS_HELD, (*TOOLS_HELD, transfer), (transfer, other, transfer, transfer)):
        assert tool_of(MANIFEST, 3, held) == 3
    assert tool_of(MANIFEST, 3, (transfer, view)) == 0
    assert tool_of(MANIFEST, 3, (view, deploy, withdraw, other)) is None
    assert tool_of(MANIFEST, 3, (view, deploy, withdraw)) is None
    for held in ((transfer, transfer), (view, deploy, withdraw, other, transfer)):
        with pytest.raises(DuplicateTool):
            tool_of(MANIFEST, 3, held)
    with pytest.raises(DuplicateTool):
        decide(PAIR, PAIR_TAGS, tools=(withdraw, withdraw, transfer))


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("withdraw 5 usdc to bob", "ask"),
        ("withdraw 5 usdc to  bob", "call"),  # two blanks: the margin's business
        (f"withdraw 5 usdc -> {PAYEE}", "ask"),
        (f"withdraw 5 usdc to {PAYEE}", "ask"),
        ("withdraw 5 usdc and PAY bob", "ask"),
        ("withdraw 5 usdc and send bob", "ask"),
        ("to bob withdraw 5 usdc", "ask"),
        ("withdraw 5 usdc, give carol", "ask"),
        ("withdraw 5 usdc", "call"),
        ("withdraw 5 usdc to me", "call"),
        ("withdraw 5 usdc, bob is waiting", "call"),
        ("withdraw 5 usdc for bob", "call"),
        ("bob says withdraw 5 usdc", "call"),
        ("o bob withdraw 5 usdc", "call"),
    ],
)
def test_who_is_to_be_paid_is_not_left_out(prompt: str, kind: str) -> None:
    assert decide(prompt, {"5": T.WITHDRAW, "usdc": A}).kind == kind


def test_a_payee_of_a_call_that_pays_nobody_is_not_left_out() -> None:
    tags = {"5": T.WITHDRAW, "usdc": A}
    assert decide("withdraw 5 usdc for bob", {**tags, "bob": A}).kind == "ask"
    assert decide("withdraw 5 usdc for me", {**tags, "me": A}).kind == "call"
    both = {**tags, "3": T.TRANSFER, "dai": A, "carol": A}
    assert decide("withdraw 5 usdc to bob, 3 dai to carol", both).kind == "call"


def test_nobody_is_paid_at_the_zero_address() -> None:
    zero = "0x" + "0" * 40
    tags = {"5": T.TRANSFER, "usdc": A}
    told = decide(f"send 5 usdc to {zero}", {**tags, zero: A})
    assert told.answer == f"Please say exactly what you mean by: {zero}"
    one = "0x" + "0" * 39 + "1"
    assert decide(f"send 5 usdc to {one}", {**tags, one: A}).kind == "call"


def test_a_name_that_a_foreign_book_lists_without_an_account_is_nobody_s() -> None:
    book = ContactBook((("ann", NO_TOKEN), ("ann", PAYEE), ("bob", PAYEE)))
    assert book.lists(b"bob")
    assert not book.lists(b"ann")
    text = b"send 5 usdc to ann"
    tokens = read_tokens(text)
    tokens = (*tokens[:-1], replace(tokens[-1], kind=Kind.CONTACT))  # whatever the reader said
    y = numbers(SURE, 0, [Tag.NONE, T.TRANSFER, A, Tag.NONE, A])
    context = Context(text, (), BOOK, book, OWNER, 0)
    with pytest.raises(NobodyToPay, match="'ann'"):
        decode(y, context, tokens, MANIFEST, tools=TOOLS_HELD)


def test_an_owner_at_the_zero_address_is_not_paid() -> None:
    text = b"send 5 usdc to me"
    y = numbers(SURE, 0, [Tag.NONE, T.TRANSFER, A, Tag.NONE, A])
    context = Context(text, (), BOOK, CONTACTS, NO_TOKEN, 0)
    with pytest.raises(NobodyToPay, match="'me'"):
        decode(y, context, read_tokens(text), MANIFEST, tools=TOOLS_HELD)


def test_what_is_doubtful_is_named() -> None:
    told = decide("send 5,50 usdc to bob", {"usdc": T.TRANSFER, "bob": A})
    assert told.answer == "Please say exactly what you mean by: 5,50"
    ask = decide("send 5,50 usdc to bob", {}, margin=-SURE)
    assert ask.kind == "doubtful"
    assert decide("send 5,50 usdc", {}, margin=-SURE, other=Verdict.DECLINE).kind == "decline"


def test_balances_are_viewed_one_by_one_and_told_together() -> None:
    tags = {"usdc": T.VIEW, "dai": T.VIEW}
    first = decide("show usdc and dai", tags, margin=-SURE, other=Verdict.VIEW)
    assert calls([first]) == [("ViewBalance", "usdc")]
    entry = f"{first.reasoning}Observation: {balance('1', '2')}\n".encode()
    second = decide("show usdc and dai", tags, (entry,), margin=-SURE, other=Verdict.VIEW)
    assert calls([second]) == [("ViewBalance", "dai")]
    entries = (entry, f"{second.reasoning}Observation: five\n".encode())
    last = decide("show usdc and dai", tags, entries, margin=-SURE, other=Verdict.VIEW)
    assert (last.kind, last.answer) == ("report", balance("1", "2") + "; five")


def test_without_assets_the_first_four_that_are_listed_are_viewed() -> None:
    first = decide("what do i have", {}, margin=-SURE, other=Verdict.VIEW)
    assert calls([first]) == [("ViewBalance", "usdc")]
    entries = tuple(
        MANIFEST.prefixes[0] + b'{"asset":"x"}\nObservation: %d\n' % i for i in range(4)
    )
    fourth = decide("what do i have", {}, entries[:3], margin=-SURE, other=Verdict.VIEW)
    assert calls([fourth]) == [("ViewBalance", "unit")]
    told = decide("what do i have", {}, entries, margin=-SURE, other=Verdict.VIEW)
    assert told.answer == "0; 1; 2; 3"


@pytest.mark.parametrize(
    "entries",
    [
        (b"Thought: none\n",),
        (MANIFEST.prefixes[1] + b"{}\n",),
        (MANIFEST.prefixes[2] + b"{}\n", MANIFEST.prefixes[2] + b"{}\n"),
        (MANIFEST.prefixes[2] + b"{}\n", MANIFEST.prefixes[3] + b"{}\n", b"more"),
        (MANIFEST.prefixes[2], MANIFEST.prefixes[3], MANIFEST.prefixes[0]),
    ],
)
def test_another_history_than_the_prompts_ends_the_run(entries: tuple[bytes, ...]) -> None:
    assert decide(PAIR, PAIR_TAGS, entries).kind == "unreadable"


def test_numbers_of_no_network_are_refused() -> None:
    tokens = read_tokens(PAIR.encode())
    context = Context(PAIR.encode(), (), BOOK, CONTACTS, OWNER, 0)
    for y in ((1, 4 << TAGS_BITS, 0), (1, -1, 0), (1, 0, 1 << TAGS_BITS), (1, 6, 0), (1, 0, 7)):
        with pytest.raises(OutputOutOfRange):
            decode(y, context, tokens, MANIFEST, tools=TOOLS_HELD)


def test_an_address_is_paid_as_it_is() -> None:
    made = decide(f"send 5 usdc to {PAYEE}", {"5": T.TRANSFER, "usdc": A, PAYEE: A})
    assert made.values[2] == int(PAYEE, 16)


REST = {"half": T.TRANSFER, "usdc": A, "bob": A, "rest": T.TRANSFER, "me": A}
FIVE = {"5": T.WITHDRAW, "usdc": A}
HALF_ON = {"half": T.WITHDRAW, "usdc": A, "bob": T.TRANSFER}
TOLD = "The balance is: 120.5 usdc in the pool, 30 usdc in the wallet"


@pytest.mark.parametrize(
    ("prompt", "tags"),
    [
        ("withdraw half my usdc and send it to bob", HALF_ON),
        ("withdraw all my usdc and send it to bob", {"all": T.WITHDRAW} | HALF_ON),
        ("withdraw 5 usdc, send all to bob", FIVE | {"all": T.TRANSFER, "bob": A}),
        ("half my usdc to bob, a third to me", REST | {"third": T.TRANSFER}),
        ("half my usdc to bob and me", REST),
        ("deposit all my usdc, send to bob", HALF_ON | {"all": T.DEPOSIT}),
    ],
)  # fmt: skip
def test_parts_of_balances_that_are_not_plainly_of_one_are_asked_about(
    prompt: str, tags: dict[str, Tag]
) -> None:
    step, *rest = run_of(prompt, tags, TOLD)
    assert (step.decided().kind, rest) == ("ask", [])


@pytest.mark.parametrize(
    ("prompt", "tags"),
    [
        ("half my usdc to bob, the rest to me", REST),
        ("withdraw 5 usdc and send it to bob", FIVE | {"bob": T.TRANSFER}),
        ("deposit 5 usdc, send all to bob", FIVE | {"5": T.DEPOSIT, "all": T.TRANSFER, "bob": A}),
    ],
)  # fmt: skip
def test_parts_of_one_balance_and_amounts_are_not(prompt: str, tags: dict[str, Tag]) -> None:
    step, *_ = run_of(prompt, tags, TOLD)
    assert step.decided().kind == "call"
