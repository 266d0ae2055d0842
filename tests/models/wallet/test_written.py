"""The messages that many writers wrote: every line can be read, and no two are the same."""

import re
from collections import Counter

import pytest

from zkagent.models.wallet.text import written
from zkagent.models.wallet.text.written import Call, key_of, messages, understood


def test_every_line_of_every_writer_is_understood_and_another_one() -> None:
    found = messages()
    twice = [key for key, count in Counter(key_of(m.text) for m in found).items() if count > 1]
    assert twice == []
    assert len({message.writer for message in found}) == len(list(written.FOLDER.glob("*.txt")))


def test_a_third_and_more_of_the_messages_must_move_nothing() -> None:
    found = messages()
    still = sum(not message.calls for message in found)
    assert len(found) / 3 < still < len(found) * 2 / 3


def test_the_readme_has_each_writer_with_as_many_messages_as_there_are() -> None:
    table = re.findall(
        r"^\| (\d+) \| [^|]+ \| ([\d,]+) \|$", (written.FOLDER / "README.md").read_text(), re.M
    )
    assert {int(n): int(count.replace(",", "")) for n, count in table} == Counter(
        message.writer for message in messages()
    )


@pytest.mark.parametrize(
    ("label", "calls"),
    [
        ("-", ()),
        ("V all", (Call("ViewBalance", "all"),)),
        ("W 2.5 DAI", (Call("Withdraw", "DAI", "2.5"),)),
        ("D all-10 USDC", (Call("Deploy", "USDC", "all-10"),)),
        (
            "W 1/3 WETH ; T rest WETH {A} ; T 50% LINK @bob",
            (
                Call("Withdraw", "WETH", "1/3"),
                Call("Transfer", "WETH", "rest", "{A}"),
                Call("Transfer", "LINK", "50%", "@bob"),
            ),
        ),
        ("T 1 DAI @me", (Call("Transfer", "DAI", "1", "@me"),)),
    ],
)
def test_labels_are_calls_in_order(label: str, calls: tuple[Call, ...]) -> None:
    assert understood(7, f"pair | for Bob, and {{A}} | {label}").calls == calls


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("plain | send | 5 | -", "is not KIND"),
        ("plain | send 5", "is not KIND"),
        ("Plain | send 5 | -", "is not a kind"),
        ("plain |  | -", "printable"),
        (f"plain | {'x' * 301} | -", "printable"),
        ("plain | to {E} | -", "{E} stands for no address"),
        ("plain | to bob | D 5 PEPE", "is not a call"),
        ("plain | to bob | D -5 DAI", "is not a call"),
        ("plain | to bob | D 1/0 DAI", "is not a call"),
        ("plain | to bob | D 5 DAI;W 5 DAI", "is not a call"),
        ("plain | to bob | D 5 DAI @bob", "transfers have a payee"),
        ("plain | to bob | T 5 DAI", "transfers have a payee"),
        ("plain | to bobby | T 5 DAI @bob", "@bob is not in the message"),
        ("plain | to {A} | T 5 DAI {B}", "{B} is not in the message"),
        ("plain | all | V all ; V all ; V all ; V all ; V all", "5 calls"),
    ],
)
def test_lines_that_break_the_format_are_refused(line: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        understood(7, line)
