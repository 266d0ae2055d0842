"""Strangers' text in a line of ours: it cannot look like a line of its own, or push ours away."""

import json
from unicodedata import bidirectional, category

import pytest

from zkagent.errors import MOST_IN_ERROR, MOST_IN_LINE, ZkagentError, in_line, plain
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.story import story
from zkagent.executor.receipts.verdicts import Check

VERDICT = "accepted, and the chain agrees"
PADDED = "transferred" + " " * 300 + VERDICT
#: Blank on a terminal, and printable by Python's word.
FILLERS = "\u115f\u1160\u2800\u3164\uffa0"


@pytest.mark.parametrize("blank", [" ", *FILLERS, "\u00a0", "\u2003", "\t"])
def test_no_run_of_blanks_is_printed(blank: str) -> None:
    shown = in_line("a" + blank * 300 + VERDICT)
    assert blank == " " or blank not in shown
    assert "    " not in shown
    assert blank != " " or shown == f"a [300 blanks] {VERDICT}"


@pytest.mark.parametrize(
    "hidden",
    [
        *("\ufe0f", "\u034f", "\u180b", "\U000e0100", "\U0001d159", "\U00016fe4", "\U00013441"),
        *("\u0336", "\u0338", "\u20d2", "\u20e0", "\u20dd", "\u0489"),
        *("\u05d0", "\u0627", "\u0661", "\u07c0", "\U0001e900", "\U00010800"),
    ],
)
@pytest.mark.parametrize("place", ["{}100 USDC", "1{}00 USDC", "100 USDC{}", "a{}100"])
def test_what_hides_strikes_or_turns_around_is_escaped(hidden: str, place: str) -> None:
    shown = in_line(place.format(hidden))
    assert shown.isascii()
    assert shown == ascii(place.format(hidden))[1:-1]


def test_no_letter_of_no_width_changes_what_a_number_looks_like() -> None:
    """Each that Python would print, after a digit and after a blank."""
    printable = filter(str.isprintable, map(chr, range(0x80, 0x110000)))
    hidden = [
        letter
        for letter in printable
        if category(letter) in ("Mn", "Me") or bidirectional(letter) in ("R", "AL", "AN")
    ]
    assert len(hidden) > 3000
    assert all(plain(f"1{letter}00").isascii() for letter in hidden)
    assert all(plain(f"1 {letter}00").isascii() for letter in hidden)


@pytest.mark.parametrize(
    "text",
    [
        "100 € für Zoë",
        "100 € fu\u0308r Zoe\u0308",
        "१०० रुपये भेजो",
        "ส่ง ๑๐๐ ที่นี่",
        "送 100 给他",
        "↑ 100 🚀",
    ],
)
def test_what_people_write_from_left_to_right_is_shown_as_it_is(text: str) -> None:
    assert plain(text) == text


def test_marks_that_are_heaped_upon_a_letter_are_escaped() -> None:
    assert plain("a" + "\u0301" * 3) == "a" + "\u0301" * 3
    assert plain("a" + "\u0301" * 4).isascii()


def test_single_blanks_and_indents_of_three_stay() -> None:
    assert in_line("5 USDC,   to 0x12") == "5 USDC,   to 0x12"


def test_what_is_cut_says_so_and_the_longest_prompt_is_not_cut() -> None:
    assert in_line("x" * 512) == "x" * 512
    assert in_line("x" * (MOST_IN_LINE + 1234)).endswith("xxx... (1,234 more characters)")
    error = ZkagentError("y" * (MOST_IN_ERROR + 5) + " " * 9)
    assert str(error).endswith("yyy... (17 more characters)")


def test_errors_and_checks_are_lines_in_which_nobody_pads() -> None:
    assert "     " not in str(ZkagentError(PADDED))
    assert "     " not in str(Check("run 1", "is so", PADDED))
    assert len(str(Check("run 1", "is so", "z" * 100_000))) < MOST_IN_LINE + 50


@pytest.mark.parametrize("text", [PADDED, "\u3164" * 300 + VERDICT, "z" * 100_000])
def test_no_text_of_a_receipt_fills_the_screen(receipt: Receipt, text: str) -> None:
    """Each text that its requester may choose, in turn."""
    honest = list(story(receipt))
    for change in (
        lambda run: run.update(prompt=text),
        lambda run: run.update(answer=text),
        lambda run: run["model"].update(name=text),
        lambda run: run["iterations"][0].update(observation=text),
        lambda run: run["iterations"][0]["decision"].update(action=text),
        lambda run: run["iterations"][0]["decision"]["arguments"][0].update(text=text),
    ):
        document = json.loads(receipt.to_json())
        change(document["runs"][0])
        lines = list(story(Receipt.model_validate(document)))
        assert lines != honest
        for line in lines:
            assert len(line) < MOST_IN_LINE + 100
            assert "     " not in line.strip()
            assert not set(FILLERS) & set(line)
            assert not line.strip().startswith(VERDICT)


def test_amounts_and_addresses_are_as_they_were() -> None:
    said = "moves 120.5 USDC (120500000 units of 0x" + "ab" * 20 + ")"
    assert in_line(said) == plain(said) == said
