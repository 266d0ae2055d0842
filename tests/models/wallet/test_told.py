"""What the writers' messages teach the model that takes one call at a time."""

import re
from random import Random

import pytest

from zkagent.models.agents.steps import StepModel
from zkagent.models.catalogue import load_model
from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.encoder import parse_context
from zkagent.models.encoding.vocabulary import EVERY_WORD_UNKNOWN
from zkagent.models.training.training_data import Dataset, Hiding
from zkagent.models.wallet.dataset import build_dataset, common_words
from zkagent.models.wallet.evaluation.dataset import held_out_words
from zkagent.models.wallet.evaluation.instructions import Call, Instruction
from zkagent.models.wallet.played import Outcome, play, tallies, total
from zkagent.models.wallet.states import ACTIONS, PROMPT, REPORT, VIEW, WALLET
from zkagent.models.wallet.text.generator import rendered
from zkagent.models.wallet.text.phrases.clauses import MOVES
from zkagent.models.wallet.text.rows import ADDRESSES, with_addresses
from zkagent.models.wallet.text.usual import usual
from zkagent.models.wallet.text.written import SYMBOLS, Message, understood
from zkagent.models.wallet.told import learned_from, meant

ASK, DECLINE = {"ask"}, {"ask", "decline"}


def first_state(line: str) -> tuple[list[frozenset[int] | None], set[str]]:
    """The slots' candidates, and the names of what is right at first."""
    message = understood(1, line)
    text = with_addresses(message.text)
    parse = parse_context(Context(text.encode(), (), plain_book(SYMBOLS)), (), 0)
    slots, states = meant(message, text, parse)
    return slots, {ACTIONS[action] for action in states[0].allowed}


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("plain | deposit 5 USDC now | D 5 USDC", {"Deploy"}),
        ("plain | send 5.0 dai to {A} | T 5 DAI {A}", {"Transfer"}),
        ("quantity | withdraw all my dai | W all DAI", {"ViewBalance"}),
        ("view | my link? | V LINK", {"ViewBalance"}),
        ("view | what have I got? | V all", {"ViewBalance", "ask"}),
        ("quantity | withdraw half my dai | W half DAI", ASK),
        ("quantity | keep 10, deposit the other dai | D all-10 DAI", ASK),
        ("quantity | deposit five usdc | D 5 USDC", ASK),
        ("quantity | take 10 percent of my DAI out | W 10% DAI", ASK),
        ("elliptical | withdraw 5 dai and send it to {A} | W 5 DAI ; T 5 DAI {A}", ASK),
        ("plain | send 5 dai to bob | T 5 DAI @bob", {"Transfer", "ask"}),
        ("plain | send 5 dai to me | T 5 DAI @me", {"Transfer", "ask"}),
        ("missing | send 5 dai | -", ASK),
        ("protocol | deposit 5 dai into aave | -", DECLINE),
        ("retraction | withdraw 5 dai. no, forget it | -", DECLINE),
    ],
)
def test_what_the_model_cannot_do_as_it_is_told_it_asks_about(line: str, right: set[str]) -> None:
    assert first_state(line)[1] == right


def test_slots_are_what_the_label_names() -> None:
    slots, _ = first_state("plain | to {B}, 7 weth please | T 7 WETH {B}")
    assert slots == [frozenset({2}), frozenset({1}), frozenset({0})]
    slots, _ = first_state("plain | all my weth into the pool | D all WETH")
    assert slots == [frozenset({0}), None, None]


def test_the_whole_balance_is_that_of_the_place_it_leaves() -> None:
    message = understood(1, "plain | lend all my dai | D all DAI")
    parse = parse_context(Context(message.text.encode(), (), plain_book(SYMBOLS)), (), 0)
    _, states = meant(message, message.text, parse)
    assert [(set(each.allowed), each.source) for each in states[:2]] == [
        ({VIEW}, None),
        ({1}, WALLET),
    ]


