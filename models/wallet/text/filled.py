"""The lines of corpus/ as messages: each filled once, with what it asks for.

They are by other authors than writers/, and know fewer kinds: one call, a view, something that is
missing, or nothing. Lines whose amounts another rule reads otherwise today are left out.
"""

import random
import re
from collections.abc import Iterator

from zkagent.models.wallet.text import handwritten
from zkagent.models.wallet.text.handwritten import Line
from zkagent.models.wallet.text.written import LONGEST, SYMBOLS, Call, Message

#: The number that stands for all of their authors.
AUTHORS = 0
SEED = 5
AMOUNTS = (
    "5", "12", "7.5", "400", "0.25", "1,200", "33", "90", "2", "18.2", "5k", "60", "1000", "0.5",
)  # fmt: skip
KINDS = {"call": "plain", "view": "view", "ask": "missing", "decline": "talk"}

_DECOY = re.compile(r"<[nsa]>")
_UNSAID = re.compile(r"<X>|\{odd\}|<[^<>]*>")


def filled() -> Iterator[Message]:
    """The same ones each time."""
    rng = random.Random(SEED)
    lines = (*handwritten.instructions(), *handwritten.declined(), *handwritten.chatter())
    for line in lines:
        message = _filled(line, rng)
        if message is not None:
            yield message


def _filled(line: Line, rng: random.Random) -> Message | None:
    symbols, numbers = rng.sample(SYMBOLS, 4), rng.sample(AMOUNTS, 6)
    payees = [f"{{{letter}}}" for letter in rng.sample("ABCD", 4)]
    write = str.upper if rng.random() < 0.5 else str.lower
    amount, symbol, payee = numbers[0], symbols[0], payees[0]
    decoys = {"<n>": numbers[1:], "<s>": [write(each) for each in symbols[1:]], "<a>": payees[1:]}

    def decoy(found: re.Match[str]) -> str:
        left = decoys[found[0]]
        return left.pop(0) if len(left) > 1 else left[0]

    text = line.text.replace("<A>", amount).replace("<S>", write(symbol)).replace("<R>", payee)
    text = _DECOY.sub(decoy, text).replace("~", "")
    if _UNSAID.search(text) or len(text) > LONGEST or not text.isascii():
        return None
    calls = _calls(line, symbol, _worth(amount), payee)
    return Message(AUTHORS, KINDS[line.kind], text, calls)


def _worth(amount: str) -> str:
    return amount.replace(",", "").replace("k", "000")


def _calls(line: Line, symbol: str, amount: str, payee: str) -> tuple[Call, ...]:
    if line.kind == "view":
        return (Call("ViewBalance", symbol if "<S>" in line.text else "all"),)
    if line.kind != "call":
        return ()
    assert line.tool
    paid = payee if line.tool == "Transfer" else ""
    return (Call(line.tool, symbol, "all" if line.everything else amount, paid),)


__all__ = ["AUTHORS", "filled"]