def test_after_a_view_nothing_moves_that_is_not_to_move() -> None:
    message = understood(1, "condition | if gas is low deposit my dai | -")
    parse = parse_context(Context(message.text.encode(), (), plain_book(SYMBOLS)), (), 0)
    _, states = meant(message, message.text, parse)
    assert all(not each.allowed & {1, 2, 3} for each in states)
    assert any(each.readable and REPORT in each.allowed for each in states)


def built(*lines: str) -> Dataset:
    written = [understood(1, line) for line in lines]
    return build_dataset([], (256, 64), EVERY_WORD_UNKNOWN, Hiding(0, 0), 1, written=written)


def test_prompts_that_the_decoder_asks_about_teach_nothing_but_views() -> None:
    kept = built("plain | deposit 5 USDC | D 5 USDC", "view | usdc and dai? | V USDC ; V DAI")
    also = built(
        "plain | deposit 5 USDC | D 5 USDC",
        "pair | deposit 5 USDC and 6 DAI | D 5 USDC ; D 6 DAI",
        "doubtful | deposit $5 of USDC | -",
        "view | usdc and dai? | V USDC ; V DAI",
    )
    assert len(also.offsets) == len(kept.offsets) == 3
    assert (also.rows == kept.rows).all()
    assert set(kept.source[kept.source >= 0]) == {PROMPT}


def test_messages_that_no_model_sees_are_left_out() -> None:
    long = "plain | deposit 5 USDC" + " x" * 70 + " | D 5 USDC"
    assert len(built(long, "plain | deposit 5 USDC | D 5 USDC").offsets) == 2


def test_words_of_messages_count_with_those_of_samples() -> None:
    written = [Message(1, "plain", text, ()) for text in ("Lend it", "lend all")]
    assert common_words([], 2, written) == [b"lend"]


def test_nothing_is_learned_of_the_last_writers_or_with_a_held_out_word() -> None:
    learned = learned_from()
    assert {message.writer for message in learned} == set(range(1, 62))
    words = {w for message in learned for w in re.findall("[a-z']+", message.text.lower())}
    plain = {word.strip("'").removesuffix("'s") for word in words}
    assert plain & held_out_words() == set()


@pytest.fixture(scope="module")
def wallet() -> StepModel:
    return load_model("wallet")


@pytest.mark.parametrize("mark", ["<S>", "<X>"])
def test_the_shipped_wallet_does_what_is_said_in_usual_ways(wallet: StepModel, mark: str) -> None:
    """Of all ways one in a hundred may be asked about; none may do anything else."""
    rng, rows = Random(3), []
    lines = [line for line in usual() if line.tool in MOVES and mark in line.text]
    for number, line in enumerate(rng.sample(lines, 300)):
        text, _, _ = rendered(line.text, rng)
        rows.append(Instruction(str(number), text, line.tool or "", (Call(line.tool or ""),)))
    found = total("all", tallies(play(wallet, rows)))
    assert (found.wrong_act, found.right >= 297) == (0, True)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("deposit 5 USDC", "Deploy"),
        ("deposit 10 usdc", "Deploy"),
        (f"deposit 5.5 {ADDRESSES['{A}']}", "Deploy"),
        ("deposit all my USDC", "Deploy"),
        ("deposit 5 DAI into the pool", "Deploy"),
        ("withdraw 5 USDC", "Withdraw"),
        ("withdraw 5 usdc to me", "Withdraw"),
        ("withdraw 5 usdc for me", "Withdraw"),
        (f"withdraw 5.5 {ADDRESSES['{A}']}", "Withdraw"),
        ("withdraw all my USDC", "Withdraw"),
        (f"withdraw all {ADDRESSES['{A}']}", "Withdraw"),
        ("withdraw 250.75 USDC from the lending pool to my own wallet", "Withdraw"),
        (f"send 5 DAI to {ADDRESSES['{A}']}", "Transfer"),
        (f"pay 7 usdc to {ADDRESSES['{B}']}", "Transfer"),
    ],
)
def test_the_shipped_wallet_does_what_people_begin_with(
    wallet: StepModel, text: str, action: str
) -> None:
    (played,) = play(wallet, [Instruction("1", text, action, (Call(action),))])
    assert played.outcome is Outcome.RIGHT
